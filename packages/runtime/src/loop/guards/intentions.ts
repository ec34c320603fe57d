import { textHash } from '../../base/json-hash.js'
import type { GuardState } from '../../journal/checkpoint.js'
import type { Action } from '../../reply/action.js'
import { signatureOf } from './repeat-guard.js'

/** What the model wants with one call: the same effect, however often it is tried. */
export interface Intention {
  /** Hash of the tool or agent and the arguments. */
  readonly digest: string
  /** How many calls like it the run was asked for before. */
  readonly ordinal: number
  /** True if an earlier call had the same intention, and may have had its effect. */
  readonly isRepeated: boolean
}

/** A digest is long enough that two calls of a run do not share one. */
const digestLength = 16

/** What is stored of the calls so far. */
export type StoredIntentions = Pick<GuardState, 'asked' | 'uncertain'>
type Counts = Readonly<Record<string, number>>

/**
 * Tells a second try of a call from a second wish for it. Two calls that the model asks for are two
 * intentions, also with the same arguments; but a call like one whose outcome is unknown is another
 * try of that one.
 */
export class Intentions {
  /** What was asked for before a resume. */
  readonly #before: Counts
  /** Every call since then, in order: what a step had seen is a length of this list. */
  readonly #digests: string[] = []
  readonly #asked: Map<string, number>
  // Replaced, never changed: the marks of steps hold it.
  #uncertain: Counts

  constructor({ asked = {}, uncertain = {} }: StoredIntentions = {}) {
    this.#before = asked
    this.#asked = new Map(Object.entries(asked))
    this.#uncertain = uncertain
  }

  /** What was asked for so far, and what of it is unknown; counted when somebody asks for it. */
  mark(): () => Required<StoredIntentions> {
    const { length } = this.#digests
    const uncertain = this.#uncertain
    return () => {
      const asked: Record<string, number> = { ...this.#before }
      for (const digest of this.#digests.slice(0, length)) asked[digest] = (asked[digest] ?? 0) + 1
      return { asked, uncertain }
    }
  }

  /**
   * The intention behind a call that the model asks for now.
   * @param isFirst false if the same reply has asked for such a call before: it wants two
   */
  take(action: Action, isFirst: boolean): Intention {
    const digest = textHash(signatureOf(action)).slice(0, digestLength)
    const unknown = countOf(this.#uncertain, digest)
    if (unknown !== undefined && isFirst) return { digest, ordinal: unknown, isRepeated: true }

    const ordinal = this.#asked.get(digest) ?? 0
    this.#asked.set(digest, ordinal + 1)
    this.#digests.push(digest)
    return { digest, ordinal, isRepeated: false }
  }

  /** Takes what came of a call. */
  settle({ digest, ordinal }: Intention, isUncertain: boolean): void {
    const isKnownSo = countOf(this.#uncertain, digest) === ordinal
    if (isKnownSo === isUncertain) return

    const { [digest]: _settled, ...others } = this.#uncertain
    this.#uncertain = isUncertain ? { ...others, [digest]: ordinal } : others
  }
}

const countOf = (counts: Counts, digest: string): number | undefined =>
  Object.hasOwn(counts, digest) ? counts[digest] : undefined
