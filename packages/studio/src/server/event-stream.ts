import type { StudioEvent } from '../protocol/protocol.js'
import type { Runs } from './runs.js'

/** Milliseconds in which events are gathered into one message: a page draws no more often. */
const gatherMs = 16

/** Maximum events in one message: a page that reads a long run draws between two messages. */
const mostEvents = 250

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/**
 * The page gets prompts as blocks from another path; in the events they would grow with the square
 * of the steps.
 */
function withoutManifest(one: StudioEvent): unknown {
  if (one.type !== 'run' || !('manifest' in one.event)) return one
  const { manifest: _manifest, ...event } = one.event
  return { ...one, event }
}

/** Messages of the stream: each a list of events, with the number of its last event as its id. */
function* toMessages(events: readonly StudioEvent[]): Generator<string> {
  for (let from = 0; from < events.length; from += mostEvents) {
    const some = events.slice(from, from + mostEvents)
    yield `id: ${some.at(-1)?.seq ?? 0}\ndata: ${JSON.stringify(some.map(withoutManifest))}\n\n`
  }
}

/** Milliseconds between two looks at a run that another studio runs. */
const lookMs = 500

/**
 * The events of a run of another studio on the same file, as they are written, until it is over.
 */
async function* followFile(runs: Runs, runId: string, after: number): AsyncGenerator<string> {
  let seq = after
  let isOver = false
  while (!isOver) {
    isOver = (await runs.find(runId))?.elsewhere !== true
    const events = await runs.events(runId, seq)
    seq = events.at(-1)?.seq ?? seq
    // Empty if nothing was written: a stream that was cancelled ends here.
    yield [...toMessages(events)].join('')
    if (!isOver && events.length === 0) await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** A response of Server-Sent Events, each already in its form. */
export function eventStream(messages: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await messages.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    cancel: async () => {
      await messages.return(undefined)
    },
  })
  return new Response(body, { headers })
}

/** The events of a run as Server-Sent Events, from the one after `after` to the end of the run. */
export async function streamEvents(runs: Runs, runId: string, after: number): Promise<Response> {
  const live = runs.live(runId)
  if (!live && (await runs.find(runId))?.elsewhere)
    return eventStream(followFile(runs, runId, after))
  if (!live)
    return new Response([...toMessages(await runs.events(runId, after))].join(''), { headers })
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
        for (const message of toMessages(waiting)) controller.enqueue(encoder.encode(message))
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
