import type { JsonObject } from '@modelport/core'

/**
 * A content block: an object with one field, the name of which is its kind. The API adds kinds.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (as in
 * @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export type WireBlock = Readonly<Record<string, unknown>>

/** One message of a request. */
export interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly WireBlock[]
}

/** The body of `POST /model/{modelId}/converse`, and of `converse-stream`. */
export interface WireRequest {
  readonly messages: readonly WireMessage[]
  readonly system?: readonly WireBlock[]
  readonly inferenceConfig?: JsonObject
  readonly toolConfig?: { readonly tools: readonly JsonObject[]; readonly toolChoice?: JsonObject }
  readonly additionalModelRequestFields?: JsonObject
  readonly outputConfig?: JsonObject
}

/** Counts of one reply. The cached ones are not part of `inputTokens`. */
export interface WireUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadInputTokens?: number
  readonly cacheWriteInputTokens?: number
  readonly cacheDetails?:
    | readonly { readonly ttl?: unknown; readonly inputTokens?: unknown }[]
    | null
}

/**
 * Text and what proves it, or thinking that cannot be read. A delta has the fields without
 * `reasoningText`.
 */
export interface WireReasoning {
  readonly text?: string
  readonly signature?: string
  readonly redactedContent?: string
  readonly reasoningText?: { readonly text?: string; readonly signature?: string } | null
}

/** What starts a block, adds to one, or is a whole one. */
export interface WirePiece {
  readonly text?: string
  readonly reasoningContent?: WireReasoning | null
  /** `input` is text in a stream, a value in a whole reply. */
  readonly toolUse?: {
    readonly toolUseId?: string
    readonly name?: string
    readonly type?: string
    readonly input?: unknown
  } | null
  /**
   * The result of a tool that the vendor ran; a delta is a list of what is added to its content.
   */
  readonly toolResult?: WireToolResult | readonly JsonObject[] | null
  readonly citation?: WireCitation | null
  readonly citationsContent?: {
    readonly content?: readonly { readonly text?: unknown }[] | null
    readonly citations?: readonly WireCitation[] | null
  } | null
}

/**
 * The result of a tool that the vendor ran.
 * @see https://docs.aws.amazon.com/nova/latest/nova2-userguide/using-tools.html (as quoted by
 * others, read 2026-11-28)
 */
export interface WireToolResult {
  readonly toolUseId?: unknown
  readonly type?: unknown
  readonly status?: unknown
  readonly content?: readonly JsonObject[] | null
}

/** Where in a source something stands. */
interface WireRange {
  readonly start?: unknown
  readonly end?: unknown
}

/** What a part of the reply is based on. */
export interface WireCitation {
  readonly title?: unknown
  readonly source?: unknown
  readonly sourceContent?: readonly { readonly text?: unknown }[] | null
  readonly location?: {
    readonly web?: { readonly url?: unknown } | null
    readonly searchResultLocation?: { readonly source?: unknown } | null
    readonly documentChar?: WireRange
    readonly documentPage?: WireRange
    readonly documentChunk?: WireRange
  } | null
}

/**
 * Payload of any event, and a whole reply, which has the fields of `messageStop` and `metadata` at
 * its top.
 */
export interface WireEvent {
  readonly contentBlockIndex?: number
  readonly start?: WirePiece | null
  readonly delta?: WirePiece | null
  readonly stopReason?: string | null
  readonly usage?: WireUsage | null
  readonly trace?: { readonly guardrail?: unknown } | null
  readonly serviceTier?: { readonly type?: string } | null
  readonly output?: {
    readonly message?: { readonly content?: readonly (WirePiece | null)[] | null } | null
  } | null
  readonly message?: unknown
}
