import { type Reader, ReaderBase } from '@modelport/core'
import type { RunEvent } from '../../events/run-event.js'
import type { EventQueue } from '../../events/run-event-emitter.js'
import type { RunResult } from './run-result.js'

/**
 * The events of a run, one by one. Reads reject only if the request's `signal` aborts, with its
 * reason.
 */
export interface RunEventReader<Output = unknown> extends Reader<RunEvent> {
  /**
   * How the run ended; settles after the last event is read. When nothing was read by then, the
   * events are dropped. Never rejects for how a run goes.
   */
  result(): Promise<RunResult<Output>>
}

/** Prepares a run, and throws if the request is wrong. */
type Prepare = (signal: AbortSignal, sink: EventQueue) => () => Promise<RunResult>

interface Waiting {
  readonly resolve: (result: IteratorResult<RunEvent, undefined>) => void
  readonly reject: (reason: unknown) => void
}

const end = { done: true, value: undefined } as const

/** Hands the events of a run to one consumer, at the consumer's pace. */
export class RunReader extends ReaderBase<RunEvent> implements RunEventReader, EventQueue {
  readonly #given: AbortSignal | undefined
  readonly #closing = new AbortController()
  readonly #run: () => Promise<RunResult>
  readonly #events: RunEvent[] = []
  readonly #waiting: Waiting[] = []
  readonly #taken: (() => void)[] = []
  #result: Promise<RunResult> | undefined
  #isRead = false
  /** True when only the result is wanted. */
  #isDropping = false
  #isOver = false
  /** True once a read was or will be rejected with the signal's reason: every later one is too. */
  #wasAborted = false

  constructor(signal: AbortSignal | undefined, prepare: Prepare) {
    super()
    this.#given = signal
    this.#run = prepare(
      signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
      this,
    )
  }

  push(event: RunEvent): void {
    if (this.#closing.signal.aborted || this.#given?.aborted) return
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve({ done: false, value: event })
    else if (!this.#isDropping) this.#events.push(event)
  }

  drained(): Promise<void> | undefined {
    if (!this.#events.length) return undefined
    return new Promise((resolve) => {
      this.#taken.push(resolve)
    })
  }

  next(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#isRead = true
    if (
      this.#wasAborted ||
      (this.#given?.aborted && !this.#isOver && !this.#closing.signal.aborted)
    ) {
      this.#wasAborted = true
      void this.#start()
      return Promise.reject(this.#given?.reason as Error)
    }
    const event = this.#events.shift()
    if (event) {
      if (!this.#events.length) this.#release()
      return Promise.resolve({ done: false, value: event })
    }
    if (this.#isOver || this.#closing.signal.aborted) return Promise.resolve(end)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      void this.#start()
    })
  }

  result(): Promise<RunResult> {
    this.#isDropping ||= !this.#isRead
    return this.#start()
  }

  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      if (!this.#isOver)
        this.#closing.abort(new DOMException('the reader was closed', 'AbortError'))
      this.#settle()
    }
    await this.#result
  }

  #start(): Promise<RunResult> {
    if (this.#result) return this.#result
    const onAbort = (): void => {
      this.#wasAborted = !this.#closing.signal.aborted
      this.#settle()
    }
    this.#given?.addEventListener('abort', onAbort, { once: true })
    this.#result = this.#run().finally(() => {
      this.#given?.removeEventListener('abort', onAbort)
      this.#isOver = true
      this.#settle()
    })
    return this.#result
  }

  /** Releases the run and every pending read, after the end, an abort or `close()`. */
  #settle(): void {
    if (this.#wasAborted || this.#closing.signal.aborted) this.#events.length = 0
    this.#release()
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#wasAborted) reject(this.#given?.reason)
      else resolve(end)
    }
  }

  #release(): void {
    for (const taken of this.#taken.splice(0)) taken()
  }
}
