import type { Generation } from './provider.js'
import { addUsage, toUsage } from './usage.js'

/**
 * Merges answers into one: texts that are not empty joined by a line break, calls and lists appended, usage added up.
 * The last answer gives the finish reason and the message's origin (its state is left out: it belongs to one message).
 */
export function mergeGenerations(...generations: readonly Generation[]): Generation {
  const last = generations.at(-1)
  const joined = (pick: (generation: Generation) => string | undefined): string =>
    generations.map(pick).filter(Boolean).join('\n')
  const appended = <Item>(pick: (generation: Generation) => readonly Item[] | undefined): Item[] =>
    generations.flatMap((generation) => pick(generation) ?? [])
  const text = joined((generation) => generation.text)
  const reasoning = joined((generation) => generation.reasoning)
  const toolCalls = appended((generation) => generation.toolCalls)
  const origin = last?.message.origin
  const lists = {
    logprobs: appended((generation) => generation.logprobs),
    citations: appended((generation) => generation.citations),
    providerToolCalls: appended((generation) => generation.providerToolCalls),
    warnings: appended((generation) => generation.warnings),
  }
  return {
    text,
    toolCalls,
    usage: generations.reduce((sum, { usage }) => addUsage(sum, usage), toUsage([])),
    finishReason: last?.finishReason ?? 'unknown',
    ...(last?.rawFinishReason !== undefined && { rawFinishReason: last.rawFinishReason }),
    message: {
      role: 'assistant',
      content: text,
      ...(toolCalls.length && { toolCalls }),
      ...(reasoning && { reasoning }),
      ...(origin && { origin: { provider: origin.provider, model: origin.model } }),
    },
    ...(reasoning && { reasoning }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length)),
  }
}
