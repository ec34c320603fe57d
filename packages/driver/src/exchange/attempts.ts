import { type LlmError, type PartialReply, ProviderError, type RetryOptions } from '@modelport/core'
import { toByteSource } from '../base/byte-source.js'
import type { Driver } from '../base/driver.js'
import { type CallContext, reportResponse } from '../call/call-context.js'
import { sanitizeError } from '../call/sanitize.js'
import { nameFailure } from '../failure/http-failure.js'
import { createGuardedFetch, type RequestTarget } from '../transport/guarded-fetch.js'

/** The content and the way of sending. */
export interface Sending {
  readonly driver: Pick<Driver, 'name' | 'send' | 'error'>
  readonly request: unknown
  readonly stream: boolean
  readonly onRetry: RetryOptions['onRetry']
  /** What an upload has sent so far, and which failures are its last. */
  readonly upload?: { readonly taken: number; isFinal(error: unknown): boolean } | undefined
}

/** The caller's side of an attempt: it reads the response. */
export interface ResponseReader {
  /** True once the caller has seen a part of the reply: a retry would repeat it. */
  readonly committed: boolean
  /** The part that has arrived; undefined before the first byte. */
  partial(): PartialReply | undefined
  /** An attempt starts: forgets what the one before has read. */
  restart(): void
  /** Drops the response with its connection and timers. Called at the end of the call too. */
  release(): void
}

/**
 * The attempts of one request: sends it, waits for the response and retries failures. A successful
 * response is left for the caller to read.
 */
export class Attempts {
  readonly #context: CallContext
  readonly #sending: Sending
  readonly #reader: ResponseReader
  #controller: AbortController | undefined
  #failure: LlmError | undefined
  #target: Partial<RequestTarget> = {}
  #interrupt: ((error: unknown) => void) | undefined
  readonly #stopListening: () => void

  constructor(context: CallContext, sending: Sending, reader: ResponseReader) {
    this.#context = context
    this.#sending = sending
    this.#reader = reader
    this.#stopListening = context.scope.onEnd(() => {
      this.#abandon()
    })
  }

  /**
   * Why the current attempt has failed, if a clock ran out or `send` got a failure that an SDK may
   * wrap.
   */
  get failure(): LlmError | undefined {
    return this.#failure
  }

  /**
   * Sends until `take` has accepted a response; an error of `take` fails the attempt. Rejects with
   * the error that the caller sees.
   */
  async run(take: (response: Response) => void | Promise<void>): Promise<void> {
    for (;;) {
      this.#context.scope.throwIfEnded()
      try {
        await this.#attempt(take)
        return
      } catch (error) {
        await this.recover(error)
      }
    }
  }

  /**
   * Waits until the next attempt may start, or throws the error that the caller sees if there is
   * none.
   */
  async recover(error: unknown): Promise<void> {
    const { scope, retries, redact } = this.#context
    const { driver, upload } = this.#sending
    const { name } = driver
    this.#abandon()
    scope.throwIfEnded()
    const isFinal = this.#reader.committed || upload?.isFinal(error)
    const delayMs = isFinal ? undefined : retries.delayAfter(error, scope.remainingMs)
    if (delayMs === undefined) {
      throw sanitizeError(error, name, redact, {
        attempts: retries.attempts,
        ...this.#target,
        partial: this.#reader.partial(),
      })
    }
    const notice = {
      attempt: retries.attempts,
      delayMs,
      error: sanitizeError(error, name, redact),
    }
    const noticed = this.#sending.onRetry?.(notice)
    if (noticed instanceof Promise) {
      await noticed
      scope.throwIfEnded()
    }
    await scope.sleep(delayMs)
  }

  /** Fails the current attempt because a clock ran out. */
  expire(reason: 'headers' | 'idle', message: string): void {
    const error = new ProviderError('timeout', message, {
      provider: this.#sending.driver.name,
      reason,
    })
    this.#failure ??= error
    this.#reader.release()
    this.#controller?.abort(error)
    this.#reject(error)
  }

  /**
   * The response was read to its end. Nothing is aborted: that would cost an exception for nothing.
   */
  succeeded(): void {
    this.#context.retries.succeeded()
    this.#stopListening()
  }

  async #attempt(take: (response: Response) => void | Promise<void>): Promise<void> {
    const { retries, clock, timeouts } = this.#context
    const { signal } = (this.#controller = new AbortController())
    this.#failure = undefined
    this.#reader.restart()
    retries.attempts++
    const { stream, upload } = this.#sending
    const headersMs = timeouts.headersMs ?? (stream ? 120_000 : 600_000)
    let cancel = (): void => undefined
    const wait = (bytesBefore?: number): void => {
      cancel = clock.after(headersMs, () => {
        // An upload whose bytes are still taken has time.
        if (upload?.taken === bytesBefore) this.expire('headers', `no response for ${headersMs} ms`)
        else wait(upload?.taken)
      })
    }
    wait(upload?.taken)
    try {
      await this.#interruptible(this.#send(signal, upload ? () => undefined : cancel), take)
    } catch (error) {
      // Set by callbacks, which the compiler cannot see.
      throw (this.#failure as LlmError | undefined) ?? error
    } finally {
      cancel()
    }
  }

  /**
   * Settles when the response was taken, or at once when the call ends or a clock runs out: a
   * transport may ignore its signal.
   */
  #interruptible(
    sending: Promise<Response>,
    take: (response: Response) => void | Promise<void>,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      // Not a closure over this scope: stored here, one made the garbage collector keep most of the
      // call until a full collection.
      this.#interrupt = reject
      const result = sending.then((response) => {
        if (this.#interrupt === reject) return take(response)
        toByteSource(response).cancel()
      })
      result.then(resolve, reject)
    })
  }

  #send(signal: AbortSignal, responded: () => void): Promise<Response> {
    const { headers, idempotencyKey, fetch, allowedHosts, clock } = this.#context
    const { driver, request, stream } = this.#sending
    const guarded = createGuardedFetch({
      provider: driver.name,
      fetch,
      signal,
      allowedHosts,
      clock,
      error: (failure) => {
        reportResponse(this.#context, failure)
        return nameFailure(driver, failure)
      },
      responded,
      failed: (error) => {
        this.#failure ??= error
      },
      contacted: (target) => {
        this.#target = target
      },
    })
    return driver.send(request, { fetch: guarded, signal, headers, idempotencyKey, stream })
  }

  /** Drops the connection, frees every timer, and settles what waits for the response. */
  #abandon(): void {
    this.#reader.release()
    this.#controller?.abort()
    this.#reject(this.#failure ?? this.#context.scope.reason)
  }

  /** Rejects what waits for the response, which is dropped if it still comes. */
  #reject(error: unknown): void {
    this.#interrupt?.(error)
    this.#interrupt = undefined
  }
}
