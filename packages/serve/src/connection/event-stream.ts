import { LlmError } from '@modelport/core'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Maximum characters of one event. */
const longestEvent = 16 * 2 ** 20

/**
 * Reads server-sent events out of a body. Leaving the loop cancels the body.
 * @throws {LlmError} `limit-exceeded` — an event is too long; `timeout` — the body was silent for
 * `idleMs`
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
): AsyncGenerator<EventSourceMessage, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let events: EventSourceMessage[] = []
  let endsWithReturn = false
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent: (event) => events.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw new LlmError(
          'limit-exceeded',
          `An event of the stream is too long: at most ${longestEvent} characters`,
        )
    },
  })
  try {
    for (;;) {
      const { done, value } = await withIdle(reader.read(), idleMs)
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      endsWithReturn = text ? text.endsWith('\r') : endsWithReturn
      // At the end of the body, a carriage return is a whole line end.
      parser.feed(done && endsWithReturn ? `${text}\n` : text)
      const found = events
      events = []
      yield* found
      if (done) return
    }
  } finally {
    // Not awaited: a body may take as long as it likes to end.
    void reader.cancel().catch(() => undefined)
  }
}

async function withIdle<T>(promise: Promise<T>, idleMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new LlmError(
            'timeout',
            `The stream of the agent was silent for ${idleMs} ms; raise idleMs if that is usual`,
          ),
        ),
      idleMs,
    )
  })
  try {
    return await Promise.race([promise, stalled])
  } finally {
    clearTimeout(timer)
  }
}
