import type { CallMetrics, ContextManifest } from '@modelport/runtime'
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
    const { step } = event
    const context = contexts.get(step)
    if ('manifest' in event && !context)
      contexts.set(step, toContext(step, event.manifest, contexts.size > 0))
    if (event.type === 'model-call-end' && context)
      contexts.set(step, { ...context, ...countsOf(event.metrics.usage) })
  }
  return [...contexts.values()]
}

/** What the vendor counted; nothing of an estimate. */
function countsOf({
  inputTokens,
  cacheReadTokens,
  estimated,
}: CallMetrics['usage']): Pick<ContextInfo, 'countedTokens' | 'cachedTokens'> {
  return {
    ...(!estimated && { countedTokens: inputTokens }),
    // A run from a file may have anything here.
    ...(typeof cacheReadTokens === 'number' && { cachedTokens: cacheReadTokens }),
  }
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
