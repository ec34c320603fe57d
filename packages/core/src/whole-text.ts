import { ProviderError } from './error.js'
import type { Generation } from './provider.js'

/**
 * The text of a reply, for methods that return nothing else. Such a method cannot show that the
 * limit of output tokens cut the reply off.
 * @throws {ProviderError} `limit-exceeded` — it was; `partial` has the part that came.
 */
export function wholeText(generation: Generation, provider: string): string {
  const { text, reasoning = '', toolCalls, usage, finishReason } = generation
  if (finishReason !== 'length') return text
  const at = usage.reported ? `${usage.outputTokens} tokens` : 'its limit of tokens'
  throw new ProviderError(
    'limit-exceeded',
    `${provider}: the reply was cut off at ${at}; raise maxTokens, or call generate, which returns the part`,
    { provider, partial: { text, reasoning, toolCalls, usage, bytes: 0, finishReason } },
  )
}
