import { configError, type ErrorCode, isLlmError, isObject, LlmError } from '@modelport/core'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { streamOf, toSseResponse } from './sse-response.js'

/** The part of an error that a client may see. */
export interface ClientError {
  /** The code of the error, for programs. */
  readonly code: string
  /** What went wrong, for people. */
  readonly message: string
}

/** How events are sent. */
export interface ToResponseOptions extends ResponseInit {
  /**
   * The last event that the client has, from its header `last-event-id`: events up to it are not
   * sent again. The source must then give all events from the first, as an {@link EventLog} does. A
   * whole number; anything else is refused with `invalid-request`, before a response is made.
   * Default 0.
   */
  readonly after?: number | undefined
  /**
   * Writes an error for the client. Default: the code of a typed error and its message, and nothing
   * of any other.
   */
  readonly onError?: ((error: unknown) => ClientError) | undefined
}

/**
 * Sends the events of any reader to a browser as server-sent events: each with its number, then
 * `end` or `error`. A client that loses the connection asks for the rest with the number of its
 * last event. Cancelling the body closes the reader.
 */
export function toResponse(
  events: AsyncIterable<unknown>,
  options: ToResponseOptions = {},
): Response {
  const { after = 0, onError = describeError, ...init } = options
  if (!Number.isSafeInteger(after) || after < 0)
    throw new LlmError(
      'invalid-request',
      `toResponse: after must be a whole number of at least 0, not ${after}; it is the header last-event-id of the client`,
    )
  return toSseResponse(streamOf(recordsOf(events, after, onError)), {}, init)
}

async function* recordsOf(
  events: AsyncIterable<unknown>,
  after: number,
  onError: NonNullable<ToResponseOptions['onError']>,
): AsyncGenerator<string, void> {
  let number = 0
  try {
    for await (const event of events) if (++number > after) yield toRecord(number, 'message', event)
    yield toRecord(number + 1, 'end', null)
  } catch (error) {
    yield toRecord(number + 1, 'error', onError(error))
  }
}

const toRecord = (id: number, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${(JSON.stringify(data) as string | undefined) ?? 'null'}\n\n`

const describeError = (error: unknown): { code: string; message: string } =>
  isLlmError(error)
    ? { code: error.code, message: error.message }
    : { code: 'unknown', message: 'the stream failed' }

/** How events are received. */
export interface FromResponseOptions {
  /**
   * Asks for the events after this one, when the connection is lost. Default: a lost connection
   * rejects with `truncated`.
   */
  readonly resume?: ((after: number) => Promise<Response>) | undefined
  /** Maximum times in a row that the connection is asked for without a new event. Default 5. */
  readonly maxResumes?: number | undefined
  /** Milliseconds before the second attempt in a row; doubled for each further one. Default 500. */
  readonly delayMs?: number | undefined
}

/**
 * Reads the events of {@link toResponse} in a browser or anywhere else. Each event is given once,
 * also if the connection is lost in between.
 * @throws {LlmError} `truncated` — the connection was lost and could not be resumed; `protocol` —
 * the response is not one of `toResponse`; any other code that the server sent.
 */
export async function* fromResponse<Event = unknown>(
  response: Response,
  options: FromResponseOptions = {},
): AsyncGenerator<Event, void> {
  const { resume, maxResumes = 5, delayMs = 500 } = options
  let current = response
  let last = 0
  for (let failures = 0; ; failures++) {
    try {
      for await (const { id, event, data } of readRecords(current)) {
        if (id <= last) continue
        if (event === 'end') return
        if (event === 'error') throw toError(data)
        last = id
        failures = -1
        yield data as Event
      }
    } catch (error) {
      if (isLlmError(error) || !resume) throw isLlmError(error) ? error : truncated(error)
    }
    if (!resume || failures >= maxResumes) throw truncated(undefined)
    if (failures > 0)
      await new Promise((resolve) => setTimeout(resolve, delayMs * 2 ** (failures - 1)))
    current = await resume(last).catch(() => new Response(null, { status: 503 }))
  }
}

const truncated = (cause: unknown): LlmError =>
  new LlmError('truncated', 'the connection to the server was lost before the last event', {
    cause,
  })

/** Maximum characters of one event. */
const longestEvent = 16 * 2 ** 20

interface Received {
  readonly id: number
  readonly event: string
  readonly data: unknown
}

async function* readRecords(response: Response): AsyncGenerator<Received, void> {
  if (response.status >= 500) return
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !response.body || !type.startsWith('text/event-stream'))
    throw new LlmError(
      'protocol',
      `fromResponse: expected a response of toResponse, not status ${response.status} with ${type || 'no type'}`,
    )
  const records = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
    new EventSourceParserStream({
      maxBufferSize: longestEvent,
      onError: (error) => {
        if ('type' in error && error.type === 'max-buffer-size-exceeded')
          throw new LlmError(
            'limit-exceeded',
            `fromResponse: an event has more than ${longestEvent} characters`,
          )
      },
    }),
  )
  const reader = records.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { id, event = 'message', data } = read.value
      yield { id: Number(id), event, data: parse(data) }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch (error) {
    throw new LlmError('protocol', 'fromResponse: an event is not JSON', { cause: error })
  }
}

function toError(data: unknown): LlmError {
  const { code, message } = isObject(data) ? data : {}
  return new LlmError(
    (typeof code === 'string' ? code : 'unknown') as ErrorCode,
    typeof message === 'string' ? message : 'the stream failed',
  )
}

/** The memory that an event takes besides its text. */
const eventOverhead = 100

/**
 * Keeps the events of a live reader, so that clients can come, go and return: each reads all of
 * them from the first.
 */
export class EventLog<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = []
  readonly #source: AsyncIterator<Event>
  readonly #maxCharacters: number
  #characters = 0
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void)[] = []

  /**
   * Starts to read at once, at full speed.
   * @param options `maxCharacters`: most characters of all events as JSON, 32 Mi by default. A log
   * that is full closes its source, and its readers end with `limit-exceeded`.
   */
  constructor(
    source: AsyncIterable<Event>,
    options: { readonly maxCharacters?: number | undefined } = {},
  ) {
    const { maxCharacters = 32 * 1024 * 1024 } = options
    if (!(maxCharacters >= 1))
      throw configError(`EventLog: maxCharacters must be at least 1, not ${maxCharacters}`)
    this.#source = source[Symbol.asyncIterator]()
    this.#maxCharacters = maxCharacters
    void this.#read()
  }

  /** All events from the first, then those to come, until the source ends. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (let at = 0; ; at++) {
      while (at >= this.#events.length && !this.#end)
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      if (at < this.#events.length) yield this.#events[at] as Event
      else if (this.#end && 'error' in this.#end) throw this.#end.error
      else return
    }
  }

  /** Closes the source, and ends the readers after the events so far. */
  async close(): Promise<void> {
    this.#finish({})
    await this.#source.return?.()
  }

  async #read(): Promise<void> {
    try {
      for (let read = await this.#source.next(); !read.done; read = await this.#source.next()) {
        if (this.#end) return
        this.#characters +=
          ((JSON.stringify(read.value) as string | undefined) ?? '').length + eventOverhead
        if (this.#characters > this.#maxCharacters) {
          this.#finish({ error: tooLong(this.#maxCharacters) })
          await this.#source.return?.()
          return
        }
        this.#events.push(read.value)
        this.#notify()
      }
      this.#finish({})
    } catch (error) {
      this.#finish({ error })
    }
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end
    this.#notify()
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

const tooLong = (most: number): LlmError =>
  new LlmError(
    'limit-exceeded',
    `EventLog: the events have more than ${most} characters; raise maxCharacters`,
  )
