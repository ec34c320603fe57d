import { cardEndpoints } from './card-endpoints.js'
import { chatEndpoints } from './chat-completions.js'
import type { Endpoint } from './endpoint.js'
import { handleJsonRpc } from './json-rpc.js'
import { legacyRestEndpoints } from './legacy-rest.js'
import { ownEndpoints } from './own-endpoints.js'
import { protolinkEndpoints } from './protolink-endpoints.js'
import { restEndpoints } from './rest.js'

/** Every method of A2A, at one address. */
export const rpcEndpoint: Endpoint = {
  name: 'JsonRpc',
  method: 'POST',
  path: '/',
  summary: 'Serves every method of A2A as JSON-RPC 2.0.',
  source: 'body',
  mode: 'stream',
  wire: 'A2A 1.0',
  handle: handleJsonRpc,
}

/** The table of the server. Rows that come first win. */
export const endpoints: readonly Endpoint[] = [
  rpcEndpoint,
  ...cardEndpoints,
  ...ownEndpoints,
  ...chatEndpoints,
  ...protolinkEndpoints,
  ...legacyRestEndpoints,
  ...restEndpoints,
]
