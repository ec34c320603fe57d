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

interface WireCounts {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
}

/**
 * One sampling step of a response. Its type says what it was: `message` is the reply of the model,
 * others are a compaction or a step of another model.
 */
export interface WireIteration extends WireCounts {
  readonly type?: string | null
  readonly model?: string | null
}

/** Token counts, cumulative within one response. */
export interface WireUsage extends WireCounts {
  readonly iterations?: readonly (WireIteration | null)[] | null
  readonly service_tier?: unknown
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number | null
    readonly ephemeral_1h_input_tokens?: number | null
  } | null
  readonly server_tool_use?: Readonly<Record<string, unknown>> | null
  /** Added by Pydantic's gateway. */
  readonly pydantic_ai_gateway?: { readonly cost_estimate?: number | null } | null
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null
}

/** Why a reply stopped: part of a whole message, or of a `message_delta`. */
export interface WireStop {
  readonly stop_reason?: string | null
  readonly stop_details?: {
    readonly explanation?: string | null
    readonly category?: string | null
  } | null
  readonly stop_sequence?: string | null
  readonly container?: JsonObject | null
}

/** A whole reply, or the start of one. */
export interface WireReplyMessage extends WireStop {
  readonly id?: unknown
  readonly model?: string | null
  readonly content?: readonly (WireBlock | null)[] | null
  readonly usage?: WireUsage | null
  /** What the API did to the request before the model read it. */
  readonly input_transformations?:
    | readonly ({
        readonly type?: unknown
        readonly path?: unknown
        readonly reason?: unknown
      } | null)[]
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

/** Any event of a stream; a whole reply has the same fields at its top. */
export interface WireEvent extends WireReplyMessage {
  readonly type?: string
  readonly message?: WireReplyMessage | null
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
  readonly file_id?: string | null
  readonly start_char_index?: number | null
  readonly end_char_index?: number | null
  readonly start_page_number?: number | null
  readonly end_page_number?: number | null
  readonly start_block_index?: number | null
  readonly end_block_index?: number | null
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
        readonly status?: unknown
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
