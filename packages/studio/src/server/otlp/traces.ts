import type { RunRecord, StudioEvent } from '../../protocol/protocol.js'
import type { TraceSpan } from '../../protocol/trace-span.js'
import type { StudioStore } from '../../store/studio-store.js'
import type { ReadTraces } from './spans.js'
import { toTraceEvents, toTraceRun } from './trace-run.js'

/** Maximum spans of one trace. */
export const mostSpans = 2000
/** Maximum requests that wait to be kept. */
const mostWaiting = 8

/**
 * Keeps the traces of other programs, each as a run that grows with its spans, in whatever order
 * they come.
 */
export class Traces {
  readonly #store: StudioStore
  #waiting = 0
  /** Resolves when everything that was taken is kept. */
  last: Promise<unknown> = Promise.resolve()

  constructor(store: StudioStore) {
    this.#store = store
  }

  /**
   * Keeps the spans that are not there yet, one request after the other. Gives the number of those
   * that their trace has no room for, or undefined if the request must come again later.
   */
  async add(traces: ReadTraces['traces']): Promise<number | undefined> {
    if (this.#waiting >= mostWaiting) return undefined
    this.#waiting++
    const added = this.last.then(async () => {
      let rejected = 0
      for (const [id, { program, spans }] of traces)
        rejected += await this.#addTo(`trace-${id}`, program, spans)
      return rejected
    })
    this.last = added.catch(() => undefined).finally(() => this.#waiting--)
    return added
  }

  /** The events of the run of a trace. */
  async events(run: RunRecord): Promise<readonly StudioEvent[]> {
    return toTraceEvents(run, await this.#spansOf(run.id))
  }

  async #addTo(id: string, program: string, spans: readonly TraceSpan[]): Promise<number> {
    const known = await this.#store.run(id)
    const before = known ? await this.#spansOf(id) : []
    const ids = new Set(before.map((span) => span.id))
    const fresh = spans.filter((span) => !ids.has(span.id) && ids.add(span.id))
    const all = [...before, ...fresh].slice(0, mostSpans)
    if (all.length === before.length) return fresh.length
    const run = toTraceRun(id, known?.program ?? program, all)
    if (!known) await this.#store.save({ ...run, status: 'running' })
    const events = all.map(
      (span, index): StudioEvent => ({ seq: index + 1, at: span.to, type: 'span', span }),
    )
    await this.#store.append(id, events.slice(before.length))
    await this.#store.save(run)
    return before.length + fresh.length - all.length
  }

  async #spansOf(runId: string): Promise<TraceSpan[]> {
    return (await this.#store.events(runId, 0)).flatMap((one) =>
      one.type === 'span' ? [one.span] : [],
    )
  }
}
