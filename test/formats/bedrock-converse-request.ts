import type { WireConversation, WireConversationMessage, WireRequest } from '@modelport/conformance'

/** The path says whether the reply is a stream. */
export const isStream = ({ path }: WireRequest): boolean => path.endsWith('-stream')

/** The signature of a block of thinking, as this server makes it. */
export function signatureOf(thinking: string): string {
  let sum = 7
  for (let i = 0; i < thinking.length; i++)
    sum = (Math.imul(sum, 31) + thinking.charCodeAt(i)) >>> 0
  return `signed-by-conformance-${thinking.length}-${sum.toString(36)}`
}

type Block = Readonly<Record<string, unknown>>
interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: readonly Block[] }[]
  readonly system?: readonly Block[]
  readonly inferenceConfig?: { readonly maxTokens?: number; readonly temperature?: number }
  readonly toolConfig?: { readonly tools: readonly Block[]; readonly toolChoice?: object }
  readonly [field: string]: unknown
}
interface Use {
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
}
interface Result {
  readonly toolUseId: string
  readonly content: readonly Block[]
  readonly status?: string
}
interface Spec {
  readonly name: string
  readonly description?: string
  readonly inputSchema: { readonly json: Block }
}

const textOf = (blocks: readonly Block[] = []): string =>
  blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
const usesOf = (blocks: readonly Block[] = []): Use[] =>
  blocks.flatMap(({ toolUse }) => (toolUse as Use | undefined) ?? [])
const resultsOf = (blocks: readonly Block[] = []): Result[] =>
  blocks.flatMap(({ toolResult }) => (toolResult as Result | undefined) ?? [])

/** The conversation of a request. */
export function converseRead(request: WireRequest): WireConversation {
  const {
    messages = [],
    system,
    inferenceConfig: { maxTokens, temperature } = {},
    toolConfig,
  } = request.body as Body
  return {
    model: decodeURIComponent(/[/]model[/]([^/]+)[/]/.exec(request.path)?.[1] ?? ''),
    stream: isStream(request),
    system: (system ?? []).map(({ text }) => String(text)).join('\n'),
    tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => {
      const spec = toolSpec as Spec | undefined
      // A definition of a name alone stands for earlier calls.
      return spec && Object.keys(spec.inputSchema.json).length > 1
        ? [{ name: spec.name, parameters: spec.inputSchema.json }]
        : []
    }),
    messages: messages.flatMap(({ role, content }): WireConversationMessage[] => {
      if (role === 'assistant') {
        const toolCalls = usesOf(content).map(({ toolUseId, name, input }) => ({
          id: toolUseId,
          name,
          arguments: input,
        }))
        return [{ role, text: textOf(content), toolCalls }]
      }
      const results = resultsOf(content).map(
        (result): WireConversationMessage => ({
          role: 'tool',
          callId: result.toolUseId,
          text: textOf(result.content),
          ...(result.status === 'error' && { isError: true }),
        }),
      )
      return results.length === content.length
        ? results
        : [...results, { role: 'user', text: textOf(content) }]
    }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  }
}

const fields = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'promptVariables',
  'requestMetadata',
  'additionalModelResponseFieldPaths',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
]
const userBlocks = [
  'text',
  'image',
  'document',
  'audio',
  'video',
  'toolResult',
  'cachePoint',
  'guardContent',
  'searchResult',
]
const assistantBlocks = [
  'text',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'citationsContent',
  'cachePoint',
]
const documentName = /^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/

/** The rules of Converse that a request breaks. */
export function converseViolations(request: WireRequest): readonly string[] {
  const { headers } = request
  const body = request.body as Body
  const { messages = [], toolConfig, system = [] } = body
  const found: string[] = []
  const want = (holds: boolean, text: string): void => {
    if (!holds) found.push(text)
  }
  want(
    /^(Bearer \S|AWS4-HMAC-SHA256 Credential=)/.test(headers['authorization'] ?? ''),
    'authorization: missing',
  )
  want(headers['content-type'] === 'application/json', 'content-type is not application/json')
  for (const name of Object.keys(body))
    want(fields.includes(name), `${name}: not a field of Converse`)
  want(messages.length > 0, 'A conversation must have at least one message')
  want(messages[0]?.role === 'user', 'A conversation must start with a user message')
  for (const block of system)
    want(blank(block) === undefined, 'The text field in the ContentBlock object is blank')
  const names: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const where = `messages.${index}`
    want(
      role !== messages[index - 1]?.role,
      `${where}: roles must alternate between "user" and "assistant"`,
    )
    want(content.length > 0, `${where}: the content field is empty`)
    for (const block of content) {
      const [kind = '', ...more] = Object.keys(block)
      const kinds = role === 'user' ? userBlocks : assistantBlocks
      want(
        !more.length && kinds.includes(kind),
        `${where}: ${[kind, ...more].join('+')} is not a block of ${role}`,
      )
      want(
        blank(block) === undefined,
        `${where}: The text field in the ContentBlock object is blank`,
      )
      const { document, reasoningContent } = block as {
        document?: { name: string }
        reasoningContent?: Reasoning
      }
      if (document) names.push(document.name)
      const { text = '', signature } = reasoningContent?.reasoningText ?? {}
      if (reasoningContent && !reasoningContent.redactedContent)
        want(signature === signatureOf(text), `${where}: Invalid signature in thinking block`)
    }
    if (content.some((block) => 'document' in block))
      want(textOf(content) !== '', `${where}: a document needs a text block`)
    found.push(...pairing(messages, index))
  }
  for (const result of messages.flatMap(({ content }) => resultsOf(content))) {
    want(
      result.status !== 'error' || result.content.length > 0,
      'toolResult cannot be empty when status is error',
    )
    for (const block of result.content)
      want(blank(block) === undefined, 'toolResult: The text field is blank')
    names.push(
      ...result.content.flatMap(
        ({ document }) => (document as { name: string } | undefined)?.name ?? [],
      ),
    )
  }
  for (const name of names) want(documentName.test(name), `document.name: ${name}`)
  want(new Set(names).size === names.length, "Messages can't contain duplicate document names")
  const hasToolBlocks = messages.some(
    ({ content }) => usesOf(content).length + resultsOf(content).length > 0,
  )
  want(
    !hasToolBlocks || toolConfig !== undefined,
    'The toolConfig field must be defined when using toolUse and toolResult',
  )
  if (toolConfig) {
    want(toolConfig.tools.length > 0, 'toolConfig.tools: must have at least one')
    want(
      Object.keys(toolConfig.toolChoice ?? { auto: {} }).length === 1,
      'toolConfig.toolChoice: one of auto, any, tool',
    )
    const specs = toolConfig.tools.flatMap(({ toolSpec }) => (toolSpec as Spec | undefined) ?? [])
    for (const { name, description, inputSchema } of specs) {
      want(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `toolSpec.name: ${name}`)
      want(description !== '', `toolSpec.description: empty`)
      want(inputSchema.json['type'] === 'object', `toolSpec.inputSchema.json.type must be object`)
    }
    want(
      new Set(specs.map(({ name }) => name)).size === specs.length,
      'toolSpec.name: must be unique',
    )
  }
  return found
}

interface Reasoning {
  readonly reasoningText?: { readonly text?: string; readonly signature?: string }
  readonly redactedContent?: string
}

/** The blank text of a block. */
const blank = ({ text }: Block): string | undefined =>
  typeof text === 'string' && !text.trim() ? text : undefined

/** Each call has its one result in the next message, and nothing else has one. */
function pairing(messages: NonNullable<Body['messages']>, index: number): string[] {
  const calls = usesOf(messages[index - 1]?.content)
    .filter((use) => !('type' in use))
    .map(({ toolUseId }) => toolUseId)
  const results =
    messages[index]?.role === 'user'
      ? resultsOf(messages[index].content).map(({ toolUseId }) => toolUseId)
      : []
  const where = `messages.${index}`
  const uses = usesOf(messages[index]?.content)
  return [
    ...(calls.every((id) => results.includes(id))
      ? []
      : [`${where}: Expected toolResult blocks for ${calls.join(', ')}`]),
    ...(results.every((id) => calls.includes(id))
      ? []
      : [`${where}: toolResult without its toolUse`]),
    ...(new Set(results).size === results.length ? [] : [`${where}: two results of one call`]),
    ...(index === messages.length - 1 && uses.length
      ? [`${where}: the last message has calls without results`]
      : []),
    ...uses.flatMap(({ toolUseId, input }) => [
      ...(/^[a-zA-Z0-9_.:-]{1,64}$/.test(toolUseId) ? [] : [`${where}: toolUseId ${toolUseId}`]),
      ...(typeof input === 'object' && input !== null && !Array.isArray(input)
        ? []
        : [`${where}: toolUse.input`]),
    ]),
  ]
}
