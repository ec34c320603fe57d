import { Agent, request } from 'undici'

const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: 1000 })
const post = (url: string, body: string) =>
  request(url, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body,
  })

/** Floor (a): bytes are read and dropped. */
export async function discard(url: string, send = '{}'): Promise<number> {
  const { body } = await post(url, send)
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length
  return bytes
}

/**
 * Floor (b), the reference: undici, the least line split, JSON.parse. It keeps nothing and checks
 * nothing.
 */
export async function split(
  url: string,
  send = '{}',
  onEvent?: (event: unknown) => void,
): Promise<number> {
  const { body } = await post(url, send)
  let rest: Buffer | undefined
  let events = 0
  for await (const raw of body as AsyncIterable<Buffer>) {
    const chunk = rest ? Buffer.concat([rest, raw]) : raw
    const end = chunk.lastIndexOf(10) + 1
    rest = end < chunk.length ? chunk.subarray(end) : undefined
    const text = chunk.toString('utf8', 0, end)
    let start = 0
    for (let stop = text.indexOf('\n'); stop >= 0; stop = text.indexOf('\n', start)) {
      const first = text.charCodeAt(start)
      let event: unknown
      if (first === 123) event = JSON.parse(text.slice(start, stop))
      else if (first === 100 && text.charCodeAt(start + 6) === 123)
        event = JSON.parse(text.slice(start + 6, stop))
      if (onEvent && event !== undefined) onEvent(event)
      if (stop > start) events++
      start = stop + 1
    }
  }
  return events
}

/** The floor of a reply that is not streamed. */
export async function whole(url: string, send: string): Promise<number> {
  const { body } = await post(url, send)
  return Object.keys(JSON.parse(await body.text()) as object).length
}
