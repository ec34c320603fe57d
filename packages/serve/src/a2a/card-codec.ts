import {
  type AgentCapabilities,
  type AgentCard,
  type AgentSkill,
  agentRoles,
  createCard,
  createSkill,
  defaultCapabilities,
  type JsonValue,
  type SecurityScheme,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { Hydrator } from '../base/hydrate.js'
import { compactObject, objectAt } from '../base/json.js'
import {
  readExtension,
  readMap,
  readPublisher,
  readSignature,
  readWireCapabilities,
  toWireCapabilities,
} from '../wire/card-parts.js'
import { extensionUri } from '../wire/extension.js'
import { decodeProto } from './proto-json.js'

/** A skill on the wire: name and tags are always there, examples are text. */
function toA2aSkill(skill: AgentSkill): JsonObject {
  return compactObject({
    id: skill.id,
    name: skill.name || createSkill({ id: skill.id }).name,
    description: skill.description || skill.name || createSkill({ id: skill.id }).name,
    tags: skill.tags.length ? skill.tags : [skill.id],
    examples: skill.examples.length ? skill.examples.map(exampleText) : undefined,
    inputModes: skill.inputModes.length ? skill.inputModes : undefined,
    outputModes: skill.outputModes.length ? skill.outputModes : undefined,
  })
}

const exampleText = (example: JsonValue): string =>
  typeof example === 'string' ? example : JSON.stringify(example)

/** The facts of a skill that have no field in A2A. Empty if it has one for everything. */
const skillExtra = (skill: AgentSkill): JsonObject =>
  compactObject({
    input_schema: Object.keys(skill.inputSchema).length ? skill.inputSchema : undefined,
    output_schema: Object.keys(skill.outputSchema).length ? skill.outputSchema : undefined,
    examples: skill.examples.some((example) => typeof example !== 'string')
      ? skill.examples
      : undefined,
    no_tags: skill.tags.length ? undefined : true,
    no_description: skill.description ? undefined : true,
  })

const schemeFields: Readonly<Record<SecurityScheme['type'], string>> = {
  apiKey: 'apiKeySecurityScheme',
  http: 'httpAuthSecurityScheme',
  oauth2: 'oauth2SecurityScheme',
  openIdConnect: 'openIdConnectSecurityScheme',
  mutualTLS: 'mtlsSecurityScheme',
}

const toA2aScheme = ({ type, ...scheme }: SecurityScheme): JsonObject => {
  const { in: location, ...rest } = scheme as typeof scheme & { readonly in?: string }
  return { [schemeFields[type]]: compactObject({ location, ...rest }) }
}

/** The parameters of our extension on a card: what A2A has no field for. */
const ownParams = (card: AgentCard): JsonObject => {
  const skills = Object.fromEntries(
    card.skills
      .map((skill) => [skill.id, skillExtra(skill)])
      .filter(([, extra]) => Object.keys(extra as object).length),
  ) as JsonObject
  return compactObject({
    capabilities: toWireCapabilities(card.capabilities),
    role: card.role,
    tags: card.tags,
    url: card.url,
    transport: card.transport,
    protocolVersion: card.protocolVersion,
    skills: Object.keys(skills).length ? skills : undefined,
    noSkills: card.skills.length ? undefined : true,
  })
}

/**
 * A card on the wire. An agent without skills is shown with one made of its name, since A2A
 * requires one.
 */
export function toA2aCard(card: AgentCard): JsonObject {
  const { streaming, pushNotifications, extendedAgentCard } = card.capabilities
  const skills = card.skills.length
    ? card.skills
    : [
        createSkill({
          id: 'default',
          name: card.name,
          description: card.description,
          tags: ['default'],
        }),
      ]
  return compactObject({
    name: card.name,
    description: card.description,
    supportedInterfaces: card.interfaces.map(({ binding, ...rest }) => ({
      protocolBinding: binding,
      ...rest,
    })),
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl,
    capabilities: {
      streaming,
      pushNotifications,
      extendedAgentCard,
      extensions: [
        {
          uri: extensionUri,
          description:
            'Fields of cards and tasks that A2A has no place for; resumable event streams',
          params: ownParams(card),
        },
        ...card.extensions,
      ],
    },
    securitySchemes: Object.keys(card.securitySchemes).length
      ? Object.fromEntries(
          Object.entries(card.securitySchemes).map(([name, scheme]) => [name, toA2aScheme(scheme)]),
        )
      : undefined,
    securityRequirements: card.securityRequirements.length
      ? card.securityRequirements.map((requirement) => ({
          schemes: Object.fromEntries(
            Object.entries(requirement).map(([name, scopes]) => [
              name,
              scopes.length ? { list: scopes } : {},
            ]),
          ),
        }))
      : undefined,
    defaultInputModes: card.inputFormats,
    defaultOutputModes: card.outputFormats,
    skills: skills.map(toA2aSkill),
    signatures: card.signatures.length ? card.signatures : undefined,
    iconUrl: card.iconUrl,
  })
}

function readScheme(source: Hydrator): SecurityScheme {
  for (const [type, field] of Object.entries(schemeFields)) {
    const value = source.object(field)
    if (!value) continue
    const { location, ...rest } = value
    return { type, ...(type === 'apiKey' && { in: location }), ...rest } as SecurityScheme
  }
  return { type: 'mutualTLS' }
}

function readSkill(extras: unknown): (source: Hydrator) => AgentSkill {
  return (source) => {
    const id = source.requiredString('id')
    const extra = objectAt(extras, id)
    const { examples } = extra
    return {
      id,
      name: source.string('name') ?? createSkill({ id }).name,
      description: extra['no_description'] === true ? '' : (source.string('description') ?? ''),
      tags: extra['no_tags'] === true ? [] : source.strings('tags'),
      examples: Array.isArray(examples)
        ? (examples as readonly JsonValue[])
        : source.strings('examples'),
      inputSchema: objectAt(extra, 'input_schema'),
      outputSchema: objectAt(extra, 'output_schema'),
      inputModes: source.strings('inputModes'),
      outputModes: source.strings('outputModes'),
    }
  }
}

/**
 * Reads a card in A2A's form.
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export function fromA2aCard(wire: unknown): AgentCard {
  const decoded = decodeProto('AgentCard', wire)
  return createCard(Hydrator.run('AgentCard', decoded, readCard))
}

const described = (source: Hydrator): string => {
  const text = source.string('description') ?? ''
  return text === '' ? source.requiredString('name') : text
}

function readCard(source: Hydrator): AgentCard {
  const capabilities = source.object('capabilities') ?? {}
  const declared = Array.isArray(capabilities['extensions'])
    ? (capabilities['extensions'] as readonly JsonValue[])
    : []
  const own = declared.find((extension) => isObject(extension) && extension['uri'] === extensionUri)
  const params = objectAt(own, 'params')
  const interfaces = source.list('supportedInterfaces', (address) => ({
    url: address.requiredString('url'),
    binding: address.requiredString('protocolBinding'),
    protocolVersion: address.string('protocolVersion') ?? '',
    ...compactObject({ tenant: address.string('tenant') }),
  }))
  const skills = source.list('skills', readSkill(params['skills']))
  return {
    name: source.requiredString('name'),
    description: described(source),
    url: typeof params['url'] === 'string' ? params['url'] : (interfaces[0]?.url ?? ''),
    transport: typeof params['transport'] === 'string' ? params['transport'] : 'http',
    version: source.string('version') ?? '1.0.0',
    protocolVersion:
      typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : '1.0',
    capabilities: readCapabilities(capabilities, params),
    skills: params['noSkills'] === true ? [] : skills,
    inputFormats: source.strings('defaultInputModes'),
    outputFormats: source.strings('defaultOutputModes'),
    securitySchemes: readMap(source, 'securitySchemes', readScheme),
    securityRequirements: source.list('securityRequirements', (requirement) =>
      readMap(requirement, 'schemes', (scopes) => scopes.strings('list')),
    ),
    role: agentRoles.find((role) => role === params['role']) ?? 'worker',
    tags: Array.isArray(params['tags'])
      ? params['tags'].filter((tag) => typeof tag === 'string')
      : [],
    interfaces,
    extensions:
      source
        .nested('capabilities', (inner) => inner.list('extensions', readExtension))
        ?.filter(({ uri }) => uri !== extensionUri) ?? [],
    signatures: source.list('signatures', readSignature),
    ...readPublisher(source),
  }
}

function readCapabilities(
  wire: Readonly<Record<string, JsonValue>>,
  params: JsonObject,
): AgentCapabilities {
  const extra = Hydrator.run('AgentCard', { params: params['capabilities'] }, (source) =>
    source.nested('params', readWireCapabilities),
  )
  const flag = (name: string) => wire[name] === true
  return {
    ...defaultCapabilities,
    ...extra,
    streaming: flag('streaming'),
    pushNotifications: flag('pushNotifications'),
    extendedAgentCard: flag('extendedAgentCard'),
  }
}
