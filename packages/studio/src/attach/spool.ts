import type { RequestBefore } from './sent-request.js'

/** A part of a prompt, as the manifest of a call has it. */
export type Block = Readonly<
  Partial<Record<'kind' | 'origin' | 'name' | 'tokens' | 'hash' | 'cached', unknown>>
>

/** Something that has begun, and may have ended, in the program. */
export interface Span {
  readonly id: string
  /** The line that began it, to be sent again to a studio that does not know it. */
  start: string
  /** True if a studio was there when it began, and true once it has ended without one. */
  isKnown?: boolean
  isOver?: boolean
  /** Events that were dropped and not reported yet. */
  dropped: number
  /** The blocks of the last prompt that a line has; none if the studio may not know them. */
  blocks: readonly Block[]
  /** The last request that a line has; unset if the studio may not know it. */
  request?: RequestBefore | undefined
}

/** A line that waits, or a delta that later ones are added to. */
interface Entry {
  readonly span: Span
  /**
   * The line, or the text of the delta; what makes the line, if nothing can change it until then.
   */
  text: string | (() => string)
  /** Characters; of a line that is not made yet, about as many as it will have. */
  size: number
  readonly delta?: Delta
  readonly at?: number
}

/** An event that is a part of a text. */
export type Delta = Readonly<
  Record<'type' | 'text', string> & Partial<Record<'step' | 'attempt' | 'callId' | 'id', unknown>>
>

/** Characters from which a delta is not added to any more. */
const longestDelta = 50_000

/** Keeps what no studio has taken yet, in memory; drops the oldest above its limits. */
export class Spool {
  readonly #limits: { readonly characters: number; readonly entries: number }
  #entries: Entry[] = []
  #characters = 0

  constructor(
    limits: { readonly characters: number; readonly entries: number } = {
      characters: 16e6,
      entries: 20_000,
    },
  ) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** Adds a line, or what makes a line of about so many characters. */
  add(span: Span, line: string | (() => string), size: number = line.length): void {
    this.#push({ span, text: line, size })
  }

  /** Adds a delta: to the newest entry, if it continues that one. */
  addDelta(span: Span, delta: Delta, text: string): void {
    const last = this.#entries.at(-1)
    const isJoined = last?.span === span && last.delta && isSamePart(delta, last.delta)
    if (isJoined && typeof last.text === 'string' && last.size <= longestDelta) {
      last.text += text
      last.size += text.length
      this.#characters += text.length
    } else this.#push({ span, text, size: text.length, delta, at: Date.now() })
  }

  /** Takes all lines out, with a line for each span that lost some. */
  take(): string[] {
    this.#characters = 0
    return this.#entries.splice(0).flatMap(({ span, text, delta, at }) => {
      const { id: s, dropped: n } = span
      span.dropped = 0
      const line = delta
        ? JSON.stringify({ t: 'event', s, at, v: { ...delta, text } })
        : typeof text === 'function'
          ? text()
          : text
      return n > 0 ? [JSON.stringify({ t: 'dropped', s, n }), line] : line
    })
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
    this.#characters += entry.size
    const { characters, entries } = this.#limits
    if (this.#characters <= characters && this.#entries.length <= entries) return
    // A tenth at once: to shift an array for each entry takes time.
    for (const { span, size } of this.#entries.splice(0, Math.ceil(this.#entries.length / 10))) {
      span.dropped++
      span.blocks = []
      span.request = undefined
      this.#characters -= size
    }
  }
}

/** Written out: this is asked for each part of a text. */
const isSamePart = (one: Delta, other: Delta): boolean =>
  one.type === other.type &&
  one.step === other.step &&
  one.attempt === other.attempt &&
  one.callId === other.callId &&
  one.id === other.id
