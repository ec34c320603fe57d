import type { ContextManifest } from '@modelport/runtime'
import type { ContextInfo, StudioEvent } from '../protocol/protocol.js'

/** The prompt of each model call of a run as blocks, and the first block that differs from the call before. */
export function toContexts(events: readonly StudioEvent[]): ContextInfo[] {
  const contexts = new Map<number, ContextInfo>()
  for (const one of events) {
    if (one.type !== 'run') continue
    const { event } = one
    const known = contexts.get(event.step)
    if ('manifest' in event && !known) contexts.set(event.step, toContext(event.manifest, contexts.size > 0))
    if ('metrics' in event && known)
      contexts.set(event.step, { ...known, cachedTokens: event.metrics.usage.cacheReadTokens })
  }
  return [...contexts.values()]
}

function toContext(manifest: ContextManifest, isLater: boolean): ContextInfo {
  const firstNew = isLater ? manifest.blocks.findIndex(({ cached }) => !cached) : -1
  return {
    step: manifest.step,
    tokens: manifest.totalEstimatedTokens,
    ...(manifest.contextWindow !== undefined && { window: manifest.contextWindow }),
    blocks: manifest.blocks.map(({ kind, name, tokens }, index) => ({
      name: name === undefined ? kind : `${kind} ${name}`,
      tokens,
      changed: index === firstNew,
    })),
  }
}
