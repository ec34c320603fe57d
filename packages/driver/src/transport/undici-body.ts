import type { Dispatcher } from 'undici'
import { type ChunkCallbacks, Source } from '../base/byte-source.js'

/** Unread bytes at which the connection is paused: the size of a Node stream's own buffer. */
const mostUnread = 64 * 1024

/** Status and headers of a response. */
export interface UndiciHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * One exchange over undici's callbacks. A Node stream in between costs a live stream a fifth of all
 * its time (docs/performance.md): here a chunk goes straight to the pending read, and the
 * connection is paused while nobody reads.
 * @see https://undici.nodejs.org/#/docs/api/Dispatcher (read 2026-11-21)
 */
export class UndiciBody extends Source implements Dispatcher.DispatchHandler {
  /** Settles once the response begins, or rejects with undici's error. */
  readonly head: Promise<UndiciHead>
  #respond: (head: UndiciHead) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #controller: Dispatcher.DispatchController | undefined
  readonly #signal: AbortSignal | undefined
  readonly #onSent: () => void
  #unread: Uint8Array[] = []
  #bytes = 0
  #callbacks: ChunkCallbacks | undefined
  #over = false
  #failure: { readonly error: unknown } | undefined
  #cancelled: { readonly reason: Error } | undefined

  /**
   * `onSent` is called once the request is sent, has failed or was aborted: no connection is waited
   * for any more.
   */
  constructor(signal: AbortSignal | null | undefined, onSent: () => void = () => undefined) {
    super()
    this.#onSent = onSent
    this.head = new Promise((resolve, reject) => {
      this.#respond = resolve
      this.#reject = reject
    })
    this.#signal = signal ?? undefined
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#onSent()
    if (this.#cancelled) controller.abort(this.#cancelled.reason)
  }

  onResponseStart(_: unknown, status: number, headers: UndiciHead['headers']): void {
    // An informational response (1xx) comes before the final one.
    if (status >= 200) this.#respond({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over) return
    const callbacks = this.#takeCallbacks()
    if (callbacks) {
      callbacks.onChunk(chunk)
      return
    }
    this.#unread.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= mostUnread) controller.pause()
  }

  onResponseEnd(): void {
    this.#end()
    this.#settle()
  }

  onResponseError(_: unknown, error: unknown): void {
    if (!this.#over) this.#failure = { error }
    this.#end()
    this.#reject(error)
    this.#settle()
  }

  pull(callbacks: ChunkCallbacks): void {
    this.#callbacks = callbacks
    if (!this.#settle() && this.#controller?.paused) this.#controller.resume()
  }

  cancel(): void {
    this.#abort(new Error('the body was dropped'))
  }

  /**
   * Serves the pending read with all unread chunks as one, else with the end or the error. False if
   * there is nothing yet.
   */
  #settle(): boolean {
    if (this.#bytes > 0) this.#takeCallbacks()?.onChunk(this.#joinUnread())
    else if (!this.#over) return false
    else if (this.#failure) this.#takeCallbacks()?.onError(this.#failure.error)
    else this.#takeCallbacks()?.onChunk(undefined)
    return true
  }

  #takeCallbacks(): ChunkCallbacks | undefined {
    const callbacks = this.#callbacks
    this.#callbacks = undefined
    return callbacks
  }

  #joinUnread(): Uint8Array {
    const [first] = this.#unread
    const all = first && this.#unread.length === 1 ? first : Buffer.concat(this.#unread)
    this.#unread = []
    this.#bytes = 0
    return all
  }

  #end(): void {
    this.#over = true
    this.#onSent()
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  #abort(reason: Error): void {
    if (this.#over) return
    this.#cancelled ??= { reason }
    this.#reject(reason)
    this.#controller?.abort(reason)
    this.#onSent()
  }

  readonly #onAbort = (): void => {
    this.#abort(this.#signal?.reason as Error)
  }
}
