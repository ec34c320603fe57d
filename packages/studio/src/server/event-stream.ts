import type { StudioEvent } from '../protocol/protocol.js'
import type { Runs } from './runs.js'

/** Milliseconds in which events are gathered into one message: a page draws no more often. */
const gatherMs = 16

const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

/** One message of the stream: a list of events, and the number of the last as its id. */
const toMessage = (events: readonly StudioEvent[]): string =>
  `id: ${events.at(-1)?.seq ?? 0}\ndata: ${JSON.stringify(events)}\n\n`

/** The events of a run as Server-Sent Events, from the one after `after` to the end of the run. */
export async function streamEvents(runs: Runs, runId: string, after: number): Promise<Response> {
  const live = runs.live(runId)
  if (!live) {
    const events = await runs.events(runId, after)
    return new Response(events.length > 0 ? toMessage(events) : '', { headers })
  }
  const encoder = new TextEncoder()
  let forget: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let waiting: StudioEvent[] = []
      const flush = (): void => {
        timer = undefined
        if (waiting.length === 0) return
        const ended = waiting.some(({ type }) => type === 'end')
        controller.enqueue(encoder.encode(toMessage(waiting)))
        waiting = []
        if (ended) {
          forget?.()
          controller.close()
        }
      }
      forget = live.subscribe(after, (events) => {
        waiting.push(...events)
        timer ??= setTimeout(flush, gatherMs)
      })
    },
    cancel: () => {
      clearTimeout(timer)
      forget?.()
    },
  })
  return new Response(body, { headers })
}
