/** A JSON response before it is made a `Response`: `serve` writes it to the socket as it is. */
export interface JsonReply {
  /** HTTP status. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  /** The JSON text. */
  readonly body: string
  readonly isJson: true
}

/** What an endpoint gives. */
export type Reply = Response | JsonReply

/** A JSON response that is never cached. */
export const jsonReply = (
  value: unknown,
  { status = 200, headers }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): JsonReply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(value),
  isJson: true,
})

/** True for a response that was not made a `Response`. */
export const isJsonReply = (reply: Reply): reply is JsonReply => 'isJson' in reply

/** The reply as a Web standard response. */
export const toResponse = (reply: Reply): Response =>
  isJsonReply(reply) ? new Response(reply.body, { status: reply.status, headers: reply.headers }) : reply

/** Sets a header, in place of one of the same name. */
export function setHeader(reply: Reply, name: string, value: string): void {
  if (isJsonReply(reply)) reply.headers[name] = value
  else reply.headers.set(name, value)
}
