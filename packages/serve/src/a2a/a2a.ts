import type { RequestContext } from '../wire/endpoint.js'
import type { Endpoint, Wire } from '../wire/wire.js'
import { toA2aCard } from './card-codec.js'
import { failRpc, serveRpc } from './json-rpc.js'
import { restEndpoints } from './rest.js'

/** A card with `ETag` and `Cache-Control`; 304 if the caller has it. */
async function cardResponse({ request }: RequestContext, card: object): Promise<Response> {
  const body = JSON.stringify(card)
  const digest = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)),
  )
  const etag = `"${Array.from(digest.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`
  const headers = {
    etag,
    'cache-control': 'public, max-age=300',
    'content-type': 'application/json',
  }
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*'))
    return new Response(null, { status: 304, headers })
  return new Response(body, { headers })
}

/**
 * Where the card is. Callers of any version can read it, since it lists the versions that are
 * served.
 */
const cardEndpoint: Endpoint = {
  name: 'AgentCard',
  method: 'GET',
  path: '/.well-known/agent-card.json',
  summary: 'Gives the card of the agent.',
  source: 'none',
  mode: 'response',
  wire: 'A2A 1.0',
  authenticated: false,
  handle: (context) => cardResponse(context, toA2aCard(context.card())),
}

const wire: Wire = Object.freeze<Wire>({
  name: 'A2A 1.0',
  endpoints: [
    {
      name: 'JsonRpc',
      method: 'POST',
      path: '/',
      summary: 'Serves every method of A2A as JSON-RPC 2.0.',
      source: 'body',
      mode: 'stream',
      wire: 'A2A 1.0',
      version: '1.0',
      handle: serveRpc,
      fail: failRpc,
    },
    cardEndpoint,
    ...restEndpoints,
  ],
  interfaces: (url) => [
    { url: `${url}/`, binding: 'JSONRPC', protocolVersion: '1.0' },
    { url, binding: 'HTTP+JSON', protocolVersion: '1.0' },
  ],
})

/** A2A 1.0, over JSON-RPC and HTTP+JSON. */
export const a2a = (): Wire => wire
