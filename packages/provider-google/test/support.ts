import type { Fetch } from '@modelport/driver'

/** A request as it reached the transport. */
export interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- JSON of a test
}

/** A `fetch` that keeps what was sent and answers by `respond`. */
export function recordingFetch(
  respond: (request: SentRequest) => Response | Promise<Response>,
): Fetch & { requests: SentRequest[] } {
  const requests: SentRequest[] = []
  const fetch: Fetch = async (input, init = {}) => {
    const body =
      typeof init.body === 'string' && init.body.startsWith('{')
        ? (JSON.parse(init.body) as unknown)
        : init.body
    const request = {
      url: input instanceof Request ? input.url : input.toString(),
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body,
    }
    requests.push(request)
    return respond(request)
  }
  return Object.assign(fetch, { requests })
}

/** A chunk of a stream, or a whole reply. */
export const chunk = (
  parts: readonly object[],
  candidate: object = {},
  response: object = {},
): object => ({
  candidates: [{ content: { role: 'model', parts }, ...candidate }],
  ...response,
})

/** A stream of these chunks. */
export const sse = (...chunks: readonly unknown[]): Response =>
  new Response(chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

/** A JSON response. */
export const answer = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
