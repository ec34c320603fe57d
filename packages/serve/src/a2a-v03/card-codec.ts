import { type AgentCard, type AgentInterface, type AgentSkill, createCard, createSkill } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { toA2aCard } from '../a2a/card-codec.js'
import { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'
import {
  readExtension,
  readMap,
  readOpenApiScheme,
  readPublisher,
  readRequirements,
  readSignature,
} from '../wire/card-parts.js'

/** The fields that a card of A2A 0.3 has in addition to those of 1.0. */
export function legacyCardFields(card: AgentCard): JsonObject {
  const legacy = card.interfaces.filter(({ protocolVersion }) => protocolVersion.startsWith('0.'))
  const wire = toA2aCard(card)
  const schemes = isObject(wire['securitySchemes']) ? wire['securitySchemes'] : {}
  return compactObject({
    protocolVersion: '0.3.0',
    url: legacy[0]?.url ?? card.url,
    preferredTransport: legacy[0]?.binding ?? 'JSONRPC',
    additionalInterfaces: legacy.map(({ url, binding }) => ({ url, transport: binding })),
    supportsAuthenticatedExtendedCard: card.capabilities.extendedAgentCard,
    security: card.securityRequirements.length ? card.securityRequirements : undefined,
    securitySchemes: Object.keys(schemes).length
      ? Object.fromEntries(
          Object.entries(card.securitySchemes).map(([name, scheme]) => [
            name,
            { ...(schemes[name] as JsonObject), ...scheme },
          ]),
        )
      : undefined,
  })
}

/**
 * Reads a card of A2A 0.3. Fields that are often left out get their defaults.
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export const fromLegacyCard = (wire: unknown): AgentCard => createCard(Hydrator.run('AgentCard', wire, readCard))

function readCard(source: Hydrator): Parameters<typeof createCard>[0] {
  const name = source.requiredString('name')
  const description = source.string('description') ?? ''
  const [inputFormats, outputFormats] = [source.strings('defaultInputModes'), source.strings('defaultOutputModes')]
  const interfaces = readInterfaces(source)
  return {
    name,
    description: description === '' ? name : description,
    version: source.string('version') ?? '1.0.0',
    url: interfaces[0]?.url ?? '',
    capabilities: {
      ...source.nested('capabilities', readCapabilities),
      extendedAgentCard: source.boolean('supportsAuthenticatedExtendedCard') ?? false,
    },
    skills: source.list('skills', readSkill),
    ...(inputFormats.length && { inputFormats }),
    ...(outputFormats.length && { outputFormats }),
    securitySchemes: readMap(source, 'securitySchemes', readOpenApiScheme),
    securityRequirements: readRequirements(source, 'security'),
    extensions: source.nested('capabilities', (inner) => inner.list('extensions', readExtension)) ?? [],
    signatures: source.list('signatures', readSignature),
    interfaces,
    ...readPublisher(source),
  }
}

const readCapabilities = (source: Hydrator): Partial<AgentCard['capabilities']> =>
  compactObject({
    streaming: source.boolean('streaming'),
    pushNotifications: source.boolean('pushNotifications'),
    stateTransitionHistory: source.boolean('stateTransitionHistory'),
  })

const readSkill = (source: Hydrator): AgentSkill => {
  const name = source.string('name')
  return createSkill({
    id: source.requiredString('id'),
    ...(name && { name }),
    description: source.string('description') ?? '',
    tags: source.strings('tags'),
    examples: source.strings('examples'),
    inputModes: source.strings('inputModes'),
    outputModes: source.strings('outputModes'),
  })
}

/** The interfaces, preferred first. The preferred one is usually named twice. */
function readInterfaces(source: Hydrator): readonly AgentInterface[] {
  const preferred = { url: source.string('url'), binding: source.string('preferredTransport') ?? 'JSONRPC' }
  const others = source.list('additionalInterfaces', (each) => ({
    url: each.requiredString('url'),
    binding: each.requiredString('transport'),
  }))
  const rest = others.filter(({ url, binding }) => url !== preferred.url || binding !== preferred.binding)
  return [preferred, ...rest].flatMap(({ url, binding }) => (url ? [{ url, binding, protocolVersion: '0.3' }] : []))
}
