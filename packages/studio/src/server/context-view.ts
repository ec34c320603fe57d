import type { ContextManifest } from '@modelport/runtime'
import type { ContextInfo, StudioEvent } from '../protocol/protocol.js'

/**
 * The prompt of each model call of a run as blocks, and the first block that differs from the call
 * before.
 */
export function toContexts(events: readonly StudioEvent[]): ContextInfo[] {
  const contexts = new Map<number, ContextInfo>()
  for (const one of events) {
    if (one.type !== 'run') continue
    const { event } = one
    if ('manifest' in event && !contexts.has(event.step))
      contexts.set(event.step, toContext(event.step, event.manifest, contexts.size > 0))
  }
  const end = events.findLast((one) => one.type === 'end')
  const turns = end?.run.usage?.turns ?? []
  return [...contexts.values()].map((context, index) => {
    const cachedTokens = turns.length === contexts.size ? turns[index]?.cacheReadTokens : undefined
    return { ...context, ...(cachedTokens !== undefined && { cachedTokens }) }
  })
}

function toContext(step: number, manifest: ContextManifest, isLater: boolean): ContextInfo {
  const firstNew = isLater ? manifest.blocks.findIndex(({ cached }) => !cached) : -1
  return {
    step,
    tokens: manifest.totalEstimatedTokens,
    ...(manifest.contextWindow !== undefined && { window: manifest.contextWindow }),
    blocks: manifest.blocks.map(({ kind, name, tokens }, index) => ({
      name: name === undefined ? kind : `${kind} ${name}`,
      tokens,
      changed: index === firstNew,
    })),
  }
}
