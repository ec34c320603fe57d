import type { CallOptions, TokenUsage } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import type { CacheBreakCause } from '../budget/metrics.js'
import { diffManifests } from './diff-manifests.js'
import type { ContextBlock, ContextManifest } from './manifest.js'

/** A call whose prompt the vendor's cache had to a smaller part than that of the call before. */
export interface CacheBreak {
  /** The first cause that applies, in the order model, tools, system, history, option, time. */
  readonly cause: CacheBreakCause
  /** The first block that changed, as it is sent now, or as it was if it is gone. */
  readonly block?: ContextBlock
  /** The option that changed; with the cause `option`. */
  readonly option?: string
  /** Tokens that the vendor read from its cache for this call, by its own count. */
  readonly cacheReadTokens: number
  /** Tokens that it had in its cache after the call before, by its own count. */
  readonly cachedTokens: number
}

/** Options that vendors render into the prompt, or keep caches apart by. */
const options = ['toolChoice', 'parallelToolCalls', 'responseFormat', 'reasoning'] as const

interface WatchedCall {
  readonly manifest: ContextManifest
  readonly options: ReadonlyMap<string, string>
  readonly cachedTokens: number
}

/** Compares the calls of a run, each with the one before. */
export class CacheWatch {
  #last: WatchedCall | undefined

  /** Called once for each reply. Undefined: the cache had at least as much as before. */
  check(
    manifest: ContextManifest,
    given: CallOptions,
    { cacheReadTokens, cacheCreationTokens, reported }: TokenUsage,
  ): CacheBreak | undefined {
    const before = this.#last
    const values = options.map((name) => [name, canonicalJson(given[name] ?? null)] as const)
    const cachedTokens = cacheReadTokens + cacheCreationTokens
    const now = { manifest, options: new Map(values), cachedTokens }
    // A call without counts says nothing of the cache.
    if (!reported) return undefined
    this.#last = now
    if (!before || cacheReadTokens >= before.cachedTokens) return undefined
    return { ...causeOf(before, now), cacheReadTokens, cachedTokens: before.cachedTokens }
  }
}

function causeOf(
  before: WatchedCall,
  now: WatchedCall,
): Pick<CacheBreak, 'cause' | 'block' | 'option'> {
  const { provider, model } = now.manifest
  if (before.manifest.provider !== provider || before.manifest.model !== model)
    return { cause: 'model' }

  const { firstChange } = diffManifests(before.manifest, now.manifest)
  // What is added at the end leaves the part before it in the cache.
  if (firstChange && firstChange.change !== 'added') {
    const { before: old, after } = firstChange
    const block = after ?? old
    const kind = old?.kind === 'tool' || after?.kind === 'tool' ? 'tool' : block?.kind
    return { cause: causeOfKind(kind), ...(block && { block }) }
  }
  const option = options.find((name) => before.options.get(name) !== now.options.get(name))
  return option === undefined ? { cause: 'time' } : { cause: 'option', option }
}

function causeOfKind(kind: ContextBlock['kind'] | undefined): CacheBreakCause {
  if (kind === 'tool') return 'tools'
  return kind === 'system' ? 'system' : 'history'
}
