import type { CorpusCase } from './corpus.js'

/** A server-sent event. */
export interface SseEvent {
  readonly event?: string
  readonly data: string
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * True for a body of server-sent events; some vendors respond to a request for a stream with one
 * whole reply.
 */
export const isStream = ({ response: { framing, body } }: CorpusCase): boolean =>
  framing === 'sse' && /^data:/m.test(body)

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readEvents(body: string): SseEvent[] {
  return body
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .flatMap((block) => {
      const field = (name: string): string | undefined =>
        new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
      const event = field('event')
      const data = field('data')
      return data === undefined ? [] : [{ ...(event !== undefined && { event }), data }]
    })
}

const writeEvents = (events: readonly SseEvent[]): string =>
  events
    .map(
      ({ event, data }) =>
        `${event === undefined ? '' : `event: ${event}\n`}${data
          .split('\n')
          .map((line) => `data: ${line}\n`)
          .join('')}\n`,
    )
    .join('')

/**
 * Rewrites the events of a stream; undefined for whole bodies, and if the rewrite does not apply.
 */
export const withEvents =
  (
    change: (events: readonly SseEvent[], recorded: CorpusCase) => readonly SseEvent[] | undefined,
  ) =>
  (recorded: CorpusCase): string | undefined => {
    const events = isStream(recorded)
      ? change(readEvents(recorded.response.body), recorded)
      : undefined
    return events && writeEvents(events)
  }

/**
 * Rewrites each JSON value of a body: of each event, of each line, or the whole. Text that is not
 * JSON stays.
 */
export const everyValue =
  (write: (value: unknown) => string) =>
  (recorded: CorpusCase): string => {
    const { framing, body } = recorded.response
    const rewrite = (text: string): string => {
      const value = tryParse(text)
      return value === undefined ? text : write(value)
    }
    if (isStream(recorded))
      return writeEvents(readEvents(body).map((event) => ({ ...event, data: rewrite(event.data) })))
    return framing === 'ndjson'
      ? body
          .split('\n')
          .map((line) => rewrite(line).replace(/\n/g, ' '))
          .join('\n')
      : rewrite(body)
  }

/** Where a protocol carries what the model made up: its keys are not the protocol's. */
const opaque = new Set(['args', 'input', 'arguments'])

/** The value with each object of the protocol in it changed. */
export function everyObject(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => everyObject(item, change))
  if (typeof value !== 'object' || value === null) return value
  return change(
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        opaque.has(key) ? inner : everyObject(inner, change),
      ]),
    ),
  )
}
