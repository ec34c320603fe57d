import type { Sink } from '@modelport/driver'

type Kind = Parameters<Sink['written']>[0]

/** A range of the text or of the reasoning of a reply. */
export interface Span {
  readonly kind: Kind
  readonly start: number
  readonly end: number
}

/**
 * Notes which ranges of what a sink was given belong to which block: the texts of the blocks are
 * not kept a second time.
 */
export class SpanRecorder {
  readonly #sink: Sink
  #spans: Span[] | undefined
  #kind: Kind = 'text'
  #start = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /**
   * What the sink is given of this kind from now on belongs to these spans; to none when there are
   * none.
   */
  follow(spans: Span[] | undefined, kind: Kind = 'text'): void {
    if (spans === this.#spans && kind === this.#kind) return
    const end = this.#sink.written(this.#kind).length
    if (end > this.#start) this.#spans?.push({ kind: this.#kind, start: this.#start, end })
    this.#spans = spans
    this.#kind = kind
    this.#start = this.#sink.written(kind).length
  }

  /** What was written to these spans. */
  read(spans: readonly Span[], kind: Kind): string {
    return spans
      .map((span) =>
        span.kind === kind ? this.#sink.written(kind).text.slice(span.start, span.end) : '',
      )
      .join('')
  }
}
