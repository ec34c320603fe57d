import { type LlmError, ReaderBase } from '@modelport/core'
import type { CallScope } from '../base/scope.js'
import { EventQueue } from './event-queue.js'
import { Pump } from './pump.js'

/**
 * The base of all readers: a pending `next()` starts the pump, a queue holds what nobody has read
 * yet. Rules R1–R8 of docs/contract.md.
 */
export class QueueReader<T> extends ReaderBase<T> {
  protected readonly queue: EventQueue<T> = new EventQueue<T>()
  readonly #scope: CallScope
  readonly #pump: Pump

  /**
   * `advance` reads on and then calls `onStep` or `onError`: synchronously if nothing has to be
   * waited for.
   */
  constructor(scope: CallScope, advance: () => void) {
    super()
    this.#scope = scope
    this.#pump = new Pump(
      advance,
      () => this.queue.waiting,
      (error) => {
        this.onError(error)
      },
    )
    scope.onEnd(() => {
      if (this.queue.ended) return
      this.queue.clear()
      if (scope.reason === undefined) this.queue.end()
      else this.queue.fail(scope.reason)
    })
  }

  /** One `advance` has completed; see `StreamObserver`. */
  onStep(more: boolean | LlmError): void {
    if (more === false) this.#end()
    else if (more !== true) this.queue.reject(more)
    this.#pump.completed()
  }

  /** One `advance` has failed. A failure after the end was reported already. */
  onError(error: unknown): void {
    if (this.queue.ended) return
    this.queue.fail(error)
    this.#scope.end()
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const read = this.queue.next()
    this.#pump.start()
    return read
  }

  close(): Promise<void> {
    this.queue.clear()
    this.#end()
    return Promise.resolve()
  }

  #end(): void {
    this.queue.end()
    this.#scope.end()
  }
}
