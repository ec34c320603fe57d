import type { Wire } from '../wire/wire.js'
import { cardEndpoint } from './card-endpoint.js'
import { failRpc, serveRpc } from './json-rpc.js'
import { restEndpoints } from './rest.js'

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
