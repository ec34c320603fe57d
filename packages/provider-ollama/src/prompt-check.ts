import { type JsonObject, textOf } from '@modelport/core'
import type { Turn } from '@modelport/driver'

/**
 * The fewest tokens a text can be: one for each group of characters between white space that has a
 * letter or a digit, or one for every 16 bytes once repeated characters are taken as one, whichever
 * is more. No vocabulary in use has tokens that reach across words, nor 16 bytes of prose in an
 * average token (about 4.5 in English, 3 in Chinese).
 */
export function fewestTokens(text: string): number {
  // Matched from the start of a group only, so that long runs without a letter cost their length,
  // not its square.
  const words = text.match(/(?<!\S)[^\s\p{L}\p{N}]*[\p{L}\p{N}]/gu)?.length ?? 0
  const bytes = new TextEncoder().encode(text.replace(/(.)\1+/gsu, '$1')).length
  return Math.max(words, Math.floor(bytes / 16))
}

/**
 * What to tell the caller when the server's own count of the prompt cannot be that of what was
 * sent: Ollama cuts a prompt that is too long for its context and answers 200. Undefined when there
 * is nothing to tell, and when the server counted nothing. Only message text is weighed: templates
 * may leave out tool definitions and thinking, and images cost what the model says.
 */
export function promptWarning(turn: Turn, counted: number | undefined): string | undefined {
  if (!counted) return undefined
  const { num_ctx: context } = (turn.options.vendor?.['options'] ?? {}) as JsonObject
  if (typeof context === 'number' && counted >= context) {
    return `the prompt fills the whole context (prompt_eval_count ${counted}, num_ctx ${context}): Ollama cuts what does not fit; raise num_ctx`
  }
  const fewest = fewestTokens(turn.messages.map(({ content }) => textOf(content)).join('\n'))
  if (counted >= fewest) return undefined
  return (
    `the server counted ${counted} prompt tokens where at least ${fewest} were sent: it cut the prompt to its context; raise num_ctx ` +
    '(vendor: { options: { num_ctx } }), or have it refuse instead (vendor: { truncate: false })'
  )
}
