import { createTransport as create } from '../../packages/driver/src/transport/transport.js'
import { refuse } from './refusals.ts'

/**
 * The driver's transport, whose every request the doubles look at first: whatever a test puts in
 * the place of a server is as strict as its vendor.
 */
export function createTransport(...args: Parameters<typeof create>): ReturnType<typeof create> {
  const send = create(...args)
  return async (input, given) => {
    // Only an upload is waited for: promises of a step are counted.
    const upload = given?.body instanceof ReadableStream ? await readShortUpload(given) : undefined
    const init = upload ? { ...given, body: new Response(upload).body } : given
    const { method, url, headers, body = upload } = toSent(input, init)
    const refused = body === undefined ? undefined : refuse({ method, url, headers }, body)
    return refused ? Response.json(refused.body, { status: refused.status }) : send(input, init)
  }
}

/** An upload that is short enough is read before it is sent, so that it can be looked at. */
async function readShortUpload({
  body,
  headers,
}: RequestInit = {}): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const isShort = Number(new Headers(headers).get('content-length') ?? NaN) <= 16_384
  return body instanceof ReadableStream && isShort
    ? new Uint8Array(await new Response(body).arrayBuffer())
    : undefined
}

function toSent(input: string | URL | Request, init: RequestInit = {}) {
  const request = input instanceof Request ? input : undefined
  const { body } = init
  return {
    method: init.method ?? request?.method ?? 'GET',
    url: input instanceof Request ? input.url : input.toString(),
    headers: Object.fromEntries(new Headers(init.headers ?? request?.headers)),
    body: typeof body === 'string' || body instanceof Uint8Array ? body : undefined,
  }
}
