import type { Span } from './spool.js'

/** An event that may have the prompt of a call as blocks. */
interface Prepared {
  readonly manifest?: { readonly blocks?: readonly unknown[] }
}

/**
 * An event of a run in which the blocks of its prompt that the last line had too are counted (`same`) and left out: all of them in every step would
 * grow with the square of the steps.
 */
export function shorten(span: Span, event: unknown): unknown {
  const { manifest } = (event ?? {}) as Prepared
  if (!manifest?.blocks) return event
  const { blocks } = manifest
  // The library keeps the object of a block while nothing before it changes.
  const change = blocks.findIndex((block, index) => block !== span.blocks[index])
  const same = change < 0 ? blocks.length : change
  span.blocks = blocks
  return same ? { ...(event as object), manifest: { ...manifest, blocks: blocks.slice(same), same } } : event
}
