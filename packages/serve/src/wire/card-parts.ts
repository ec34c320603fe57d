import {
  type AgentCapabilities,
  type AgentCard,
  defaultCapabilities,
  type SecurityScheme,
} from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import type { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'

// Parts of a card that several wires write in the same form.

const capabilityNames = Object.keys(defaultCapabilities) as readonly (keyof AgentCapabilities)[]

/** Capabilities with names in snake_case, as our extension of A2A writes them. */
export const toWireCapabilities = (capabilities: AgentCapabilities): JsonObject =>
  Object.fromEntries(capabilityNames.map((name) => [toSnake(name), capabilities[name]]))

/** Reads capabilities with names in snake_case; what is absent stays absent. */
export const readWireCapabilities = (source: Hydrator): Partial<AgentCapabilities> => {
  const read = capabilityNames.map((name) => [
    name,
    name === 'maxConcurrency' ? source.number(toSnake(name)) : source.boolean(toSnake(name)),
  ])
  return compactObject(Object.fromEntries(read) as Partial<AgentCapabilities>)
}

/** Reads the values of an object, each as an object. */
export const readMap = <T>(
  source: Hydrator,
  key: string,
  read: (source: Hydrator) => T,
): Readonly<Record<string, T>> =>
  source.nested(key, (map) =>
    Object.fromEntries(
      Object.keys(map.rest()).flatMap((name) => {
        const value = map.nested(name, read)
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  ) ?? {}

/** Reads requirements that map the name of each scheme to its scopes, as OpenAPI writes them. */
export const readRequirements = (
  source: Hydrator,
  key: string,
): AgentCard['securityRequirements'] =>
  source.list(key, (requirement) =>
    Object.fromEntries(
      Object.keys(requirement.rest()).map((name) => [name, requirement.strings(name)]),
    ),
  )

const schemeTypes = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const

/** Reads one security scheme in OpenAPI's form. */
export function readOpenApiScheme(source: Hydrator): SecurityScheme {
  const type = source.oneOf('type', schemeTypes)
  const rest = compactObject({ description: source.string('description') })
  switch (type) {
    case 'apiKey': {
      const location = source.oneOf('in', ['header', 'query', 'cookie']) ?? 'header'
      return { type, in: location, name: source.requiredString('name'), ...rest }
    }
    case 'http': {
      const more = compactObject({ bearerFormat: source.string('bearerFormat') })
      return { type, scheme: source.requiredString('scheme'), ...more, ...rest }
    }
    case 'oauth2': {
      const more = compactObject({ oauth2MetadataUrl: source.string('oauth2MetadataUrl') })
      return { type, flows: source.object('flows') ?? {}, ...more, ...rest }
    }
    case 'openIdConnect':
      return { type, openIdConnectUrl: source.requiredString('openIdConnectUrl'), ...rest }
    default:
      if (type === undefined) source.report('type', `expected one of ${schemeTypes.join(', ')}`)
      return { type: 'mutualTLS', ...rest }
  }
}

/** Reads a declared extension. */
export const readExtension = (source: Hydrator): AgentCard['extensions'][number] => ({
  uri: source.requiredString('uri'),
  ...compactObject({
    description: source.string('description'),
    required: source.boolean('required'),
    params: source.object('params'),
  }),
})

/** Reads a signature. */
export const readSignature = (source: Hydrator): AgentCard['signatures'][number] => ({
  protected: source.requiredString('protected'),
  signature: source.requiredString('signature'),
  ...compactObject({ header: source.object('header') }),
})

/**
 * Reads the optional fields that every wire has: the provider of the agent, and texts for people.
 */
export const readPublisher = (
  source: Hydrator,
): Pick<AgentCard, 'provider' | 'documentationUrl' | 'iconUrl'> =>
  compactObject({
    provider: source.nested('provider', (provider) => ({
      organization: provider.string('organization') ?? '',
      url: provider.string('url') ?? '',
    })),
    documentationUrl: source.string('documentationUrl'),
    iconUrl: source.string('iconUrl'),
  })
