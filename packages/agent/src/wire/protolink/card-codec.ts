import type { JsonObject } from '@modelport/core'
import { AgentError } from '../../base/agent-error.js'
import { Hydrator } from '../../base/hydrate.js'
import { compactObject, isObject, type JsonValue } from '../../base/json.js'
import {
  type AgentCapabilities,
  type AgentCard,
  type AgentInterface,
  type AgentSkill,
  agentRoles,
  createCard,
  createSkill,
  defaultCapabilities,
  type SecurityScheme,
} from '../../models/card.js'

const capabilityNames: readonly (readonly [keyof AgentCapabilities, string])[] = [
  ['streaming', 'streaming'],
  ['pushNotifications', 'push_notifications'],
  ['stateTransitionHistory', 'state_transition_history'],
  ['hasLlm', 'has_llm'],
  ['maxConcurrency', 'max_concurrency'],
  ['messageBatching', 'message_batching'],
  ['toolCalling', 'tool_calling'],
  ['multiStepReasoning', 'multi_step_reasoning'],
  ['timeoutSupport', 'timeout_support'],
  ['delegation', 'delegation'],
  ['rag', 'rag'],
  ['codeExecution', 'code_execution'],
  ['extendedAgentCard', 'extended_agent_card'],
]

/** Capabilities in Protolink's spelling. */
export const toWireCapabilities = (capabilities: AgentCapabilities): JsonObject =>
  Object.fromEntries(capabilityNames.map(([name, wire]) => [wire, capabilities[name]]))

/** Reads capabilities in Protolink's spelling; what is absent stays absent. */
export const readWireCapabilities = (source: Hydrator): Partial<AgentCapabilities> =>
  compactObject(
    Object.fromEntries(
      capabilityNames.map(([name, wire]) => [
        name,
        name === 'maxConcurrency' ? source.number(wire) : source.boolean(wire),
      ]),
    ),
  )

const toWireSkill = (skill: AgentSkill): JsonObject => ({
  id: skill.id,
  name: skill.name,
  description: skill.description,
  input_schema: skill.inputSchema,
  output_schema: skill.outputSchema,
  tags: skill.tags,
  examples: skill.examples,
  ...(skill.inputModes.length && { input_modes: skill.inputModes }),
  ...(skill.outputModes.length && { output_modes: skill.outputModes }),
})

const readSkill = (source: Hydrator): AgentSkill => {
  const examples = source.raw('examples')
  const name = source.string('name')
  return createSkill({
    id: source.requiredString('id'),
    ...(name !== undefined && { name }),
    description: source.string('description') ?? '',
    inputSchema: source.object('input_schema') ?? {},
    outputSchema: source.object('output_schema') ?? {},
    tags: source.strings('tags'),
    examples: Array.isArray(examples) ? (examples as readonly JsonValue[]) : [],
    inputModes: source.strings('input_modes'),
    outputModes: source.strings('output_modes'),
  })
}

/** A card in Protolink's form. Role and transport are written, unlike in Protolink's own versions; its readers ignore them. */
export const toProtolinkCard = (card: AgentCard): JsonObject =>
  compactObject({
    name: card.name,
    description: card.description,
    url: card.url,
    transport: card.transport,
    version: card.version,
    protocolVersion: card.protocolVersion,
    capabilities: toWireCapabilities(card.capabilities),
    skills: card.skills.map(toWireSkill),
    inputFormats: card.inputFormats,
    outputFormats: card.outputFormats,
    securitySchemes: card.securitySchemes,
    role: card.role,
    tags: card.tags,
    ...(card.interfaces.length && {
      additionalInterfaces: card.interfaces.map(({ url, binding, protocolVersion, tenant }) =>
        compactObject({ url, transport: binding, protocolVersion, tenant }),
      ),
    }),
    ...(card.securityRequirements.length && { securityRequirements: card.securityRequirements }),
    ...(card.extensions.length && { extensions: card.extensions }),
    ...(card.signatures.length && { signatures: card.signatures }),
    provider: card.provider,
    documentationUrl: card.documentationUrl,
    iconUrl: card.iconUrl,
  })

const readInterface = (source: Hydrator): AgentInterface => {
  const tenant = source.string('tenant')
  return {
    url: source.requiredString('url'),
    binding: source.requiredString('transport'),
    protocolVersion: source.string('protocolVersion') ?? '',
    ...(tenant !== undefined && { tenant }),
  }
}

const schemeTypes = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const

/** Reads one security scheme in OpenAPI's form. */
function readScheme(source: Hydrator): SecurityScheme {
  const type = source.oneOf('type', schemeTypes)
  const description = source.string('description')
  const rest = description === undefined ? {} : { description }
  switch (type) {
    case 'apiKey':
      return {
        type,
        in: source.oneOf('in', ['header', 'query', 'cookie']) ?? 'header',
        name: source.requiredString('name'),
        ...rest,
      }
    case 'http': {
      const bearerFormat = source.string('bearerFormat')
      return {
        type,
        scheme: source.requiredString('scheme'),
        ...(bearerFormat !== undefined && { bearerFormat }),
        ...rest,
      }
    }
    case 'oauth2': {
      const oauth2MetadataUrl = source.string('oauth2MetadataUrl')
      const flows = source.object('flows') ?? {}
      return { type, flows, ...(oauth2MetadataUrl !== undefined && { oauth2MetadataUrl }), ...rest }
    }
    case 'openIdConnect':
      return { type, openIdConnectUrl: source.requiredString('openIdConnectUrl'), ...rest }
    default:
      if (type === undefined) source.report('type', `expected one of ${schemeTypes.join(', ')}`)
      return { type: 'mutualTLS', ...rest }
  }
}

/** Reads the values of an object, each as an object. */
export const readMap = <T>(source: Hydrator, key: string, read: (source: Hydrator) => T): Readonly<Record<string, T>> =>
  source.nested(key, (map) =>
    Object.fromEntries(
      Object.keys(map.rest()).flatMap((name) => {
        const value = map.nested(name, read)
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  ) ?? {}

/**
 * Reads a card in Protolink's form.
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export function fromProtolinkCard(wire: unknown): AgentCard {
  for (const name of ['name', 'description', 'url'])
    if (isObject(wire) && (wire[name] === undefined || wire[name] === null))
      throw new AgentError('invalid-params', `AgentCard :: Missing required field: ${name}`, {
        violations: [{ pointer: `/${name}`, message: 'Missing required field' }],
      })
  return createCard(Hydrator.run('AgentCard', wire, readCard))
}

const blank = createCard({ name: '?', description: '?' })

const readCard = (source: Hydrator): AgentCard => ({
  ...blank,
  name: source.requiredString('name'),
  description: source.string('description') ?? '',
  url: source.string('url') ?? '',
  transport: source.string('transport') ?? 'http',
  version: source.string('version') ?? '1.0.0',
  protocolVersion: source.string('protocolVersion') ?? '1.0',
  capabilities: { ...defaultCapabilities, ...source.nested('capabilities', readWireCapabilities) },
  skills: source.list('skills', readSkill),
  inputFormats: source.raw('inputFormats') === undefined ? ['text/plain'] : source.strings('inputFormats'),
  outputFormats: source.raw('outputFormats') === undefined ? ['text/plain'] : source.strings('outputFormats'),
  securitySchemes: readMap(source, 'securitySchemes', readScheme),
  role: source.oneOf('role', agentRoles) ?? 'worker',
  tags: source.strings('tags'),
  interfaces: source.list('additionalInterfaces', readInterface),
  securityRequirements: source.list('securityRequirements', (requirement) =>
    Object.fromEntries(Object.keys(requirement.rest()).map((name) => [name, requirement.strings(name)])),
  ),
  extensions: source.list('extensions', readExtension),
  signatures: source.list('signatures', readSignature),
  ...compactObject({
    provider: source.nested('provider', (provider) => ({
      organization: provider.requiredString('organization'),
      url: provider.string('url') ?? '',
    })),
    documentationUrl: source.string('documentationUrl'),
    iconUrl: source.string('iconUrl'),
  }),
})

/** Reads an extension declaration; the form is the same on both wires. */
export const readExtension = (source: Hydrator): AgentCard['extensions'][number] => ({
  uri: source.requiredString('uri'),
  ...compactObject({
    description: source.string('description'),
    required: source.boolean('required'),
    params: source.object('params'),
  }),
})

/** Reads a signature; the form is the same on both wires. */
export const readSignature = (source: Hydrator): AgentCard['signatures'][number] => ({
  protected: source.requiredString('protected'),
  signature: source.requiredString('signature'),
  ...compactObject({ header: source.object('header') }),
})
