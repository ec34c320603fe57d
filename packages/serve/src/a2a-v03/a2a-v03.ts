import { AgentError } from '@modelport/agent'
import { toA2aCard } from '../a2a/card-codec.js'
import { cardEndpoint, cardResponse } from '../a2a/card-endpoint.js'
import { failRpc, handleRpc, rpcMethods } from '../a2a/json-rpc.js'
import { toA2aTask } from '../a2a/task-codec.js'
import type { Endpoint, Wire } from '../wire/wire.js'
import { legacyCardFields } from './card-codec.js'
import { toLegacyTask } from './json-codec.js'
import { legacyRestEndpoints } from './rest.js'
import { legacyMethods } from './rpc-methods.js'

/** @throws {AgentError} `version-not-supported` */
function refuseNewMethods(name: string): void {
  if (Object.hasOwn(rpcMethods, name))
    throw new AgentError('version-not-supported', `${name} is a method of A2A 1.0; send the header A2A-Version: 1.0`)
}

const own = { wire: 'A2A 0.3', version: '0.3' } as const

const legacyCardEndpoint: Endpoint = {
  ...cardEndpoint,
  ...own,
  name: 'AgentCard (0.3)',
  summary: 'Gives the card of the agent to callers that do not name version 1.0, with the fields of 0.3.',
  anyVersion: false,
  handle: async (context) => {
    const signed = await context.sign(toA2aCard(context.card()))
    // Further fields would change what is signed.
    const isPlain = signed['signatures'] !== undefined
    return cardResponse(context, isPlain ? signed : { ...signed, ...legacyCardFields(context.card()) })
  },
}

const wire: Wire = Object.freeze<Wire>({
  name: 'A2A 0.3',
  endpoints: [
    {
      name: 'JsonRpc (0.3)',
      method: 'POST',
      path: '/',
      summary: 'Serves every method of A2A 0.3 as JSON-RPC 2.0.',
      source: 'body',
      mode: 'stream',
      ...own,
      handle: handleRpc(legacyMethods, refuseNewMethods),
      fail: failRpc,
    },
    legacyCardEndpoint,
    ...legacyRestEndpoints,
  ],
  interfaces: (url) => [
    { url: `${url}/`, binding: 'JSONRPC', protocolVersion: '0.3' },
    { url, binding: 'HTTP+JSON', protocolVersion: '0.3' },
  ],
  notification: { version: '0.3', write: (task) => toLegacyTask(toA2aTask(task)) },
})

/**
 * A2A 0.3 next to 1.0: `wires: [a2a(), a2aV03()]`. Callers that do not name a version in `A2A-Version` are served as 0.3, and their card has its fields.
 */
export const a2aV03 = (): Wire => wire
