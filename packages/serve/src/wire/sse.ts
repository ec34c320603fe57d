/** One event of a stream. */
export interface ServerSentEvent {
  /** Text without line ends. */
  readonly data: string
  /** Name of the event. Unset: `message`. */
  readonly event?: string
  /** What a reader sends as `Last-Event-ID` to continue behind this event. */
  readonly id?: string
}

/** How streams are kept. */
export interface StreamOptions {
  /** Milliseconds between comments that keep idle connections open. Default 15,000. */
  readonly keepAliveMs?: number
  /** Milliseconds after which a reader that does not read is dropped. Default 60,000. */
  readonly stallMs?: number
  /** Maximum open streams. Default 100,000. */
  readonly maxStreams?: number
}

interface Open {
  waitingSince: number | undefined
  keepAlive(): void
  drop(): void
}

const encoder = new TextEncoder()
const comment = encoder.encode(': keep-alive\n\n')

/** The open event streams of a server: one timer keeps all of them alive and drops readers that stall. */
export class EventStreams {
  readonly #open = new Set<Open>()
  readonly #options: Required<StreamOptions>
  #timer: ReturnType<typeof setInterval> | undefined

  constructor({ keepAliveMs = 15_000, stallMs = 60_000, maxStreams = 100_000 }: StreamOptions = {}) {
    this.#options = { keepAliveMs, stallMs, maxStreams }
  }

  /** How many streams are open. */
  get size(): number {
    return this.#open.size
  }

  /** True if another stream may be opened. */
  get hasRoom(): boolean {
    return this.#open.size < this.#options.maxStreams
  }

  /** A response that streams events as they are read; nothing is buffered beyond one event. Closing it ends the source. */
  respond(source: AsyncIterator<ServerSentEvent>, headers: Readonly<Record<string, string>> = {}): Response {
    let entry: Open | undefined
    const finish = () => {
      if (entry) this.#open.delete(entry)
      if (!this.#open.size) this.#stop()
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          entry = {
            waitingSince: undefined,
            keepAlive: () => {
              if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment)
            },
            drop: () => {
              controller.error(new Error('the reader stalled'))
              void source.return?.()
            },
          }
          this.#open.add(entry)
          this.#timer ??= this.#start()
        },
        pull: async (controller) => {
          if (entry) entry.waitingSince = undefined
          const next = await source.next().catch((error: unknown) => {
            finish()
            throw error
          })
          if (next.done) {
            finish()
            controller.close()
            return
          }
          controller.enqueue(encoder.encode(toText(next.value)))
          if (entry) entry.waitingSince = Date.now()
        },
        cancel: async () => {
          finish()
          await source.return?.()
        },
      },
      { highWaterMark: 1 },
    )
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...headers,
      },
    })
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
      const isStalled = entry.waitingSince !== undefined && now - entry.waitingSince > this.#options.stallMs
      if (isStalled) {
        this.#open.delete(entry)
        entry.drop()
      } else entry.keepAlive()
    }
    if (!this.#open.size) this.#stop()
  }
}

const toText = ({ data, event, id }: ServerSentEvent): string =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
