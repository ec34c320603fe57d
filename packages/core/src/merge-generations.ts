import { mergeDetails } from './merge-details.js'
import type { Generation } from './provider.js'
import { addUsage, toUsage } from './usage.js'

/**
 * Merges replies into one: texts that are not empty joined by a line break, calls and lists
 * appended, usage added up. The last reply gives the finish reason and the message's origin (its
 * state is left out: it belongs to one message).
 */
export function mergeGenerations(...generations: readonly Generation[]): Generation {
  const last = generations.at(-1)
  const joined = (key: 'text' | 'reasoning'): string =>
    generations
      .map((generation) => generation[key])
      .filter(Boolean)
      .join('\n')
  const text = joined('text')
  const reasoning = joined('reasoning')
  const toolCalls = generations.flatMap((generation) => generation.toolCalls)
  const origin = last?.message.origin
  const spoken = reasoning ? { reasoning } : {}
  return {
    ...mergeDetails(...generations),
    ...spoken,
    text,
    toolCalls,
    usage: generations.reduce((sum, { usage }) => addUsage(sum, usage), toUsage([])),
    finishReason: last?.finishReason ?? 'unknown',
    message: {
      role: 'assistant',
      content: text,
      ...(toolCalls.length && { toolCalls }),
      ...spoken,
      ...(origin && { origin: { provider: origin.provider, model: origin.model } }),
    },
  }
}
