import { isLlmError, LlmError, type PartialReply } from '@modelport/core'
import type { ChunkCallbacks } from '../base/byte-source.js'
import { contentTypeOf } from '../base/content-type.js'
import type { Decoder, Driver, Turn } from '../base/driver.js'
import { checkJsonValues } from '../base/json-values.js'
import { type CallContext, reportResponse } from '../call/call-context.js'
import { nameInBand } from '../failure/in-band.js'
import { truncatedError } from '../failure/truncated-error.js'
import type { Framer } from '../framing/framer.js'
import { createFramer } from '../framing/framing.js'
import { JsonBodyFramer } from '../framing/json-body.js'
import { TurnRecorder } from '../turn/turn-recorder.js'
import { buildRequest } from '../turn/vendor-fields.js'
import { Attempts, type ResponseReader } from './attempts.js'
import { ResponseBody } from './response-body.js'
import type { StreamObserver } from './stream-observer.js'

/**
 * One turn on the wire: has the request sent, reads the response, frames and decodes it. A failure
 * before the first delta of the reply is retried; a later one is final, since the caller has seen a
 * part of the reply.
 */
export class Exchange implements ResponseReader {
  /** True once the body was read to its end and the reply is whole. */
  ended = false
  /** The part of the reply that has arrived; a new one for each attempt. */
  recorder: TurnRecorder
  readonly #context: CallContext<Driver>
  readonly #driver: Driver
  /** The requested content. */
  readonly turn: Turn
  readonly #observer: StreamObserver
  readonly #attempts: Attempts
  readonly #warnings: readonly string[]
  #body: ResponseBody | undefined
  #framer: Framer | undefined
  #decoder: Decoder | undefined
  #response: Response | undefined
  readonly #chunkCallbacks: ChunkCallbacks = {
    onChunk: (chunk) => {
      this.#receive(chunk)
    },
    onError: (error) => {
      this.#receive(undefined, { error })
    },
  }

  constructor(context: CallContext<Driver>, turn: Turn, observer: StreamObserver) {
    const { driver } = context
    this.#context = context
    this.#driver = driver
    this.turn = turn
    this.#observer = observer
    const { request, warnings } = buildRequest(driver, turn)
    this.#warnings = warnings
    this.recorder = this.#newRecorder()
    const { onRetry } = turn.options.retry ?? {}
    this.#attempts = new Attempts(context, { driver, request, stream: turn.stream, onRetry }, this)
  }

  /** Sends until there is a response. Rejects typed. */
  open(): Promise<void> {
    return this.#attempts.run((response) => {
      this.#begin(response)
    })
  }

  /**
   * Reads one chunk of the body and decodes it, synchronously if it is there already. Uses no
   * promise: it runs once per event.
   * @throws the reason, if the call ended between two reads.
   */
  advance(): void {
    this.#context.scope.throwIfEnded()
    this.#body?.pull(this.#chunkCallbacks)
  }

  get committed(): boolean {
    return this.recorder.committed
  }

  partial(): PartialReply | undefined {
    return this.#bytes > 0 ? this.recorder.partial(this.#bytes) : undefined
  }

  restart(): void {
    if (!this.#body) return
    this.#body = undefined
    this.recorder = this.#newRecorder()
  }

  release(): void {
    if (!this.ended) this.#body?.cancel()
  }

  get #bytes(): number {
    return this.#body?.bytes ?? 0
  }

  /**
   * Takes the result of one pull: a chunk, the end (neither argument), or `cut`, the failure that
   * ended the body early.
   */
  #receive(chunk: Uint8Array | undefined, cut?: { readonly error: unknown }): void {
    const { deltas: deltasBefore, terminated } = this.recorder
    const { failure } = this.#attempts
    try {
      if (cut && !this.recorder.finished) throw failure ?? truncatedError(this.#bytes, cut.error)
      this.#context.scope.throwIfEnded()
      // Once the reply is whole, a reset or a silence does not matter.
      if (failure && !this.recorder.finished) throw failure
      if (chunk) this.#decode(chunk)
      else this.#finish()
      this.#body?.processed(this.recorder.deltas > deltasBefore)
      if (this.recorder.terminated && !terminated) this.#body?.awaitEnd()
    } catch (error) {
      this.#reopen(error).then(
        () => {
          this.#observer.onStep(true)
        },
        (thrown: unknown) => {
          this.#observer.onError(thrown)
        },
      )
      return
    }
    this.#observer.onStep(true)
  }

  /**
   * Sends the request again after a failure, unless the failure is final: then it rejects with it.
   */
  async #reopen(error: unknown): Promise<void> {
    await this.#attempts.recover(
      nameInBand(this.#driver, this.#response?.headers ?? new Headers(), error),
    )
    await this.open()
  }

  #begin(response: Response): void {
    const { limits } = this.#context
    this.#response = response
    this.#body = new ResponseBody(response, this.#context, (silence) => {
      this.#attempts.expire('idle', silence)
    })
    for (const warning of this.#warnings) this.recorder.warning(warning)
    const decoder = this.#driver.decoder(this.recorder, this.turn)
    this.#decoder = decoder
    const isJson = this.#driver.framing !== 'lines'
    this.#framer = createFramer(
      {
        framing: this.#driver.framing,
        stream: this.turn.stream,
        contentType: contentTypeOf(response),
        maxEventBytes: limits.maxEventBytes,
      },
      (record) => {
        if (isJson) checkJsonValues(record.data, limits.maxJsonValues)
        decoder.push(record)
      },
    )
    reportResponse(this.#context, response)
  }

  #decode(chunk: Uint8Array): void {
    this.#body?.count(chunk)
    this.#framer?.push(chunk)
  }

  #finish(): void {
    const whole = this.recorder.finished
    try {
      this.#framer?.end()
      this.recorder.holdToolCalls()
      this.#decoder?.end?.()
    } catch (error) {
      // A record that the end of the body cuts is not malformed. Once the reply is whole, neither
      // matters.
      if (!isLlmError(error, 'protocol') || !(whole || this.#framer?.cut)) throw error
      if (!whole) throw truncatedError(this.#bytes, error)
    }
    if (!this.recorder.finished) {
      const json = this.#framer instanceof JsonBodyFramer && this.#driver.framing !== 'lines'
      if (json && this.#bytes > 0) throw unknownJson()
      if (!this.#context.config.lenientEof || !this.recorder.committed)
        throw truncatedError(this.#bytes)
      this.recorder.finish('unknown')
    }
    this.recorder.complete()
    this.ended = true
    this.#attempts.succeeded()
    this.#body?.end()
  }

  #newRecorder(): TurnRecorder {
    return new TurnRecorder(
      this.#observer.onEvent,
      this.#context.limits,
      this.#context.usedIds,
      this.turn.model,
    )
  }
}

const unknownJson = (): LlmError =>
  new LlmError(
    'protocol',
    'the server returned JSON that this API does not define; check the base URL',
  )
