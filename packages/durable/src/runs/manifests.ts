import type { ContextBlock, ContextManifest } from '@modelport/runtime'

/** A block, or how many blocks of the earlier manifest from which place on. */
type Part = Omit<ContextBlock, 'cached'> | readonly [from: number, count: number]

/** A manifest that is the earlier one. */
interface SameManifest {
  /** Number of the event with the earlier manifest. */
  readonly same: number
}

/**
 * A stored manifest: fields that are the same in an earlier one are left out, and blocks are
 * references.
 */
interface StoredManifest extends Partial<Omit<ContextManifest, 'blocks' | 'runId' | 'step'>> {
  /** Number of the event with the earlier manifest. */
  readonly since: number
  readonly parts: readonly Part[]
  /** Blocks in front that are `cached`. */
  readonly cached: number
}

/** An event that carries a manifest. */
interface Carrier extends Pick<ContextManifest, 'runId' | 'step'> {
  readonly manifest: ContextManifest | StoredManifest | SameManifest
}

/**
 * After this many references a manifest is stored whole, which limits how far a reader looks back.
 */
const mostReferences = 16

const hasManifest = (event: object): event is Carrier =>
  'manifest' in event && typeof event.manifest === 'object'

/**
 * Writes each manifest as the difference from the one before: a run of many steps says most of it
 * again at each call.
 */
export class ManifestWriter {
  #last:
    | { readonly seq: number; readonly manifest: ContextManifest; readonly references: number }
    | undefined

  /** @param seq number that the event gets */
  toStored(event: object, seq: number): object {
    if (!hasManifest(event) || !('blocks' in event.manifest)) return event
    // Its event has the run and the step.
    const { blocks, runId: _, step: __, ...rest } = event.manifest
    const last = this.#last
    if (last?.manifest === event.manifest)
      return { ...event, manifest: { same: last.seq } satisfies SameManifest }
    this.#last = {
      seq,
      manifest: event.manifest,
      references: last ? (last.references + 1) % mostReferences : 0,
    }
    if (!last || this.#last.references === 0) return event
    const before = new Map<string, unknown>(Object.entries(last.manifest))
    // What is not there any more cannot be left out.
    if ([...before.keys()].some((name) => !(name in event.manifest))) return event
    const cached = blocks.findIndex((block) => !block.cached)
    const manifest: StoredManifest = {
      ...Object.fromEntries(
        Object.entries(rest).filter(([name, value]) => value !== before.get(name)),
      ),
      since: last.seq,
      parts: toParts(last.manifest.blocks, blocks),
      cached: cached < 0 ? blocks.length : cached,
    }
    return { ...event, manifest }
  }
}

function toParts(
  before: readonly ContextBlock[],
  blocks: readonly ContextBlock[],
): readonly Part[] {
  // A task lists its newest messages only, so that a block may be at another place than before.
  const places = new Map(before.map(({ index }, place) => [index, place]))
  const parts: Part[] = []
  for (const block of blocks) {
    const place = places.get(block.index) ?? -1
    const last = parts.at(-1)
    if (!isSame(block, before[place])) {
      const { cached: _, ...own } = block
      parts.push(own)
    } else if (last && isRange(last) && last[0] + last[1] === place)
      parts[parts.length - 1] = [last[0], last[1] + 1]
    else parts.push([place, 1])
  }
  return parts
}

/** Compares all but `cached`. */
const isSame = (one: ContextBlock, other: ContextBlock | undefined): boolean =>
  one === other ||
  (other !== undefined && blockFields.every((field) => one[field] === other[field]))
const blockFields = [
  'index',
  'kind',
  'origin',
  'name',
  'tokens',
  'hash',
] as const satisfies (keyof ContextBlock)[]

/** Reads manifests that a {@link ManifestWriter} wrote. */
export class ManifestReader {
  readonly #read: (seq: number) => Promise<object | undefined>
  #last: { readonly seq: number; readonly manifest: ContextManifest } | undefined

  /** @param read gives a stored event of the same log */
  constructor(read: (seq: number) => Promise<object | undefined>) {
    this.#read = read
  }

  /** The event as it was written. */
  async toEvent<Event extends object>(event: Event, seq: number): Promise<Event> {
    if (!hasManifest(event)) return event
    const { manifest, runId, step } = event
    if ('blocks' in manifest) {
      this.#last = { seq, manifest }
      return event
    }
    if ('same' in manifest)
      return { ...event, manifest: (await this.#manifestAt(manifest.same)) ?? { blocks: [] } }
    const { since, parts, cached, ...rest } = manifest
    const before = await this.#manifestAt(since)
    const earlier = before?.blocks ?? []
    const whole = parts.flatMap((part) =>
      isRange(part) ? earlier.slice(part[0], part[0] + part[1]) : part,
    )
    const blocks = whole.map((block, place) => ({ ...block, cached: place < cached }))
    this.#last = { seq, manifest: { ...before, ...rest, runId, step, blocks } as ContextManifest }
    return { ...event, manifest: this.#last.manifest }
  }

  async #manifestAt(seq: number): Promise<ContextManifest | undefined> {
    if (this.#last?.seq === seq) return this.#last.manifest
    const event = await this.#read(seq)
    if (!event || !hasManifest(event)) return undefined
    await this.toEvent(event, seq)
    return this.#last?.seq === seq ? this.#last.manifest : undefined
  }
}

const isRange = (part: Part): part is readonly [number, number] => Array.isArray(part)
