import type { ContextBlock, ContextManifest } from './manifest.js'

/** Where two prompts part. */
export interface ManifestDiff {
  /** True when both send the same. */
  readonly identical: boolean
  /** The first block that is not the same; unset when they are identical. */
  readonly firstChange?: {
    readonly index: number
    /** `changed` in place, `added` at the end, `removed` from the end. */
    readonly change: 'changed' | 'added' | 'removed'
    readonly before?: ContextBlock
    readonly after?: ContextBlock
  }
  /** Blocks at the start that both share. */
  readonly commonBlocks: number
  /** Their estimated tokens: what a cache of the first prompt can serve of the second. */
  readonly commonTokens: number
  /** Tokens of the second prompt that are new to the cache. */
  readonly newTokens: number
}

/** Compares what two calls send, block by block from the start. */
export function diffManifests(before: ContextManifest, after: ContextManifest): ManifestDiff {
  const index = after.blocks.findIndex((block, at) => block.hash !== before.blocks[at]?.hash)
  const common = index < 0 ? after.blocks.length : index
  const tokens = (blocks: readonly ContextBlock[]): number => blocks.reduce((sum, block) => sum + block.tokens, 0)
  const [old, now] = [before.blocks[common], after.blocks[common]]
  return {
    identical: !old && !now,
    ...((old ?? now) && {
      firstChange: {
        index: common,
        change: old && now ? 'changed' : now ? 'added' : 'removed',
        ...(old && { before: old }),
        ...(now && { after: now }),
      },
    }),
    commonBlocks: common,
    commonTokens: tokens(after.blocks.slice(0, common)),
    newTokens: tokens(after.blocks.slice(common)),
  }
}
