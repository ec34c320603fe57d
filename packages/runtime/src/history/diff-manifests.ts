import type { ContextBlock, ContextManifest } from './manifest.js'

/** The first block in which two prompts differ. */
export interface ManifestChange {
  /** Its place in the prompt, from 0. */
  readonly index: number
  /** `changed` in place, `added` at the end, or `removed` from the end. */
  readonly change: 'changed' | 'added' | 'removed'
  /** The block of the first prompt; unset if it was added. */
  readonly before?: ContextBlock
  /** The block of the second prompt; unset if it was removed. */
  readonly after?: ContextBlock
}

/** Where two prompts part. */
export interface ManifestDiff {
  /** True when both send the same. */
  readonly identical: boolean
  /** The first block that is not the same; unset when they are identical. */
  readonly firstChange?: ManifestChange
  /** Blocks at the start that both share. */
  readonly commonBlocks: number
  /** Their estimated tokens: what a cache of the first prompt can serve of the second. */
  readonly commonTokens: number
  /** Tokens of the second prompt that are new to the cache. */
  readonly newTokens: number
}

/**
 * Compares what two calls send, block by block from the start. A server's cache ends at the first
 * block that differs.
 */
export function diffManifests(before: ContextManifest, after: ContextManifest): ManifestDiff {
  const firstOther = after.blocks.findIndex((block, at) => block.hash !== before.blocks[at]?.hash)
  const commonBlocks = firstOther < 0 ? after.blocks.length : firstOther
  const firstChange = changeAt(commonBlocks, before.blocks, after.blocks)

  return {
    identical: firstChange === undefined,
    ...(firstChange && { firstChange }),
    commonBlocks,
    commonTokens: tokensOf(after.blocks.slice(0, commonBlocks)),
    newTokens: tokensOf(after.blocks.slice(commonBlocks)),
  }
}

function changeAt(
  index: number,
  blocksBefore: readonly ContextBlock[],
  blocksAfter: readonly ContextBlock[],
): ManifestChange | undefined {
  const before = blocksBefore[index]
  const after = blocksAfter[index]

  if (before && after) return { index, change: 'changed', before, after }
  if (after) return { index, change: 'added', after }
  if (before) return { index, change: 'removed', before }
  return undefined
}

const tokensOf = (blocks: readonly ContextBlock[]): number =>
  blocks.reduce((sum, { tokens }) => sum + tokens, 0)
