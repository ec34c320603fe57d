/**
 * How often a stream without events sends a comment, in milliseconds: proxies close silent
 * connections.
 */
const commentMs = 15_000

/** One event of a stream of server-sent events. */
export interface StreamEvent {
  /** Where a client reads on: it comes back as `last-event-id`. */
  readonly id?: string
  /** The payload, one line. */
  readonly data: string
}

const encoder = new TextEncoder()

/**
 * Sends events to a page as they come. The body is pulled: a page that reads slowly slows only its
 * own events. A page that leaves aborts the signal.
 *
 * @param events gives the events, and ends when the signal aborts
 */
export function toEventStream(
  events: (signal: AbortSignal) => AsyncGenerator<StreamEvent, void>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const controller = new AbortController()
  const source = events(controller.signal)
  /** The read of the next event, if it has not ended. */
  let pendingRead: Promise<IteratorResult<StreamEvent, void>> | undefined

  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (stream) => {
        pendingRead ??= source.next()
        const result = await within(commentMs, pendingRead)
        if (!result) {
          stream.enqueue(encoder.encode(': waiting\n\n'))
          return
        }

        pendingRead = undefined
        if (result.done) stream.close()
        else stream.enqueue(encoder.encode(recordOf(result.value)))
      },
      cancel: () => {
        controller.abort()
        // Ends a source that waits to be read; one that works ends by the signal.
        void source.return()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Proxies that buffer would hold the events back.
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
}

const recordOf = ({ id, data }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`

/** What a promise gives within a time; undefined if it takes longer. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
