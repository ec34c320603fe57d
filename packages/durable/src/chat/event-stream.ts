/** How often a stream without news says that it lives: proxies close silent connections. */
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
 * Sends events to a page as they come. The body is pulled, so that a slow page slows its reader
 * only; a page that leaves aborts the signal.
 *
 * @param events gives the events, and ends when the signal aborts
 */
export function toEventStream(
  events: (signal: AbortSignal) => AsyncGenerator<StreamEvent, void>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const controller = new AbortController()
  const source = events(controller.signal)
  let coming: Promise<IteratorResult<StreamEvent, void>> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (stream) => {
        coming ??= source.next()
        const step = await within(commentMs, coming)
        if (!step) {
          stream.enqueue(encoder.encode(': waiting\n\n'))
          return
        }
        coming = undefined
        if (step.done) stream.close()
        else stream.enqueue(encoder.encode(recordOf(step.value)))
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
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
