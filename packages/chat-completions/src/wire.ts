import type { JsonObject } from '@modelport/core'
import { listOf } from '@modelport/driver'

/**
 * Fields of an object of the wire. Nothing is sure to be there or to have its type: each value is
 * guarded where it is read.
 */
type Fields<Names extends string> = Readonly<Partial<Record<Names, unknown>>>

/**
 * A whole `chat.completion` or one `chat.completion.chunk`, with what real servers add to them.
 * @see https://platform.openai.com/docs/api-reference/chat (read 2026-11-21)
 */
export type WireReply = Fields<
  | 'object'
  | 'model'
  | 'choices'
  | 'usage'
  | 'x_groq'
  | 'error'
  | 'message'
  | 'citations'
  | 'search_results'
  | 'web_search'
  | 'base_resp'
  | 'error_message'
  | 'id'
  | 'service_tier'
  | 'provider'
  | 'system_fingerprint'
  | 'timings'
  | 'latency_checkpoint'
  | 'time_info'
  | 'sla_metrics'
  | 'moderation'
  | 'prompt_filter_results'
  | 'usage_breakdown'
>
/**
 * One of the replies asked for. `delta` is a piece; `message` is whole, and may come inside a
 * stream too.
 */
export type WireChoice = Fields<
  | 'index'
  | 'delta'
  | 'message'
  | 'finish_reason'
  | 'logprobs'
  | 'usage'
  | 'error'
  | 'content_filter_results'
  | 'native_finish_reason'
  | 'stop_reason'
  | 'matched_stop'
>
/**
 * What the model says. `function_call` is the form that `tool_calls` replaced. The server ran the
 * `executed_tools` itself. Each of the `reasoning_steps` has a `thought`.
 * @see https://docs.perplexity.ai/docs/sonar/pro-search/stream-mode.md (read 2026-11-21)
 */
export type WireMessage = Fields<
  | 'content'
  | 'refusal'
  | 'audio'
  | 'images'
  | 'reasoning_content'
  | 'reasoning'
  | 'reasoning_text'
  | 'reasoning_details'
  | 'reasoning_steps'
  | 'tool_calls'
  | 'function_call'
  | 'executed_tools'
  | 'annotations'
  | 'extra_content'
  | 'provider_metadata'
>
/** A part of the content; `thinking` is text or text parts. */
export type WirePart = Fields<'text' | 'refusal' | 'thinking' | 'image_url'>
/**
 * A tool call or a piece of it. `custom` takes free text; `extra_content` is opaque and goes back
 * with the call.
 */
export type WireToolCall = Fields<'index' | 'id' | 'function' | 'custom' | 'extra_content'>
/** A source of the reply. */
export type WireSource = Fields<
  'url' | 'link' | 'title' | 'content' | 'snippet' | 'date' | 'start_index' | 'end_index'
>
/** A token and its probability. */
export type WireLogprob = Fields<'token' | 'logprob' | 'top_logprobs'>

/**
 * The object, or an empty one. The one place where the wire's shape is taken on trust: every field
 * is unknown.
 */
export const asObject = <T extends object = JsonObject>(value: unknown): Partial<T> =>
  typeof value === 'object' && value !== null ? value : {}

/** The objects of a list; empty if the value is not a list. */
export const asItems = <T extends object = JsonObject>(value: unknown): readonly Partial<T>[] =>
  listOf(value as readonly Partial<T>[] | undefined)
