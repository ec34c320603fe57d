import {
  type AgentCard,
  type Artifact,
  createCard,
  type JsonValue,
  type Message,
  type Part,
  type Task,
  taskStates,
} from '@modelport/agent'
import { fc } from '../../../../test/support/fast-check.js'

const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
const key = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
  .filter((name) => !/^__proto__$/.test(name))
const object = fc
  .dictionary(key, json, { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Readonly<Record<string, JsonValue>>)
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const id = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' })
const time = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((at) => new Date(at).toISOString())
const optional = <T extends object>(arbitraries: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(arbitraries, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
const both = <A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) =>
  fc.tuple(a, b).map(([left, right]) => ({ ...left, ...right }))

const fields = optional({
  metadata: object.filter((value) => Object.keys(value).length > 0),
  filename: text.filter((name) => name !== ''),
  mediaType: fc.constantFrom('text/plain', 'image/png'),
})
const route = both(
  fc.record({ routeKey: id }),
  optional({ reason: text, confidence: fc.integer({ min: 0, max: 9 }), metadata: object }),
)
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))

const content = fc.oneof(
  fc.record({ type: fc.constant('text'), content: text }),
  fc.record({ type: fc.constant('bytes'), content: base64 }),
  fc.record({ type: fc.constant('uri'), content: fc.webUrl() }),
  fc.record({ type: fc.constantFrom('json', 'file', 'image', 'infer_output'), content: json }),
  fc.record({
    type: fc.constant('tool_call'),
    content: both(fc.record({ toolName: id, args: object }), optional({ callId: id })),
  }),
  fc.record({
    type: fc.constant('tool_output'),
    content: optional({ callId: id, toolName: id, result: json, error: text }),
  }),
  fc.record({
    type: fc.constant('infer'),
    content: optional({ prompt: text, user: text, outputSchema: object, metadata: object }),
  }),
  fc.record({
    type: fc.constant('error'),
    content: fc.record({ code: id, message: text, retryable: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('status'),
    content: both(fc.record({ state: id }), optional({ message: text })),
  }),
  fc.record({ type: fc.constantFrom('route', 'decision'), content: route }),
  fc.record({
    type: fc.constant('request'),
    content: both(
      fc.record({ requestId: id }),
      optional({
        approved: fc.boolean(),
        decidedBy: text,
        reason: text,
        action: object,
        digest: id,
        expiresAt: time,
        path: fc.array(id),
      }),
    ),
  }),
  fc.record({ type: fc.constant('other'), wireType: id.map((name) => `x-${name}`), content: json }),
)

/** Any part. */
export const part = both(content, fields) as fc.Arbitrary<Part>

/** Any message. */
export const message = both(
  fc.record({
    id,
    role: fc.constantFrom('user', 'agent', 'assistant', 'system'),
    parts: fc.array(part, { maxLength: 3 }),
    timestamp: time,
  }),
  optional({
    metadata: object.filter((value) => Object.keys(value).length > 0),
    extensions: fc.array(id, { minLength: 1, maxLength: 2 }),
    referenceTaskIds: fc.array(id, { minLength: 1, maxLength: 2 }),
  }),
) as fc.Arbitrary<Message>

/** Any artifact. */
export const artifact = both(
  fc.record({
    id,
    parts: fc.array(part, { maxLength: 2 }),
    metadata: object,
    timestamp: time,
    kind: fc.constantFrom('result', 'answer'),
  }),
  optional({
    name: id,
    description: id,
    uri: id,
    mediaType: id,
    actionId: id,
    extensions: fc.array(id, { minLength: 1, maxLength: 2 }),
  }),
) as fc.Arbitrary<Artifact>

/** Any task. */
export const task = both(
  fc.record({
    id,
    sessionId: id,
    state: fc.constantFrom(...taskStates),
    statusAt: time,
    messages: fc.uniqueArray(message, { maxLength: 3, selector: ({ id: name }) => name }),
    artifacts: fc.uniqueArray(artifact, { maxLength: 3, selector: ({ id: name }) => name }),
    metadata: object,
    flowState: object,
    createdAt: time,
  }),
  optional({ statusMessage: message, last: fc.constantFrom('message', 'artifact') }),
) as fc.Arbitrary<Task>

const skill = fc.record({
  id,
  name: id,
  description: text,
  inputSchema: object,
  outputSchema: object,
  tags: fc.array(id, { maxLength: 2 }),
  examples: fc.array(json, { maxLength: 2 }),
  inputModes: fc.array(id, { maxLength: 2 }),
  outputModes: fc.array(id, { maxLength: 2 }),
})
const scheme = fc.oneof(
  fc.record({
    type: fc.constant('apiKey'),
    in: fc.constantFrom('header', 'query', 'cookie'),
    name: id,
  }),
  fc.record({ type: fc.constant('http'), scheme: id, bearerFormat: id, description: id }),
  fc.record({ type: fc.constant('openIdConnect'), openIdConnectUrl: fc.webUrl() }),
  fc.record({
    type: fc.constant('oauth2'),
    flows: fc.constant({
      clientCredentials: { tokenUrl: 'https://example.com/token', scopes: { read: 'Read' } },
    }),
  }),
  fc.record({ type: fc.constant('mutualTLS') }),
)

/** Any valid card. */
export const card: fc.Arbitrary<AgentCard> = fc
  .record({
    name: id,
    description: id,
    url: fc.webUrl(),
    version: id,
    capabilities: fc.record({
      streaming: fc.boolean(),
      pushNotifications: fc.boolean(),
      hasLlm: fc.boolean(),
      maxConcurrency: fc.integer({ min: 1, max: 99 }),
      delegation: fc.boolean(),
      extendedAgentCard: fc.boolean(),
    }),
    skills: fc.uniqueArray(skill, { maxLength: 3, selector: ({ id: name }) => name }),
    inputFormats: fc.array(id, { minLength: 1, maxLength: 2 }),
    outputFormats: fc.array(id, { minLength: 1, maxLength: 2 }),
    securitySchemes: fc.record({ main: scheme }),
    securityRequirements: fc.array(fc.record({ main: fc.array(id, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    role: fc.constantFrom('worker', 'orchestrator', 'observer', 'gateway'),
    tags: fc.array(id, { maxLength: 2 }),
    interfaces: fc.array(
      fc.record({ url: fc.webUrl(), binding: id, protocolVersion: id, tenant: id }),
      {
        maxLength: 2,
      },
    ),
    extensions: fc.array(fc.record({ uri: fc.webUrl(), required: fc.boolean(), params: object }), {
      maxLength: 1,
    }),
    provider: fc.record({ organization: id, url: fc.webUrl() }),
    iconUrl: fc.webUrl(),
  })
  .map((fields) => createCard(fields as Parameters<typeof createCard>[0]))
