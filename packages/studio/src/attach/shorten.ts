import type { Block, Span } from './spool.js'

/** An event that may have the prompt of a call as blocks. */
export interface Prepared {
  readonly manifest?: { readonly blocks?: readonly Block[] }
}

/**
 * An event of a run with what the studio needs of its prompt. The blocks that the last line had too
 * are counted (`same`) and left out: all of them in every step would grow with the square of the
 * steps.
 */
export function shorten(span: Span, event: Prepared): Prepared {
  const { manifest } = event
  if (!manifest?.blocks) return event
  const { blocks } = manifest
  const change = blocks.findIndex((block, index) => !isSame(block, span.blocks[index]))
  const same = change < 0 ? blocks.length : change
  span.blocks = blocks
  const fresh = blocks
    .slice(same)
    .map(({ kind, origin, name, tokens }) => ({ kind, origin, name, tokens }))
  const first = blocks.findIndex(({ cached }) => !cached)
  const cached = first < 0 ? blocks.length : first
  // The event says them too.
  const said = { runId: undefined, provider: undefined, model: undefined }
  const short = { ...manifest, ...said, blocks: fresh, same, cached }
  return { ...event, manifest: short }
}

const isSame = (one: Block, other: Block | undefined): boolean =>
  one === other ||
  (!!other &&
    (['hash', 'origin', 'name', 'tokens'] as const).every((name) => one[name] === other[name]))
