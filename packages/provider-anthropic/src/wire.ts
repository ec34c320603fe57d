import type { JsonObject } from '@modelport/core'

/** A content block, as sent and as received: only `type` is sure. */
export interface WireBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** One message of a request. `system` may stand within the conversation on newer models only. */
export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: readonly WireBlock[]
}

/** Token counts, cumulative within one answer. */
export interface WireUsage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null
}

/** Why an answer stopped: part of a whole message, or of a `message_delta`. */
export interface WireStop {
  readonly stop_reason?: string | null
  readonly stop_details?: { readonly explanation?: string | null; readonly category?: string | null } | null
  readonly container?: { readonly id?: string | null } | null
}

/** A whole answer, or the start of one. */
export interface WireAnswerMessage extends WireStop {
  readonly model?: string | null
  readonly content?: readonly (WireBlock | null)[] | null
  readonly usage?: WireUsage | null
  /** What the API did to the request before the model read it. */
  readonly input_transformations?:
    | readonly ({ readonly type?: unknown; readonly path?: unknown; readonly reason?: unknown } | null)[]
    | null
}

/** What a `content_block_delta` adds. */
export interface WireDelta extends WireStop {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
  readonly citation?: WireCitation
  readonly content?: string | null
  readonly encrypted_content?: string | null
}

/** Any event of a stream; a whole answer has the same fields at its top. */
export interface WireEvent extends WireAnswerMessage {
  readonly type?: string
  readonly message?: WireAnswerMessage | null
  readonly index?: number
  readonly content_block?: WireBlock | null
  readonly delta?: WireDelta | null
  readonly error?: unknown
}

/** Where a text comes from: a web page, a search result, or a place in a document. */
export interface WireCitation {
  readonly cited_text?: string | null
  readonly url?: string | null
  readonly source?: string | null
  readonly title?: string | null
  readonly document_title?: string | null
}

/**
 * The body of a failure; compatible servers leave parts of it out.
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11-21)
 */
export interface WireFailure {
  readonly error?:
    | {
        readonly type?: unknown
        readonly message?: unknown
        readonly details?: { readonly error_code?: unknown } | null
      }
    | string
    | null
  readonly message?: unknown
  readonly request_id?: unknown
}

/**
 * The body of `POST /v1/messages`.
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11-21)
 */
export interface WireRequest {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly WireMessage[]
  readonly system?: readonly WireBlock[]
  readonly tools?: readonly JsonObject[]
  readonly tool_choice?: JsonObject
  readonly thinking?: JsonObject
  readonly output_config?: JsonObject
  readonly container?: string
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: readonly string[]
  readonly stream?: true
}
