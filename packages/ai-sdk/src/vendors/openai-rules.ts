import { type CallOptions, isObject, type JsonObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import { responsesCalls } from './executed-calls.js'
import { chatMetadata, responsesMetadata, responsesPart } from './vendor-metadata.js'
import {
  type Fields,
  idOf,
  ofCall,
  type Rule,
  rulesOf,
  toSnakeDeep,
  type VendorRules,
  vendor,
  type WireTool,
} from './vendor-rules.js'

const levels: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** A level of ours, or the vendor's own word for one. */
const toReasoning =
  (field: (effort: unknown) => JsonObject): Rule<CallOptions> =>
  (value) =>
    levels.includes(value)
      ? { reasoning: value as NonNullable<CallOptions['reasoning']> }
      : vendor(field(value))

const ofProvider = (field: string): string => `set ${field} where the provider is made`

/** Rules of options that another API of the vendor has. */
const notHere = (names: readonly string[], advice: string): Record<string, Rule<CallOptions>> =>
  Object.fromEntries(names.map((name) => [name, () => advice]))

/** Options that both APIs of OpenAI have in the same way. */
const shared: Readonly<Record<string, Rule<CallOptions>>> = {
  parallelToolCalls: (value) => ({ parallelToolCalls: value === true }),
  metadata: (metadata) => vendor({ metadata }),
  systemMessageMode: () => ofProvider('`traits`'),
  forceReasoning: () => ofProvider('`traits: { reasoning: true }`'),
  // `responseFormat` of the call says it.
  strictJsonSchema: () => ({}),
  structuredOutputs: () => 'the packages have `strictJsonSchema` in its place',
}

/** Values of a tool whose keys are the application's. */
const verbatim = ['filters', 'headers', 'parameters', 'format', 'outputSchema', 'schema']

const call: Readonly<Record<string, Rule<CallOptions>>> = {
  ...shared,
  // The number that the packages of the AI SDK ask for.
  logprobs: (value) =>
    value === false ? {} : { topLogprobs: value === true ? 20 : Number(value) },
  instructions: (value) => ({ system: String(value) }),
  reasoningEffort: toReasoning((effort) => ({ reasoning: { effort } })),
  reasoningSummary: (summary) => vendor({ reasoning: { summary } }),
  reasoningMode: (mode) => vendor({ reasoning: { mode } }),
  reasoningContext: (context) => vendor({ reasoning: { context } }),
  reasoningEffortUpdate: () => 'set `reasoning` of the call',
  textVerbosity: (verbosity) => vendor({ text: { verbosity } }),
  textFormat: (format) => vendor({ text: { format } }),
  compactionTrigger: (value) =>
    value === true ? vendor({ input: [{ type: 'compaction_trigger' }] }) : {},
  // A file of any type is sent, and what a search found is asked for wherever there is one.
  passThroughUnsupportedFiles: () => ({}),
  includeWebSearchSources: () => ({}),
  allowedTools: (value, { tools = [] }) => {
    const { toolNames = [], mode = 'auto' } = Object(value) as {
      readonly toolNames?: readonly string[]
      readonly mode?: string
    }
    const allowed = toolNames.map((name) => {
      const ofVendor = tools.find((one) => one.type === 'provider' && one.name === name)
      const known = ofVendor?.type === 'provider' ? toResponsesTool(ofVendor)?.tool : undefined
      return known ? toAllowed(known) : { type: 'function', name }
    })
    return vendor({ tool_choice: { type: 'allowed_tools', mode, tools: allowed } })
  },
  ...notHere(
    ['logitBias', 'maxCompletionTokens', 'prediction'],
    'the Responses API has no such field',
  ),
}

/** What names a tool of the vendor among those that are allowed. */
const toAllowed = ({ type, name, server_label }: JsonObject): JsonObject => ({
  type,
  ...(type === 'custom' && { name }),
  ...(type === 'mcp' && { server_label }),
})

const tool: Readonly<Record<string, Rule<Fields>>> = {
  deferLoading: (value) => ({ deferred: value === true }),
  allowedCallers: (value) => ({
    callers: (Array.isArray(value) ? value : []).map((one) =>
      one === 'direct' ? 'model' : 'code',
    ),
  }),
  namespace: () => 'give the tools of a namespace in `providerOptions.modelport.providerTools`',
  omitFromRequestTools: () => 'leave the tool out of the call',
}

/**
 * What a part of a reply has of its item. The AI SDK gives it to the result of a call too, and no
 * request of ours repeats it: the reply itself goes back.
 */
const ofItem: Readonly<Record<string, Rule<Fields>>> = {
  itemId: () => ({}),
  annotations: () => ({}),
}

const part: Readonly<Record<string, Rule<Fields>>> = {
  ...ofItem,
  imageDetail: (detail) =>
    detail === 'low' || detail === 'high' || detail === 'auto'
      ? { detail }
      : { vendor: { detail } },
}

const lostOfSystem: ReadonlySet<string> = new Set([
  'reasoningEffortUpdate',
  'textFormatUpdate',
  'additionalTools',
])

/** OpenAI's Responses API. */
export const responsesRules: VendorRules = {
  namespaces: ['azure', 'openai'],
  key: 'openai',
  metadata: responsesMetadata,
  partMetadata: responsesPart,
  executedCalls: responsesCalls,
  hasClientCalls: true,
  supportedUrls: { 'image/*': [/^https?:\/\/.*$/], 'application/pdf': [/^https?:\/\/.*$/] },
  call: rulesOf(call, (name) => (value) => vendor({ [toSnake(name)]: toSnakeDeep(value) })),
  tool: rulesOf(tool, (name) => (value) => ({
    vendor: { [toSnake(name)]: verbatim.includes(name) ? value : toSnakeDeep(value) },
  })),
  part: rulesOf(part, (name) => (value) => ({ vendor: { [toSnake(name)]: toSnakeDeep(value) } })),
  message: (name) => (lostOfSystem.has(name) ? () => ofCall : undefined),
  result: rulesOf<Fields>({ ...ofItem, additionalTools: () => ofCall }, (name) => (value) => ({
    vendor: { [toSnake(name)]: toSnakeDeep(value) },
  })),
  providerTool: toResponsesTool,
  choose: ({ type, name }) => ({
    tool_choice: type === 'custom' ? { type, name } : { type },
  }),
  besides: ({ tools = [], providerOptions, reasoning }, options) => {
    const given = providerOptions?.['azure'] ?? providerOptions?.['openai']
    const types = tools.map((one) => (one.type === 'provider' ? one.id : ''))
    const searches = types.some((id) => id.startsWith('openai.web_search'))
    const include = [
      ...(searches && given?.['includeWebSearchSources'] !== false
        ? ['web_search_call.action.sources']
        : []),
      ...(types.includes('openai.code_interpreter') ? ['code_interpreter_call.outputs'] : []),
    ]
    const thinks = reasoning !== undefined && reasoning !== 'provider-default'
    const level = options.reasoning ?? (thinks ? reasoning : undefined)
    const summary =
      level !== undefined && level !== 'none' && given?.['reasoningSummary'] === undefined
        ? { reasoning: { summary: 'detailed' } }
        : {}
    return vendor({ ...summary, ...(include.length && { include }) })
  },
}

const wordsOfTools: Readonly<Record<string, string>> = {
  containerAuto: 'container_auto',
  containerReference: 'container_reference',
  skillReference: 'skill_reference',
}

/** A tool of the vendor: its arguments in the words of the wire. */
function toResponsesTool({
  id,
  name: given,
  args,
}: Parameters<VendorRules['providerTool']>[0]): WireTool | undefined {
  if (!id.startsWith('openai.')) return undefined
  const type = id.slice('openai.'.length)
  const { ranking, container, requireApproval, environment, ...rest } = args
  const own = type === 'custom' ? { name: given } : {}
  const fields = {
    type,
    ...own,
    ...Object(toSnakeDeep(rest, verbatim)),
    // The domains of a search are a filter by name; those of a store are the application's.
    ...(type === 'web_search' && rest['filters'] ? { filters: toSnakeDeep(rest['filters']) } : {}),
    ...(ranking ? { ranking_options: toSnakeDeep(ranking) } : {}),
    ...(type === 'code_interpreter' ? { container: toContainer(container) } : {}),
    ...(type === 'mcp' ? { require_approval: toSnakeDeep(requireApproval ?? 'never') } : {}),
    ...(environment ? { environment: toEnvironment(environment) } : {}),
  } as JsonObject
  return { tool: fields, name: type === 'custom' ? given : type }
}

const toContainer = (container: unknown): unknown =>
  typeof container === 'string'
    ? container
    : { type: 'auto', ...Object(toSnakeDeep(withTypes(Object(container) as JsonObject))) }

function toEnvironment(environment: unknown): unknown {
  const { skills, ...rest } = Object(environment) as JsonObject
  const list = Array.isArray(skills)
    ? skills.map((skill: JsonObject) => {
        const { providerReference, ...fields } = skill
        return providerReference
          ? { ...fields, skillId: idOf(providerReference, 'openai') }
          : fields
      })
    : undefined
  return toSnakeDeep(withTypes({ ...rest, ...(list && { skills: list.map(withTypes) }) }))
}

/** An object with the wire's word for its type, and for that of what it has. */
function withTypes(object: JsonObject): JsonObject {
  const { type, networkPolicy } = object
  return {
    ...object,
    ...(typeof type === 'string' && { type: wordsOfTools[type] ?? type }),
    ...(isObject(networkPolicy) &&
      networkPolicy['type'] !== 'disabled' && {
        networkPolicy: { ...networkPolicy, type: 'allowlist' },
      }),
  }
}

const chatCall: Readonly<Record<string, Rule<CallOptions>>> = {
  ...shared,
  logprobs: (value) => (value === false ? {} : { topLogprobs: value === true ? 0 : Number(value) }),
  logitBias: (bias) => vendor({ logit_bias: bias }),
  prediction: (prediction) => vendor({ prediction }),
  maxCompletionTokens: (value) => ({ maxTokens: Number(value) }),
  reasoningEffort: toReasoning((effort) => ({ reasoning_effort: effort })),
  textVerbosity: (verbosity) => vendor({ verbosity }),
}

/** Options that OpenAI's package has for the Responses API only. */
const responsesOnly = notHere(
  [
    'allowedTools',
    'compactionTrigger',
    'contextManagement',
    'conversation',
    'include',
    'includeWebSearchSources',
    'instructions',
    'maxToolCalls',
    'passThroughUnsupportedFiles',
    'previousResponseId',
    'reasoningContext',
    'reasoningEffortUpdate',
    'reasoningMode',
    'reasoningSummary',
    'textFormat',
    'truncation',
  ],
  'only the Responses API has it',
)

const chatMessage: Readonly<Record<string, Rule<Fields>>> = {
  name: (name) => ({ name: String(name) }),
}

/**
 * Chat Completions. The package for servers that are compatible with OpenAI sends what it does not
 * know as it is.
 */
export const chatRules: VendorRules = {
  namespaces: ['openai', 'openaiCompatible', 'openai-compatible'],
  key: 'openai',
  metadata: chatMetadata,
  supportedUrls: { 'image/*': [/^https?:\/\/.*$/] },
  call: (name, namespace) => {
    if (namespace !== 'openai')
      return rulesOf(chatCall, (other) => (value) => vendor({ [other]: value }))(name)
    return rulesOf(
      { ...responsesOnly, ...chatCall },
      (other) => (value) => vendor({ [toSnake(other)]: toSnakeDeep(value) }),
    )(name)
  },
  tool: rulesOf<Fields>({}, (name) => (value) => ({ vendor: { [toSnake(name)]: value } })),
  part: rulesOf(part, (name) => (value) => ({ vendor: { [toSnake(name)]: toSnakeDeep(value) } })),
  message: (name) => chatMessage[name],
  providerTool: () => undefined,
  penalty: (name, value) => vendor({ [toSnake(name)]: value }),
}
