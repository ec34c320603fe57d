import type { JsonObject } from '@modelport/core'
import { AgentError, type Violation } from '../base/agent-error.js'
import type { JsonValue } from '../base/json.js'
import { type AgentCapabilities, defaultCapabilities } from './capabilities.js'

/** What an agent is for in a system of agents. Default `worker`. */
export type AgentRole = 'worker' | 'orchestrator' | 'observer' | 'gateway'

/** The roles. */
export const agentRoles: readonly AgentRole[] = Object.freeze([
  'worker',
  'orchestrator',
  'observer',
  'gateway',
] as const)

/** Something an agent is able to do. */
export interface AgentSkill {
  /** Unique within its card; for a tool, the name of the tool. */
  readonly id: string
  /** Shown to people. Default: made from the id, `get_weather` becomes `Get Weather`. */
  readonly name: string
  /** What the skill is good for, for people and models. Default: empty. */
  readonly description: string
  /** JSON schema of what the skill takes. Default: `{}`, which says nothing. */
  readonly inputSchema: JsonObject
  /** JSON schema of what the skill returns. Default: `{}`, which says nothing. */
  readonly outputSchema: JsonObject
  /**
   * Keywords to find the skill by. Default: none; A2A requires one, so that its wire shows the id
   * instead.
   */
  readonly tags: readonly string[]
  /**
   * Requests that the skill can handle. Default: none. A2A has text only: it shows other values as
   * JSON.
   */
  readonly examples: readonly JsonValue[]
  /** Media types that the skill takes next to those of the card. Default: none. */
  readonly inputModes: readonly string[]
  /** Media types that the skill returns next to those of the card. Default: none. */
  readonly outputModes: readonly string[]
}

/** How callers authenticate, in the form of OpenAPI's security schemes. */
export type SecurityScheme =
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly description?: string
    }
  | {
      readonly type: 'http'
      readonly scheme: string
      readonly bearerFormat?: string
      readonly description?: string
    }
  | {
      readonly type: 'oauth2'
      readonly flows: JsonObject
      readonly oauth2MetadataUrl?: string
      readonly description?: string
    }
  | {
      readonly type: 'openIdConnect'
      readonly openIdConnectUrl: string
      readonly description?: string
    }
  | { readonly type: 'mutualTLS'; readonly description?: string }

/** One address of an agent, with the protocol spoken there. */
export interface AgentInterface {
  /** Absolute URL that requests go to. */
  readonly url: string
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or a URI. */
  readonly binding: string
  /** Version of the protocol, for example `1.0`. */
  readonly protocolVersion: string
  /** Sent with each request to this address. Unset: the address has no tenants. */
  readonly tenant?: string
}

/** An extension of the protocol that an agent supports. */
export interface AgentExtension {
  /** Identifies the extension: callers name it in the header `A2A-Extensions`. */
  readonly uri: string
  /** How the agent uses the extension, for people. */
  readonly description?: string
  /**
   * True if callers must name the extension; other requests are refused as `extension-required`.
   * Default false.
   */
  readonly required?: boolean
  /** Settings that the extension defines. */
  readonly params?: JsonObject
}

/** One signature of a card: a JSON Web Signature without its payload. */
export interface CardSignature {
  /** The protected header: JSON in base64url. */
  readonly protected: string
  /** The signature in base64url. */
  readonly signature: string
  /** Further header fields, which the signature does not cover. */
  readonly header?: JsonObject
}

/** Who an agent is, and what it can do. */
export interface AgentCard {
  /** Name of the agent; not empty, and unique within a server. */
  readonly name: string
  /** What the agent is for; models that may delegate to it read this. Not empty. */
  readonly description: string
  /**
   * Where it is served; `''` for an agent that is only called in its own process. A server sets it.
   */
  readonly url: string
  /** Transport of the card's first wire, for example `http` or `sse`. Default `http`. */
  readonly transport: string
  /** Version of the agent, chosen by its maker. Default `1.0.0`. */
  readonly version: string
  /** Version of the protocol that the card is written for. Default `1.0`. */
  readonly protocolVersion: string
  /** What the agent can do. */
  readonly capabilities: AgentCapabilities
  /** What the agent offers. `createAgent` adds a skill for each tool that callers may call. */
  readonly skills: readonly AgentSkill[]
  /** Media types that the agent takes; a part of another type is refused. Default `text/plain`. */
  readonly inputFormats: readonly string[]
  /** Media types that the agent returns. Default `text/plain`. */
  readonly outputFormats: readonly string[]
  /** How callers may authenticate, by name. A server sets it from its option `authentication`. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  /** Any one of them is enough; each names schemes and scopes that are all needed. */
  readonly securityRequirements: readonly Readonly<Record<string, readonly string[]>>[]
  /** What the agent is for in a system of agents. Default `worker`. */
  readonly role: AgentRole
  /** Keywords to find the agent by. Default: none. */
  readonly tags: readonly string[]
  /** Every address, preferred first. A server sets it. */
  readonly interfaces: readonly AgentInterface[]
  /** Extensions of A2A that the agent supports next to modelport's own. Default: none. */
  readonly extensions: readonly AgentExtension[]
  /** Who provides the agent: the name of an organization and its URL. */
  readonly provider?: { readonly organization: string; readonly url: string }
  /** Where the agent is documented, for people. */
  readonly documentationUrl?: string
  /** An image of the agent, for people. */
  readonly iconUrl?: string
  /** Signatures of the card in A2A's form, as they were received. */
  readonly signatures: readonly CardSignature[]
}

/** What a card may be made of. */
export type CardFields = Pick<AgentCard, 'name' | 'description'> &
  Partial<Omit<AgentCard, 'name' | 'description' | 'capabilities' | 'skills'>> & {
    readonly capabilities?: Partial<AgentCapabilities>
    readonly skills?: readonly (Pick<AgentSkill, 'id'> & Partial<AgentSkill>)[]
  }

/** A skill with its defaults filled in. */
export const createSkill = (fields: Pick<AgentSkill, 'id'> & Partial<AgentSkill>): AgentSkill => ({
  name: titleOf(fields.id),
  description: '',
  inputSchema: {},
  outputSchema: {},
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  ...fields,
})

/** `get_weather` → `Get Weather` */
export const titleOf = (id: string): string =>
  id
    .split(/[-_.\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ') || id

const isUrl = (value: string): boolean => URL.canParse(value)

/** The problems of a card; empty if there are none. */
export function cardViolations(card: CardFields): readonly Violation[] {
  const found: Violation[] = []
  const report = (pointer: string, message: string) => found.push({ pointer, message })
  for (const key of ['name', 'description'] as const)
    if (typeof card[key] !== 'string' || !card[key]) report(`/${key}`, 'Missing required field')
  if (card.url && !isUrl(card.url))
    report('/url', `not a URL: ${JSON.stringify(card.url.slice(0, 100))}`)
  if (card.role && !agentRoles.includes(card.role))
    report('/role', `expected one of ${agentRoles.join(', ')}`)
  const { maxConcurrency } = card.capabilities ?? {}
  if (maxConcurrency !== undefined && (!Number.isInteger(maxConcurrency) || maxConcurrency < 1))
    report(
      '/capabilities/maxConcurrency',
      `expected a whole number of at least 1, found ${maxConcurrency}`,
    )
  const seen = new Set<string>()
  card.skills?.forEach(({ id }, index) => {
    if (!id) report(`/skills/${index}/id`, 'Missing required field')
    else if (seen.has(id))
      report(`/skills/${index}/id`, `the id ${JSON.stringify(id)} is used twice`)
    seen.add(id)
  })
  card.interfaces?.forEach(({ url }, index) => {
    if (!isUrl(url)) report(`/interfaces/${index}/url`, 'not a URL')
  })
  const schemes = card.securitySchemes ?? {}
  card.securityRequirements?.forEach((requirement, index) => {
    for (const name of Object.keys(requirement))
      if (!Object.hasOwn(schemes, name))
        report(
          `/securityRequirements/${index}/${name}`,
          'names a scheme that securitySchemes does not have',
        )
  })
  return found
}

/**
 * A card with its defaults filled in.
 * @throws {AgentError} `invalid-params` — what is wrong, with JSON pointers.
 */
export function createCard(fields: CardFields): AgentCard {
  const violations = cardViolations(fields)
  const [first] = violations
  if (first)
    throw new AgentError(
      'invalid-params',
      `AgentCard :: ${first.message}: ${first.pointer.slice(1)}`,
      { violations },
    )
  return {
    url: '',
    transport: 'http',
    version: '1.0.0',
    protocolVersion: '1.0',
    inputFormats: ['text/plain'],
    outputFormats: ['text/plain'],
    securitySchemes: {},
    securityRequirements: [],
    role: 'worker',
    tags: [],
    interfaces: [],
    extensions: [],
    signatures: [],
    ...fields,
    capabilities: { ...defaultCapabilities, ...fields.capabilities },
    skills: (fields.skills ?? []).map(createSkill),
  }
}
