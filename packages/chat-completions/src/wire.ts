/**
 * What is read of an answer: a whole `chat.completion` or one `chat.completion.chunk`, with what real servers add to them.
 * Nothing is sure to be there or to have its type: guard each value where it is read.
 * @see https://platform.openai.com/docs/api-reference/chat (read 2026-11-21)
 */
export interface WireAnswer {
  readonly object?: unknown
  readonly model?: unknown
  readonly choices?: readonly WireChoice[] | null
  readonly usage?: WireUsage | null
  /** One vendor's place for the usage of a stream, and for its failure. */
  readonly x_groq?: { readonly usage?: WireUsage | null; readonly error?: unknown } | null
  /** An object or a text, beside the choices or in their place. */
  readonly error?: unknown
  /** Addresses of sources, repeated in every chunk. */
  readonly citations?: readonly unknown[] | null
  /** The same sources with more about them. */
  readonly search_results?: readonly WireSource[] | null
}

/** One of the answers asked for; only the first is read. */
export interface WireChoice {
  readonly index?: unknown
  /** A piece of the answer. */
  readonly delta?: WireMessage | null
  /** The whole answer; some servers send it inside a stream, alone or beside the deltas. */
  readonly message?: WireMessage | null
  /** Null or '' while the answer goes on. */
  readonly finish_reason?: unknown
  readonly logprobs?: { readonly content?: readonly WireLogprob[] | null } | null
  readonly usage?: WireUsage | null
  readonly error?: unknown
}

/** What the model says, whole or a piece of it. */
export interface WireMessage {
  /** Text, or parts. */
  readonly content?: unknown
  readonly refusal?: unknown
  readonly reasoning_details?: readonly WireReasoningDetail[] | null
  readonly tool_calls?: readonly WireToolCall[] | null
  /** The form before `tool_calls`: one call without an id. */
  readonly function_call?: WireFunction | null
  readonly annotations?: readonly (WireSource & { readonly url_citation?: WireSource | null })[] | null
  readonly images?: readonly WirePart[] | null
  readonly audio?: { readonly transcript?: unknown } | null
  /** Tools the server ran itself. */
  readonly executed_tools?: readonly WireExecutedTool[] | null
}

/** A part of the content. */
export interface WirePart {
  readonly type?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  /** Text, or text parts. */
  readonly thinking?: unknown
  readonly image_url?: { readonly url?: unknown } | null
}

/** A piece of reasoning; `signature` and `data` are opaque. */
export interface WireReasoningDetail {
  readonly type?: unknown
  readonly index?: unknown
  readonly text?: unknown
  readonly summary?: unknown
}

/** A function's name and arguments. */
export interface WireFunction {
  readonly name?: unknown
  /** Text; an object from some servers. */
  readonly arguments?: unknown
}

/** A tool call, whole or a piece of it. */
export interface WireToolCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: WireFunction | null
  /** A call whose input is free text. */
  readonly custom?: { readonly name?: unknown; readonly input?: unknown } | null
  /** Opaque; to be sent back with the call. */
  readonly extra_content?: unknown
}

/** A tool the server ran. */
export interface WireExecutedTool {
  readonly index?: unknown
  readonly type?: unknown
  readonly name?: unknown
}

/** A source of the answer. */
export interface WireSource {
  readonly url?: unknown
  readonly title?: unknown
  readonly content?: unknown
  readonly snippet?: unknown
}

/** A token and its probability. */
export interface WireLogprob {
  readonly token?: unknown
  readonly logprob?: unknown
  readonly top_logprobs?: readonly WireLogprob[] | null
}

/** Token counts by name; the details are objects of counts. */
export type WireUsage = Readonly<Record<string, unknown>>

/** The text, or '' when it is none. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The objects of a list; nothing when it is no list. */
export const asItems = <T>(value: readonly T[] | null | undefined): readonly T[] =>
  Array.isArray(value) ? (value as readonly T[]).filter((item) => typeof item === 'object' && item !== null) : []
