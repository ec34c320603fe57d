import { createTransport as create } from '../../packages/driver/src/transport/transport.js'
import { refuse } from './refusals.ts'

/** The driver's transport, whose every request the doubles look at first: whatever a test puts in the place of a server is as strict as its vendor. */
export function createTransport(...args: Parameters<typeof create>): ReturnType<typeof create> {
  const send = create(...args)
  return async (input, init) => {
    const { method, url, headers, body } = toSent(input, init)
    const refused = body === undefined ? undefined : refuse({ method, url, headers }, body)
    return refused ? Response.json(refused.body, { status: refused.status }) : send(input, init)
  }
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
