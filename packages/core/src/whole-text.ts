import { type ErrorCode, ProviderError } from './error.js'
import type { Generation } from './provider.js'

/**
 * The text of a reply, for methods that return nothing else. Such a method cannot show that the
 * reply is not what the model wanted to say.
 * @throws {ProviderError} `limit-exceeded` — the limit of output tokens cut it off;
 * `content-filter` — it was refused or filtered; `server` — the server gave up on it. `partial` has
 * the part that came.
 */
export function wholeText(generation: Generation, provider: string): string {
  const { text, reasoning = '', toolCalls, usage, finishReason } = generation
  const problem = problemOf(generation)
  if (!problem) return text
  throw new ProviderError(problem.code, `${provider}: the reply ${problem.what}`, {
    provider,
    partial: { text, reasoning, toolCalls, usage, bytes: 0, finishReason },
  })
}

/** Why the text alone would mislead; undefined for a whole reply. */
function problemOf({
  finishReason,
  usage,
}: Generation): { readonly code: ErrorCode; readonly what: string } | undefined {
  if (finishReason === 'content-filter')
    return { code: 'content-filter', what: 'was refused or filtered; generate returns the part' }
  if (finishReason === 'error')
    return { code: 'server', what: 'was given up by the server; generate returns the part' }
  if (finishReason !== 'length') return undefined
  const at = usage.reported ? `${usage.outputTokens} tokens` : 'its limit of tokens'
  const what = `was cut off at ${at}; raise maxTokens, or call generate, which returns the part`
  return { code: 'limit-exceeded', what }
}
