import { AgentError } from '@modelport/agent'
import { longestTimer } from '@modelport/core'
import { checkRanges, checkSettings, namesOf } from '@modelport/core/settings'
import { EventStream, type ServerSentEvent } from './event-stream.js'
import type { PlainReply } from './reply.js'

/** How streams are kept. */
export interface EventStreamOptions {
  /** Milliseconds between comments that keep idle connections open. Default 15,000. */
  readonly keepAliveMs?: number
  /** Milliseconds after which an idle reader is dropped. Default 60,000. */
  readonly stallMs?: number
  /** Maximum open streams. Default 100,000. */
  readonly maxStreams?: number
}

/**
 * The open event streams of a server: one timer keeps all of them alive and drops readers that
 * stall.
 */
export class EventStreams {
  readonly #open = new Set<EventStream>()
  readonly #options: Required<EventStreamOptions>
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(options: EventStreamOptions = {}) {
    checkSettings(
      'createAgentServer: streams',
      options,
      namesOf<EventStreamOptions>({ keepAliveMs: true, stallMs: true, maxStreams: true }),
    )
    checkRanges(options, [['keepAliveMs', 1, longestTimer]], 'streams.')
    for (const name of ['stallMs', 'maxStreams'] as const)
      checkRanges(options, [[name, 1, Infinity]], 'streams.')
    const { keepAliveMs = 15_000, stallMs = 60_000, maxStreams = 100_000 } = options
    this.#options = { keepAliveMs, stallMs, maxStreams }
  }

  /** How many streams are open. */
  get size(): number {
    return this.#open.size
  }

  /**
   * A reply that streams events as they are read. Closing it ends the source.
   * @throws {AgentError} `busy` — too many are open
   */
  respond(
    source: AsyncIterator<ServerSentEvent>,
    headers: Readonly<Record<string, string>> = {},
  ): PlainReply {
    if (this.#open.size >= this.#options.maxStreams)
      throw new AgentError('busy', 'The server has too many open streams', { retryAfterMs: 1_000 })
    this.#timer ??= this.#start()
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...headers,
      },
      body: new EventStream(source, this.#open),
    }
  }

  /** Ends every stream. */
  close(): void {
    this.#stop()
    for (const entry of this.#open) entry.drop()
    this.#open.clear()
  }

  #start(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => this.#sweep(), this.#options.keepAliveMs)
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    return timer
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const now = Date.now()
    for (const entry of this.#open) {
      const isStalled =
        entry.waitingSince !== undefined && now - entry.waitingSince > this.#options.stallMs
      if (isStalled) {
        this.#open.delete(entry)
        entry.drop()
      } else entry.keepAlive()
    }
    if (!this.#open.size) this.#stop()
  }
}
