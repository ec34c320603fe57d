import {
  type AgentCard,
  AgentError,
  type AgentInterface,
  type AgentSkill,
  agentRoles,
  createCard,
  createSkill,
  defaultCapabilities,
  type JsonValue,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { cardParts, compactObject, extensionUri, Hydrator } from '@modelport/serve/wire'

const toWireSkill = (skill: AgentSkill): JsonObject => ({
  id: skill.id,
  description: skill.description,
  input_schema: skill.inputSchema,
  output_schema: skill.outputSchema,
  tags: skill.tags,
  examples: skill.examples,
})

/**
 * What Protolink has no field for. Its readers ignore unknown fields of a card, but refuse those of
 * capabilities and skills.
 */
function toExtension({ capabilities, skills }: AgentCard): JsonObject {
  const known = skills.map(({ id, name, inputModes, outputModes }): [string, JsonObject] => [
    id,
    {
      ...(name !== createSkill({ id }).name && { name }),
      ...(inputModes.length && { input_modes: inputModes }),
      ...(outputModes.length && { output_modes: outputModes }),
    },
  ])
  const more = known.filter(([, fields]) => Object.keys(fields).length)
  return {
    ...(capabilities.extendedAgentCard && { extended_agent_card: true }),
    ...(more.length && { skills: Object.fromEntries(more) }),
  }
}

type SkillModes = Partial<Pick<AgentSkill, 'name' | 'inputModes' | 'outputModes'>>

const readModes = (source: Hydrator): SkillModes => {
  const name = source.string('name')
  return {
    ...(name !== undefined && { name }),
    ...(source.raw('input_modes') !== undefined && { inputModes: source.strings('input_modes') }),
    ...(source.raw('output_modes') !== undefined && {
      outputModes: source.strings('output_modes'),
    }),
  }
}

const readExtended = (source: Hydrator) => ({
  extendedAgentCard: source.boolean('extended_agent_card') ?? false,
  skills: cardParts.readMap(source, 'skills', readModes),
})

const readSkill =
  (more: Readonly<Record<string, SkillModes>>) =>
  (source: Hydrator): AgentSkill => {
    const examples = source.raw('examples')
    const id = source.requiredString('id')
    return createSkill({
      id,
      description: source.string('description') ?? '',
      inputSchema: source.object('input_schema') ?? {},
      outputSchema: source.object('output_schema') ?? {},
      tags: source.strings('tags'),
      examples: Array.isArray(examples) ? (examples as readonly JsonValue[]) : [],
      ...readModes(source),
      ...(Object.hasOwn(more, id) && more[id]),
    })
  }

/**
 * A card in Protolink's form. Role and transport are written, unlike in Protolink's own versions;
 * its readers ignore them.
 */
export function toProtolinkCard(card: AgentCard): JsonObject {
  const { extended_agent_card: _, ...capabilities } = cardParts.toWireCapabilities(
    card.capabilities,
  )
  const extension = toExtension(card)
  return compactObject({
    name: card.name,
    description: card.description,
    url: card.url,
    transport: card.transport,
    version: card.version,
    protocolVersion: card.protocolVersion,
    capabilities,
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
    ...(Object.keys(extension).length && { [extensionUri]: extension }),
  })
}

const readInterface = (source: Hydrator): AgentInterface => {
  const tenant = source.string('tenant')
  return {
    url: source.requiredString('url'),
    binding: source.requiredString('transport'),
    protocolVersion: source.string('protocolVersion') ?? '',
    ...(tenant !== undefined && { tenant }),
  }
}

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

function readCard(source: Hydrator): AgentCard {
  const { extendedAgentCard = false, skills = {} } = source.nested(extensionUri, readExtended) ?? {}
  return {
    ...blank,
    name: source.requiredString('name'),
    description: source.string('description') ?? '',
    url: source.string('url') ?? '',
    transport: source.string('transport') ?? 'http',
    version: source.string('version') ?? '1.0.0',
    protocolVersion: source.string('protocolVersion') ?? '1.0',
    capabilities: {
      ...defaultCapabilities,
      extendedAgentCard,
      ...source.nested('capabilities', cardParts.readWireCapabilities),
    },
    skills: source.list('skills', readSkill(skills)),
    inputFormats:
      source.raw('inputFormats') === undefined ? ['text/plain'] : source.strings('inputFormats'),
    outputFormats:
      source.raw('outputFormats') === undefined ? ['text/plain'] : source.strings('outputFormats'),
    securitySchemes: cardParts.readMap(source, 'securitySchemes', cardParts.readOpenApiScheme),
    role: source.oneOf('role', agentRoles) ?? 'worker',
    tags: source.strings('tags'),
    interfaces: source.list('additionalInterfaces', readInterface),
    securityRequirements: cardParts.readRequirements(source, 'securityRequirements'),
    extensions: source.list('extensions', cardParts.readExtension),
    signatures: source.list('signatures', cardParts.readSignature),
    ...cardParts.readPublisher(source),
  }
}
