import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers'
import type { EventStream } from '../wire/event-stream.js'
import type { PlainReply } from '../wire/reply.js'

/**
 * Characters after which the text of an always ready source is written before it is asked again.
 */
const longestWrite = 65_536

/**
 * Writes the events of a stream to the socket, as fast as its reader takes them. Events that become
 * ready in one turn of the event loop share one write, with the headers if these were not sent yet;
 * a quiet stream sends its headers alone.
 */
export async function writeEvents(
  events: EventStream,
  { status, headers }: PlainReply,
  outgoing: Pick<ServerResponse, keyof ServerResponse>,
): Promise<void> {
  let ready = ''
  let due: ReturnType<typeof setImmediate> | undefined
  const closed = new AbortController()
  const write = (): void => {
    due = undefined
    if (outgoing.destroyed || outgoing.writableEnded) return
    const isFirst = !outgoing.headersSent
    if (isFirst) outgoing.writeHead(status, headers)
    if (ready !== '') outgoing.write(ready)
    else if (isFirst) outgoing.flushHeaders()
    ready = ''
  }
  const schedule = (): void => {
    due ??= setImmediate(write)
  }
  outgoing.on('close', () => {
    closed.abort()
    void events.return()
  })
  events.attach({
    keepAlive: (comment) => {
      if (outgoing.headersSent && !outgoing.writableNeedDrain) outgoing.write(comment)
    },
    drop: () => outgoing.destroy(),
  })
  schedule()
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      ready += next.value
      if (ready.length > longestWrite) write()
      else schedule()
      if (outgoing.writableNeedDrain) await once(outgoing, 'drain', { signal: closed.signal })
    }
    if (!outgoing.headersSent)
      outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(ready) })
    outgoing.end(ready)
  } catch {
    outgoing.destroy()
  }
}
