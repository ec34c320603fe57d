import { toProtolinkCard } from '../wire/protolink/card-codec.js'
import { toA2aCard } from '../wire/a2a/card-codec.js'
import { legacyCardFields } from '../wire/a2a/legacy-card.js'
import { digestOf } from '../run/wait-state.js'
import type { Endpoint, RequestContext } from './endpoint.js'

/** A card with `ETag` and `Cache-Control`; 304 if the caller has it. */
async function cardResponse({ request }: RequestContext, card: object): Promise<Response> {
  const body = JSON.stringify(card)
  const etag = `"${(await digestOf(body)).slice(0, 32)}"`
  const headers = {
    etag,
    'cache-control': 'public, max-age=300',
    vary: 'A2A-Version',
    'content-type': 'application/json',
  }
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return new Response(null, { status: 304, headers })
  return new Response(body, { headers })
}

/** Where cards are. */
export const cardEndpoints: readonly Endpoint[] = [
  {
    name: 'AgentCard',
    method: 'GET',
    path: '/.well-known/agent-card.json',
    summary: 'Gives the card of the agent; callers that do not name version 1.0 also get the fields of 0.3.',
    source: 'none',
    mode: 'response',
    wire: 'A2A 1.0',
    authenticated: false,
    handle: async (context) => {
      const signed = await context.sign(toA2aCard(context.card()))
      // Further fields would change what is signed.
      const isServed = context.card().interfaces.some(({ protocolVersion }) => protocolVersion.startsWith('0.3'))
      const isPlain = !isServed || context.version !== '0.3' || signed['signatures'] !== undefined
      return cardResponse(context, isPlain ? signed : { ...signed, ...legacyCardFields(context.card()) })
    },
  },
  {
    name: 'ProtolinkCard',
    method: 'GET',
    path: '/.well-known/agent.json',
    summary: 'Gives the card of the agent in the form of Protolink.',
    source: 'none',
    mode: 'response',
    wire: 'Protolink',
    authenticated: false,
    handle: (context) => cardResponse(context, toProtolinkCard(context.card())),
  },
]
