import { isLlmError, LlmError, type PartialReply, ProviderError } from '@modelport/core'
import { type ByteSource, type ChunkCallbacks, toByteSource } from './byte-source.js'
import { callObserver } from './call-observer.js'
import type { CallContext } from './call-context.js'
import type { Decoder, Driver, Turn } from './driver.js'
import type { Framer } from './framer.js'
import { createFramer } from './framing.js'
import { createGuardedFetch, type RequestTarget } from './guarded-fetch.js'
import { clipStrings, nameFailure } from './http-failure.js'
import { IdleWatch } from './idle-watch.js'
import { JsonBodyFramer } from './json-body.js'
import { checkJsonValues } from './json-values.js'
import { graceMs, maxErrorBytes } from './limits.js'
import { sanitizeError } from './sanitize.js'
import type { StreamObserver } from './stream-observer.js'
import { InBandError, TurnRecorder } from './turn-recorder.js'

/** One turn on the wire: sends, reads, decodes, and retries until the first delta of the reply. */
export class Exchange {
  /** True once the body was read to its end and the reply is whole. */
  ended = false
  recorder: TurnRecorder
  readonly #context: CallContext
  readonly #driver: Driver
  readonly #turn: Turn
  readonly #observer: StreamObserver
  readonly #request: unknown
  #controller = new AbortController()
  #source: ByteSource | undefined
  #framer: Framer | undefined
  #decoder: Decoder | undefined
  #idle: IdleWatch | undefined
  #headers = new Headers()
  #bytes = 0
  #target: Partial<RequestTarget> = {}
  #failure: LlmError | undefined
  #interrupt: ((error: unknown) => void) | undefined
  readonly #stopListening: () => void
  readonly #chunkCallbacks: ChunkCallbacks = {
    onChunk: (chunk) => {
      this.#receive(chunk)
    },
    onError: (error) => {
      this.#receive(undefined, { error })
    },
  }

  constructor(context: CallContext, turn: Turn, observer: StreamObserver) {
    this.#context = context
    this.#driver = context.driver
    this.#turn = turn
    this.#observer = observer
    this.#request = context.driver.request(turn)
    this.recorder = this.#newRecorder()
    this.#stopListening = context.scope.onEnd(() => {
      this.#abandon()
    })
  }

  /** Sends until there is a response. Rejects typed. */
  async open(): Promise<void> {
    const { scope } = this.#context
    for (;;) {
      scope.throwIfEnded()
      try {
        await this.#attempt()
        return
      } catch (error) {
        await this.#recover(error)
      }
    }
  }

  /**
   * Reads one chunk of the body and decodes it, synchronously if it is there already. Uses no promise: it runs once per event.
   * @throws the reason, if the call ended between two reads.
   */
  advance(): void {
    this.#context.scope.throwIfEnded()
    this.#idle?.start()
    try {
      this.#source?.pull(this.#chunkCallbacks)
    } catch (error) {
      // A body that throws instead of calling back.
      this.#chunkCallbacks.onError(error)
    }
  }

  #receive(chunk: Uint8Array | undefined, cut?: { readonly error: unknown }): void {
    const { pieces: before, terminated } = this.recorder
    try {
      if (cut && !this.recorder.finished) throw this.#failure ?? this.#truncated(cut.error)
      this.#context.scope.throwIfEnded()
      // A reset or a silence after the terminal event takes nothing away.
      if (this.#failure && !this.recorder.finished) throw this.#failure
      if (chunk) this.#decode(chunk)
      else this.#finish()
      this.#idle?.stop(this.recorder.pieces > before)
      if (this.recorder.terminated && !terminated) this.#idle?.endWithin(graceMs)
    } catch (error) {
      this.#reopen(error).then(
        () => {
          this.#observer.onStep(true)
        },
        (failure: unknown) => {
          this.#observer.onError(failure)
        },
      )
      return
    }
    this.#observer.onStep(true)
  }

  async #reopen(error: unknown): Promise<void> {
    await this.#recover(error)
    await this.open()
  }

  /** What has arrived of the turn; undefined before the first byte. */
  partial(): PartialReply | undefined {
    return this.#bytes > 0 ? this.recorder.partial(this.#bytes) : undefined
  }

  /** Drops the connection and frees every timer. */
  #abandon(): void {
    if (this.ended) return
    this.#idle?.end()
    this.#source?.cancel()
    this.#source = undefined
    this.#controller.abort()
    this.#interrupt?.(this.#failure ?? this.#context.scope.reason)
  }

  async #attempt(): Promise<void> {
    const { retries, clock, timeouts } = this.#context
    this.#controller = new AbortController()
    this.#failure = undefined
    this.#bytes = 0
    this.recorder = this.#newRecorder()
    retries.attempts++
    const headersMs = timeouts.headersMs ?? (this.#turn.stream ? 120_000 : 600_000)
    const cancel = clock.after(headersMs, () => {
      this.#expire('headers', `no response for ${headersMs} ms`)
    })
    try {
      this.#begin(await this.#interruptible(this.#send(cancel)))
    } catch (error) {
      // Set by callbacks, which the compiler cannot see.
      throw (this.#failure as LlmError | undefined) ?? error
    } finally {
      cancel()
    }
  }

  /** Settles with the response, or at once when the call ends or a clock runs out: a transport may ignore its signal. */
  #interruptible(sending: Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      let late = false
      this.#interrupt = (error) => {
        late = true
        reject(error)
      }
      sending.then((response) => {
        if (late) toByteSource(response).cancel()
        else resolve(response)
      }, reject)
    })
  }

  async #send(responded: () => void): Promise<Response> {
    const { headers, idempotencyKey, fetch, allowedHosts } = this.#context
    const guarded = createGuardedFetch({
      provider: this.#driver.name,
      fetch,
      signal: this.#controller.signal,
      allowedHosts,
      clock: this.#context.clock,
      error: (failure) => nameFailure(this.#driver, failure),
      responded,
      failed: (error) => {
        this.#failure ??= error
      },
      contacted: (target) => {
        this.#target = target
      },
    })
    const io = { fetch: guarded, signal: this.#controller.signal, headers, idempotencyKey, stream: this.#turn.stream }
    return this.#driver.send(this.#request, io)
  }

  #begin(response: Response): void {
    const { config, clock, timeouts, limits } = this.#context
    this.#headers = response.headers
    this.#source = toByteSource(response)
    const decoder = this.#driver.decoder(this.recorder, this.#turn)
    this.#decoder = decoder
    this.#framer = createFramer(
      {
        framing: this.#driver.framing,
        stream: this.#turn.stream,
        contentType: response.headers.get('content-type') ?? '',
        maxEventBytes: limits.maxEventBytes,
      },
      (record) => {
        checkJsonValues(record.data, limits.maxJsonValues)
        decoder.push(record)
      },
    )
    this.#idle = new IdleWatch(clock, timeouts, (silence) => {
      this.#expire('idle', silence)
    })
    callObserver(() => config.onResponse?.({ status: response.status, headers: response.headers }))
  }

  #decode(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    const { maxBodyBytes } = this.#context.limits
    if (this.#bytes > maxBodyBytes)
      throw new LlmError('limit-exceeded', `the body is longer than ${maxBodyBytes} bytes`)
    this.#framer?.push(chunk)
  }

  #finish(): void {
    const whole = this.recorder.finished
    try {
      this.#framer?.end()
      this.recorder.holdToolCalls()
      this.#decoder?.end?.()
    } catch (error) {
      // A message cut short is not a malformed one; after the terminal event it takes nothing away.
      if (!isLlmError(error, 'protocol') || !(whole || this.#framer?.cut)) throw error
      if (!whole) throw this.#truncated(error)
    }
    if (!this.recorder.finished) {
      if (this.#framer instanceof JsonBodyFramer && this.#bytes > 0) throw this.#unknownJson()
      if (!this.#context.config.lenientEof || !this.recorder.committed) throw this.#truncated(undefined)
      this.recorder.finish('unknown')
    }
    this.recorder.complete()
    this.ended = true
    this.#context.retries.succeeded()
    this.#stopListening()
    this.#idle?.end()
    // The body is read: aborting would cost an exception for nothing.
    this.#source = undefined
  }

  #unknownJson(): LlmError {
    return new LlmError('protocol', 'the server returned JSON that this API does not define; check the base URL')
  }

  #truncated(cause: unknown): LlmError {
    return new LlmError(
      'truncated',
      `the connection ended before the reply did (${this.#bytes} bytes read)`,
      cause === undefined ? undefined : { cause },
    )
  }

  #expire(reason: 'headers' | 'idle', message: string): void {
    const error = new ProviderError('timeout', message, { provider: this.#driver.name, reason })
    this.#failure ??= error
    this.#source?.cancel()
    this.#controller.abort(error)
    this.#interrupt?.(error)
  }

  /** Waits until the next attempt, or throws the error that the caller sees if there is none. */
  async #recover(thrown: unknown): Promise<void> {
    const { scope, retries, redact } = this.#context
    this.#abandon()
    scope.throwIfEnded()
    const error = thrown instanceof InBandError ? this.#inBand(thrown) : thrown
    const delay = this.recorder.committed ? undefined : retries.delayAfter(error, scope.remainingMs)
    if (delay === undefined) {
      throw sanitizeError(error, this.#driver.name, redact, {
        attempts: retries.attempts,
        ...this.#target,
        partial: this.partial(),
      })
    }
    const { onRetry } = this.#turn.options.retry ?? {}
    onRetry?.({ attempt: retries.attempts, delayMs: delay, error: sanitizeError(error, this.#driver.name, redact) })
    await scope.sleep(delay)
  }

  #inBand({ failure }: InBandError): ProviderError {
    const body = clipStrings(failure.body)
    const text = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, maxErrorBytes)
    const status = failure.status ?? 200
    return nameFailure(this.#driver, { status, headers: this.#headers, body, text, inBand: true })
  }

  #newRecorder(): TurnRecorder {
    return new TurnRecorder(this.#observer.onEvent, this.#context.limits, this.#context.usedIds, this.#turn.model)
  }
}
