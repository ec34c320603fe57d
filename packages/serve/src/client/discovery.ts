import { type AgentCard, AgentError, isAgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { A2aInterface } from '../a2a/a2a-transport.js'
import { fromA2aCard } from '../a2a/card-codec.js'
import type { Connection } from '../connection/connection.js'
import type { AgentClientOptions } from './client-options.js'

/** A card with the form it came in. */
export interface FoundCard {
  readonly card: AgentCard
  /** As it was received. */
  readonly wire: JsonObject
  /** Until when it may be used without asking again, in milliseconds since 1970. */
  readonly freshUntil: number
  /** Names this version of the card, for a conditional request. */
  readonly etag?: string
}

/** Required fields that cards of other implementations leave out. */
const usualFields: JsonObject = {
  description: '',
  version: '1.0.0',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
}

/** The settings for fetching a card. */
export interface Finding {
  readonly connection: Connection
  readonly signal: AbortSignal | undefined
  /**
   * The card of an earlier call: it is asked for conditionally, and given again if it did not
   * change.
   */
  readonly known: FoundCard | undefined
  readonly verifyCard: AgentClientOptions['verifyCard']
}

const cardPath = '/.well-known/agent-card.json'

/**
 * Fetches the card of an agent. One that did not change was verified before.
 * @throws {AgentError} `not-found`; `invalid-agent-response` — `verifyCard` refuses it
 */
export async function fetchCard(finding: Finding): Promise<FoundCard> {
  const { connection, known } = finding
  const { wire, ...caching } = await fetchJson(finding)
  if (!wire && known) return { ...known, ...caching }
  const given = wire ?? {}
  const card = readCard(connection, given)
  await verify(finding, given)
  return { card, wire: given, ...caching }
}

type Verifying = Pick<Finding, 'connection' | 'verifyCard'>

/** @throws {AgentError} `invalid-agent-response` — the application refuses the card. */
async function verify({ connection, verifyCard }: Verifying, wire: JsonObject): Promise<void> {
  try {
    // A copy: what the verifier does to its card is not done to ours.
    await verifyCard?.(structuredClone(wire))
  } catch (error) {
    throw new AgentError(
      'invalid-agent-response',
      `verifyCard refuses the card of ${connection.base.href}: ${errorText(error)}`,
      { cause: error },
    )
  }
}

/**
 * Reads a card of A2A.
 * @throws {AgentError} `version-not-supported` — it has the form of 0.3 only;
 * `invalid-agent-response` — the JSON is not a card
 */
function readCard(connection: Connection, wire: JsonObject): AgentCard {
  // A card of 0.3 names its one address in `url`, where one of 1.0 has `supportedInterfaces`.
  if (
    wire['supportedInterfaces'] === undefined &&
    typeof wire['name'] === 'string' &&
    typeof wire['url'] === 'string'
  ) {
    const { protocolVersion } = wire
    throw otherVersion(
      connection,
      typeof protocolVersion === 'string' ? protocolVersion : '0.3 or older',
    )
  }
  try {
    return fromA2aCard({ ...usualFields, ...wire })
  } catch (error) {
    // A complaint about the server's response, not about the caller's parameters.
    if (!isAgentError(error, 'invalid-params')) throw error
    throw new AgentError(
      'invalid-agent-response',
      `${connection.base.href} responds, but not with the card of an agent (${error.message}); check the address`,
      { cause: error, violations: error.violations },
    )
  }
}

/**
 * The found card, replaced by the extended one that the agent gave to this caller. It is used as
 * long as the public card stays the same.
 * @throws {AgentError} `invalid-agent-response` — the agent did not send a card, or `verifyCard`
 * refuses it
 */
export async function withExtendedCard(
  verifying: Verifying,
  found: FoundCard,
  wire: unknown,
): Promise<FoundCard> {
  if (!isObject(wire))
    throw new AgentError('invalid-agent-response', 'The extended card is not a JSON object')
  const card = readCard(verifying.connection, wire)
  await verify(verifying, wire)
  return { ...found, card, wire }
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

async function fetchJson({
  connection,
  signal,
  known,
}: Finding): Promise<Pick<FoundCard, 'freshUntil' | 'etag'> & { readonly wire?: JsonObject }> {
  const headers = {
    accept: 'application/json',
    'a2a-version': '1.0',
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
  }
  const response = await connection.send({
    method: 'GET',
    url: connection.at(cardPath),
    headers,
    signal,
  })
  if (response.status === 304 && known)
    return { ...(known.etag !== undefined && { etag: known.etag }), ...cachingOf(response) }
  if (response.status === 404 || response.status === 405) {
    await response.body?.cancel()
    throw new AgentError(
      'not-found',
      `There is no card of an agent at ${connection.base.href}: it serves no ${cardPath} (A2A); of several agents at one server, each has its own address, URL/a/NAME/`,
    )
  }
  const value = await connection.json(response)
  if (isObject(value)) return { wire: value, ...cachingOf(response) }
  throw new AgentError('invalid-agent-response', 'The card is not a JSON object')
}

/**
 * The interface to use: the first one of the card that this client speaks, at the origin of the
 * client's URL.
 * @throws {AgentError} `version-not-supported` — the card has only other versions of A2A;
 * `invalid-agent-response` — it has only other bindings.
 */
export function chooseInterface(
  connection: Connection,
  { binding: wanted }: AgentClientOptions,
  { card }: FoundCard,
): A2aInterface {
  let isOtherVersion = false
  for (const { url, binding, protocolVersion, tenant } of card.interfaces) {
    if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON') continue
    if (wanted && binding !== wanted) continue
    if (protocolVersion.startsWith('1.'))
      return { url: connection.check(url), binding, ...(tenant && { tenant }) }
    isOtherVersion = true
  }
  const listed = card.interfaces
    .map(({ binding, protocolVersion }) => `${binding} ${protocolVersion}`)
    .join(', ')
  const has = listed.slice(0, 500) || 'none'
  if (isOtherVersion) throw otherVersion(connection, has)
  throw new AgentError(
    'invalid-agent-response',
    `The card has no interface that this client speaks: A2A 1.0 over ${wanted ?? 'JSONRPC or HTTP+JSON'}; it has ${has}`,
  )
}

const otherVersion = ({ base }: Connection, theirs: string): AgentError =>
  new AgentError(
    'version-not-supported',
    `The agent at ${base.href} speaks A2A ${theirs.slice(0, 500)}, and this client speaks 1.0; update the agent, or call it with the compatibility layer of @a2a-js/sdk`,
  )
