/** One event of a stream. */
export interface ServerSentEvent {
  /** Text without line ends. */
  readonly data: string
  /** Name of the event. Unset: `message`. */
  readonly event?: string
  /** What a reader sends as `Last-Event-ID` to continue behind this event. */
  readonly id?: string
}

/** Where the texts of a stream go. */
export interface EventSink {
  /** Sends a comment that keeps the connection open, if the reader reads. */
  keepAlive(comment: string): void
  /** Ends the connection of a reader that stalled. */
  drop(error: Error): void
}

const comment = ': keep-alive\n\n'

const toText = ({ data, event, id }: ServerSentEvent): string =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`

/** The texts of one stream, read one by one. It counts as open from `attach` to its end. */
export class EventStream implements AsyncIterator<string, undefined> {
  readonly #source: AsyncIterator<ServerSentEvent>
  readonly #open: Set<EventStream>
  #sink: EventSink | undefined
  /** When the last text was taken; unset while the source is asked for one. */
  waitingSince: number | undefined

  constructor(source: AsyncIterator<ServerSentEvent>, open: Set<EventStream>) {
    this.#source = source
    this.#open = open
  }

  /** Says where the texts go. */
  attach(sink: EventSink): void {
    this.#sink = sink
    this.#open.add(this)
  }

  /** Gives the text of the next event. */
  async next(): Promise<IteratorResult<string, undefined>> {
    this.waitingSince = undefined
    try {
      const next = await this.#source.next()
      if (!next.done) {
        this.waitingSince = Date.now()
        return { done: false, value: toText(next.value) }
      }
    } catch (error) {
      this.#open.delete(this)
      throw error
    }
    this.#open.delete(this)
    return { done: true, value: undefined }
  }

  /** Ends the source. */
  async return(): Promise<IteratorResult<string, undefined>> {
    this.#open.delete(this)
    await this.#source.return?.()
    return { done: true, value: undefined }
  }

  /** Sends a comment, so that an idle connection stays open. */
  keepAlive(): void {
    this.#sink?.keepAlive(comment)
  }

  /** Ends the source, and the connection with an error. */
  drop(): void {
    this.#sink?.drop(new Error('the reader stalled'))
    void this.return()
  }
}

/**
 * A stream for a Web standard response; nothing is buffered beyond one event.
 * @param onLeave called when its reader leaves or is dropped
 */
export function toReadable(events: EventStream, onLeave?: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        events.attach({
          keepAlive: (text) => {
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text))
          },
          drop: (error) => {
            onLeave?.()
            controller.error(error)
          },
        }),
      pull: async (controller) => {
        const next = await events.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      },
      cancel: async () => {
        onLeave?.()
        await events.return()
      },
    },
    { highWaterMark: 1 },
  )
}
