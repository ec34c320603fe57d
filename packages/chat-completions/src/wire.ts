import type { JsonObject } from '@modelport/core'

/** Fields of an object of the wire. Nothing is sure to be there or to have its type: each value is guarded where it is read. */
type Fields<Names extends string> = Readonly<Partial<Record<Names, unknown>>>

/**
 * A whole `chat.completion` or one `chat.completion.chunk`, with what real servers add to them.
 * @see https://platform.openai.com/docs/api-reference/chat (read 2026-11-21)
 */
export type WireAnswer = Fields<
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
>
/** One of the answers asked for. `delta` is a piece; `message` is whole, and may come inside a stream too. */
export type WireChoice = Fields<'index' | 'delta' | 'message' | 'finish_reason' | 'logprobs' | 'usage' | 'error'>
/**
 * What the model says. `function_call` is the form before `tool_calls`; `executed_tools` the server ran itself; each of the
 * `reasoning_steps` has a `thought`.
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
>
/** A part of the content; `thinking` is text or text parts. */
export type WirePart = Fields<'text' | 'refusal' | 'thinking' | 'image_url'>
/** A tool call or a piece of it. `custom` takes free text; `extra_content` is opaque and goes back with the call. */
export type WireToolCall = Fields<'index' | 'id' | 'function' | 'custom' | 'extra_content'>
/** A source of the answer. */
export type WireSource = Fields<'url' | 'link' | 'title' | 'content' | 'snippet'>
/** A token and its probability. */
export type WireLogprob = Fields<'token' | 'logprob' | 'top_logprobs'>

/** The text, or '' when it is none. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The object, or an empty one. The one place where the wire's shape is taken on trust: every field is unknown. */
export const asObject = <T extends object = JsonObject>(value: unknown): Partial<T> =>
  typeof value === 'object' && value !== null ? value : {}

const none: readonly never[] = []
const isObject = (item: unknown): item is object => typeof item === 'object' && item !== null

/** The objects of a list; nothing when it is no list. */
export function asItems<T extends object = JsonObject>(value: unknown): readonly Partial<T>[] {
  if (!Array.isArray(value)) return none
  return value.every(isObject) ? value : value.filter(isObject)
}

type CountName = 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens' | 'reasoningTokens'
type Counts = Partial<Record<CountName, number>>

/* @__NO_SIDE_EFFECTS__ */
const toPaths = (fields: string): readonly (readonly string[])[] => fields.split(' ').map((field) => field.split('.'))

/** Where vendors write each count: a field, or a field of details; the first number counts. */
const places: readonly (readonly [name: CountName, where: readonly (readonly string[])[]])[] = [
  ['inputTokens', toPaths('prompt_tokens input_tokens')],
  ['outputTokens', toPaths('completion_tokens output_tokens')],
  [
    'cacheReadTokens',
    toPaths(
      'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cached_tokens prompt_cache_hit_tokens num_cached_tokens cache_read_input_tokens',
    ),
  ],
  [
    'cacheCreationTokens',
    toPaths(
      'prompt_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens prompt_tokens_details.cache_creation_input_tokens cache_creation_input_tokens',
    ),
  ],
  [
    'reasoningTokens',
    toPaths('completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens reasoning_tokens'),
  ],
]

/** The counts of a usage object; undefined when it has none. Reasoning that is counted beside the output is added to it. */
export function toCounts(value: unknown): Counts | undefined {
  if (!value) return undefined
  const usage = asObject(value)
  const counts: Counts = {}
  for (const [name, where] of places) {
    for (const path of where) {
      const count = path.reduce<unknown>((outer, field) => asObject(outer)[field], usage)
      if (typeof count !== 'number') continue
      counts[name] = count
      break
    }
  }
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = counts
  // Only the total tells.
  if (reasoningTokens > 0 && usage['total_tokens'] === inputTokens + outputTokens + reasoningTokens) {
    counts.outputTokens = outputTokens + reasoningTokens
  }
  return Object.keys(counts).length ? counts : undefined
}
