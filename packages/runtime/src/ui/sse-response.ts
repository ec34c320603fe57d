/** A response of server-sent events. The body is pulled: a slow client slows the source down. */
export function toSseResponse(
  records: ReadableStream<string>,
  headers: Readonly<Record<string, string>>,
  init: ResponseInit,
): Response {
  const all = new Headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Proxies that buffer would hold the events back.
    'x-accel-buffering': 'no',
    ...headers,
  })
  new Headers(init.headers).forEach((value, name) => {
    all.set(name, value)
  })
  return new Response(records.pipeThrough(new TextEncoderStream()), { ...init, headers: all })
}

/** Gives what a generator makes, when it is asked for. Cancelling it ends the generator. */
export const streamOf = <Chunk>(steps: AsyncGenerator<Chunk, void>): ReadableStream<Chunk> =>
  new ReadableStream<Chunk>(
    {
      pull: async (controller) => {
        const step = await steps.next()
        if (step.done) controller.close()
        else controller.enqueue(step.value)
      },
      cancel: async () => {
        await steps.return()
      },
    },
    { highWaterMark: 0 },
  )
