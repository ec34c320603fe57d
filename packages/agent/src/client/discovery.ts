import { isLlmError, type JsonObject } from '@modelport/core'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { isObject } from '../base/json.js'
import { type AgentCard, createCard } from '../models/card.js'
import { fromA2aCard } from '../wire/a2a/card-codec.js'
import { verifyCard } from '../wire/a2a/card-signing.js'
import { legacyInterfaces } from '../wire/a2a/legacy-codec.js'
import { fromProtolinkCard } from '../wire/protolink/card-codec.js'
import type { Connection } from './connection.js'
import type { A2aAddress } from './wire-requests.js'

/** A card with the form it came in. */
export interface FoundCard {
  readonly kind: 'a2a' | 'a2a-0.3' | 'protolink'
  readonly card: AgentCard
  /** As it was received. */
  readonly wire: JsonObject
  /** Until when it may be used without asking again, in milliseconds since 1970. */
  readonly freshUntil: number
  /** Names this version of the card, for a conditional request. */
  readonly etag?: string
}

/** What cards of other implementations leave out, though it is required. */
const usualFields: JsonObject = {
  description: '',
  version: '1.0.0',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
}

/**
 * Fetches the card of an agent: that of A2A first, then that of Protolink.
 * @param known the card of an earlier call: it is asked for conditionally, and given again if it did not change
 * @throws {AgentError} `unauthenticated` — its signature is not by a trusted key
 */
export async function fetchCard(connection: Connection, signal?: AbortSignal, known?: FoundCard): Promise<FoundCard> {
  const { protocol = 'auto', cardVerification } = connection.options
  if (protocol !== 'protolink' && known?.kind !== 'protolink') {
    try {
      const { wire, ...caching } = await fetchJson(connection, '/.well-known/agent-card.json', signal, known)
      if (!wire && known) return { ...known, ...caching }
      const given = wire ?? {}
      const isNew = Array.isArray(given['supportedInterfaces']) && protocol !== 'a2a-0.3'
      if (isNew && cardVerification) await verifyCard(given, cardVerification)
      const card = isNew ? fromA2aCard({ ...usualFields, ...given }) : fromLegacyCard(given)
      return { kind: isNew ? 'a2a' : 'a2a-0.3', card, wire: given, ...caching }
    } catch (error) {
      const isMissing = isAgentError(error) && (error.reason === 'not-found' || error.reason === 'method-not-found')
      if (protocol !== 'auto' || !(isMissing || isLlmError(error, 'not-found'))) throw error
    }
  }
  const { wire = {}, ...caching } = await fetchJson(connection, '/.well-known/agent.json', signal)
  return { kind: 'protolink', card: fromProtolinkCard({ url: connection.base.href, ...wire }), wire, ...caching }
}

/** How long a card is fresh that says nothing about it, in milliseconds. */
const usualFreshMs = 300_000

/** The caching headers of a card, by RFC 9111. */
function cachingOf({ headers }: Response): Pick<FoundCard, 'freshUntil' | 'etag'> {
  const control = headers.get('cache-control') ?? ''
  const [, seconds] = /max-age=(\d{1,9})/i.exec(control) ?? []
  const isStale = /no-store|no-cache/i.test(control)
  const freshMs = isStale ? 0 : seconds === undefined ? usualFreshMs : Number(seconds) * 1_000
  const etag = headers.get('etag')
  return { freshUntil: Date.now() + freshMs, ...(etag !== null && { etag }) }
}

async function fetchJson(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
  known?: FoundCard,
): Promise<Pick<FoundCard, 'freshUntil' | 'etag'> & { readonly wire?: JsonObject }> {
  const { protocol } = connection.options
  const headers = {
    accept: 'application/json',
    ...(protocol !== 'a2a-0.3' && { 'a2a-version': '1.0' }),
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
  }
  const response = await connection.send({ method: 'GET', url: connection.at(path), headers, signal })
  if (response.status === 304 && known)
    return { ...(known.etag !== undefined && { etag: known.etag }), ...cachingOf(response) }
  if (response.status === 404 || response.status === 405) {
    await response.body?.cancel()
    throw new AgentError('not-found', `There is no card at ${path}`)
  }
  const value = await connection.json(response)
  if (isObject(value)) return { wire: value, ...cachingOf(response) }
  throw new AgentError('invalid-agent-response', 'The card is not a JSON object')
}

/** A card of A2A 0.3. */
function fromLegacyCard(wire: JsonObject): AgentCard {
  const text = (key: string) => (typeof wire[key] === 'string' ? wire[key] : undefined)
  const capabilities = isObject(wire['capabilities']) ? wire['capabilities'] : {}
  return createCard({
    name: text('name') ?? '',
    description: text('description') ?? '',
    version: text('version') ?? '1.0.0',
    url: text('url') ?? '',
    capabilities: {
      streaming: capabilities['streaming'] === true,
      pushNotifications: capabilities['pushNotifications'] === true,
    },
    interfaces: legacyInterfaces(wire).map(({ url, binding }) => ({ url, binding, protocolVersion: '0.3' })),
  })
}

/**
 * The interface of a card that is used: the first that this client speaks, at the origin of the client's URL.
 * @throws {AgentError} `invalid-agent-response` — there is none.
 */
export function chooseInterface(connection: Connection, { card, kind }: FoundCard): A2aAddress {
  const { protocol = 'auto', binding: wanted } = connection.options
  for (const { url, binding, protocolVersion, tenant } of card.interfaces) {
    if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON') continue
    if (wanted && binding !== wanted) continue
    const version = protocolVersion.startsWith('1.') ? '1.0' : protocolVersion.startsWith('0.3') ? '0.3' : undefined
    if (!version) continue
    if ((protocol === 'a2a-0.3' || kind === 'a2a-0.3') !== (version === '0.3')) continue
    return { url: connection.check(url), binding, version, ...(tenant && { tenant }) }
  }
  throw new AgentError(
    'invalid-agent-response',
    'The card has no interface that this client speaks: A2A 1.0 or 0.3 over JSONRPC or HTTP+JSON',
  )
}
