import { type Reader, ReaderBase } from '@modelport/core'
import type { CallOutcome, DialogEvent, EventConsumer } from './outcome.js'

/** The events of a call, one by one, and its outcome. */
export interface CallReader<Value> extends Reader<DialogEvent> {
  /**
   * How the call ended; it continues without a reader once this is asked for before the first read.
   * Never rejects.
   */
  result(): Promise<CallOutcome<Value>>
}

const end = { done: true, value: undefined } as const

/**
 * Hands the events of a call to one consumer, at the consumer's pace. Nothing starts before the
 * first read or `result()`.
 */
export class EventQueue<Value>
  extends ReaderBase<DialogEvent>
  implements CallReader<Value>, EventConsumer
{
  readonly #run: (consumer: EventConsumer, signal: AbortSignal) => Promise<CallOutcome<Value>>
  readonly #closing = new AbortController()
  readonly #events: DialogEvent[] = []
  readonly #waiting: ((result: IteratorResult<DialogEvent, undefined>) => void)[] = []
  #emptied: (() => void)[] = []
  #outcome: Promise<CallOutcome<Value>> | undefined
  #isDropping = false
  #isRead = false
  #isOver = false

  /** @param run starts the call; the signal aborts when the reader is closed */
  constructor(run: (consumer: EventConsumer, signal: AbortSignal) => Promise<CallOutcome<Value>>) {
    super()
    this.#run = run
  }

  push(event: DialogEvent): void {
    if (this.#isDropping) return
    const waiting = this.#waiting.shift()
    if (waiting) waiting({ done: false, value: event })
    else this.#events.push(event)
  }

  drained(): Promise<void> | undefined {
    return this.#events.length ? new Promise((resolve) => this.#emptied.push(resolve)) : undefined
  }

  next(): Promise<IteratorResult<DialogEvent, undefined>> {
    this.#isRead = true
    const event = this.#events.shift()
    if (!this.#events.length) this.#release()
    if (event) return Promise.resolve({ done: false, value: event })
    if (this.#isOver || this.#isDropping) return Promise.resolve(end)
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      void this.#start()
    })
  }

  result(): Promise<CallOutcome<Value>> {
    if (!this.#isRead) this.#isDropping = true
    return this.#start()
  }

  async close(): Promise<void> {
    this.#isDropping = true
    this.#events.length = 0
    if (!this.#isOver) this.#closing.abort(new DOMException('the reader was closed', 'AbortError'))
    this.#settle()
    await this.#outcome
  }

  #start(): Promise<CallOutcome<Value>> {
    this.#outcome ??= this.#run(this, this.#closing.signal).finally(() => {
      this.#isOver = true
      this.#settle()
    })
    return this.#outcome
  }

  #settle(): void {
    this.#release()
    for (const resolve of this.#waiting.splice(0)) resolve(end)
  }

  #release(): void {
    for (const resolve of this.#emptied.splice(0)) resolve()
  }
}
