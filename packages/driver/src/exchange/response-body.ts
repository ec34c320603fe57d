import { LlmError } from '@modelport/core'
import { type ByteSource, type ChunkCallbacks, toByteSource } from '../base/byte-source.js'
import { graceMs } from '../base/limits.js'
import type { CallContext } from '../call/call-context.js'
import { IdleWatch } from './idle-watch.js'

/** The body of one response, under the idle clocks and the limit of its length. */
export class ResponseBody {
  bytes = 0
  /** True while a read may have to wait. */
  #isReading = false
  readonly #source: ByteSource
  readonly #idle: IdleWatch
  readonly #maxBytes: number

  /** `expire` is called when the body is silent for too long. */
  constructor(response: Response, context: CallContext, expire: (silence: string) => void) {
    this.#source = toByteSource(response)
    this.#idle = new IdleWatch(context.clock, context.timeouts, expire)
    this.#maxBytes = context.limits.maxBodyBytes
  }

  /**
   * Asks for the next chunk. The caller passes each chunk to `count`, and calls `processed` when it
   * has decoded it. The clocks start only if the read waits: a chunk that is there already needs no
   * timer.
   */
  pull(callbacks: ChunkCallbacks): void {
    this.#isReading = true
    try {
      this.#source.pull(callbacks)
    } catch (error) {
      // A body that throws instead of calling back.
      callbacks.onError(error)
    }
    if (this.#isWaiting()) this.#idle.start()
  }

  /**
   * A method, as the compiler would take the field for true: it does not see that the source may
   * have called back.
   */
  #isWaiting(): boolean {
    return this.#isReading
  }

  /** Counts a chunk. @throws {LlmError} `limit-exceeded` — the body is too long. */
  count(chunk: Uint8Array): void {
    this.bytes += chunk.length
    if (this.bytes > this.#maxBytes)
      throw new LlmError('limit-exceeded', `the body is longer than ${this.#maxBytes} bytes`)
  }

  /** The chunk was decoded; `semantic` is true if it held a delta of the reply. */
  processed(semantic: boolean): void {
    this.#isReading = false
    this.#idle.stop(semantic)
  }

  /** The reply is whole: the connection gets a second to close. */
  awaitEnd(): void {
    this.#idle.endWithin(graceMs)
  }

  /** The body was read to its end: frees the timers. */
  end(): void {
    this.#isReading = false
    this.#idle.end()
  }

  /** Drops the connection and frees the timers. */
  cancel(): void {
    this.#isReading = false
    this.#idle.end()
    this.#source.cancel()
  }
}
