import { type EventStream, toReadable } from './event-stream.js'

/** A response before it is made a `Response`: `serve` writes it to the socket as it is. */
export interface PlainReply {
  /** The HTTP status. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  /** The text, or the events that are sent as they come. */
  readonly body: string | EventStream
}

/** The reply of an endpoint. */
export type EndpointReply = Response | PlainReply

/** A JSON response that is never cached. */
export const jsonReply = (
  value: unknown,
  {
    status = 200,
    headers,
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): PlainReply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(value),
})

/** True for a response that was not made a `Response`. */
export const isPlainReply = (reply: EndpointReply): reply is PlainReply =>
  !(reply instanceof Response)

/**
 * The reply as a Web standard response.
 * @param onLeave called when the reader of a stream leaves
 */
export function toResponse(reply: EndpointReply, onLeave?: () => void): Response {
  if (!isPlainReply(reply)) return reply
  const { status, headers, body } = reply
  return new Response(typeof body === 'string' ? body : toReadable(body, onLeave), {
    status,
    headers,
  })
}

/** Sets a header, in place of one of the same name. */
export function setHeader(reply: EndpointReply, name: string, value: string): void {
  if (isPlainReply(reply)) reply.headers[name] = value
  else reply.headers.set(name, value)
}
