import {
  type ChatMessage,
  configError,
  type ErrorCode,
  isObject,
  isProvider,
  type JsonObject,
  LlmError,
  type ModelProfile,
} from '@modelport/core'
import { checkPlatform, checkPrices, checkSettings, optionNames } from '@modelport/core/settings'

/** The form of a value: in words, as a check, and with a hint for a value that nearly fits. */
type Kind = readonly [
  wanted: string,
  is: (value: unknown) => boolean,
  faultOf?: (value: unknown) => string | undefined,
]

const isText = (value: unknown): boolean => typeof value === 'string'
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isListOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(is)
const isDefinition = (value: unknown): boolean => isObject(value) && isText(value['name'])
const isTool = (value: unknown): boolean =>
  isObject(value) &&
  isDefinition(value['definition']) &&
  isFunction(value['validate']) &&
  isFunction(value['execute'])
const isContent = (value: unknown): boolean =>
  isText(value) || isListOf((part) => isObject(part) && isText(part['type']))(value)
const isMessage = (value: unknown): boolean =>
  isObject(value) && isText(value['role']) && isContent(value['content'])
const isAgent = (value: unknown): boolean =>
  isDefinition(value) && isFunction((value as { readonly call?: unknown }).call)
const isMapOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    [Object.prototype, null].includes(Object.getPrototypeOf(value ?? '') as null) &&
    Object.values(value as object).every(is)
const isToolSet = isMapOf(
  (tool) =>
    isTool(tool) || (isObject(tool) && ['inputSchema', 'execute'].some((name) => name in tool)),
)
/** Names the first item of a list that is not a tool, and what it lacks. */
function faultOfTools(list: unknown): string | undefined {
  if (!Array.isArray(list)) return undefined
  const index = list.findIndex((item) => !isTool(item))
  const item: unknown = list[index]
  if (!isObject(item)) return `tools[${index}] must be a tool; make it with defineTool`
  const methods = ['validate', 'execute'].filter((name) => !isFunction(item[name]))
  const lacks = isDefinition(item['definition']) ? methods[0] : 'definition'
  if ('inputSchema' in item)
    return `tools[${index}] is a tool of another library; pass such tools by name: tools: { NAME: tool }`
  return `tools[${index}] must be a tool, but has no "${lacks}"; make it with defineTool`
}

const has =
  (...methods: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && methods.every((name) => isFunction(value[name]))

const text: Kind = ['a text', isText]
// A promise is a forgotten await.
const object: Kind = ['an object', (value) => isObject(value) && !isFunction(value['then'])]
const callable: Kind = ['a function', isFunction]
const messages: Kind = ['a list of messages, each with a role and its content', isListOf(isMessage)]
const tools: Kind = ['a list of tools; make them with defineTool', isListOf(isTool), faultOfTools]

/**
 * What a run and a single action are asked; `tools` differ. Other fields are checked where they are
 * read.
 */
const fields: Readonly<Record<string, Kind>> = {
  tools,
  query: ['a text or a list of content parts', isContent],
  messages,
  history: ['a ConversationHistory', has('toList', 'add')],
  system: ['a text, or a function that gives one', (value) => isText(value) || isFunction(value)],
  sources: ['a list of sources, each with tools()', isListOf(has('tools'))],
  agents: ['a list of agents, each with a name and call()', isListOf(isAgent)],
  capabilities: [
    'the capabilities of a provider',
    (value) => isObject(value) && isObject(value['tools']) && isObject(value['schema']),
  ],
  preset: ['an object; those of other systems are in @modelport/compat', object[1]],
  budget: object,
  profile: object,
  authorize: callable,
  onEvent: callable,
  onStreamEvent: callable,
  compaction: object,
  options: object,
  prepareStep: callable,
  stopWhen: [
    'a function such as stepCountIs(5), or a list of them',
    (value) => isFunction(value) || isListOf(isFunction)(value),
  ],
  models: ['an object of providers by name', isMapOf(isProvider)],
  handoffs: [
    'an object of settings by name, each with a description, and with tools as a list of tools and names',
    isMapOf(
      (one) =>
        isObject(one) &&
        isText(one['description']) &&
        isListOf((tool) => isText(tool) || isTool(tool))(one['tools'] ?? []),
    ),
  ],
  agent: text,
  output: ['an object with a function parse()', has('parse')],
  calls: [
    'a list of calls, each with a name and an object of arguments',
    isListOf((call) => isDefinition(call) && isObject((call as JsonObject)['arguments'])),
  ],
  afterTools: callable,
  acceptChange: callable,
  sink: ['an object with a function write()', has('write')],
  journal: [
    'an object with the functions of a RunJournal',
    has('writeIntent', 'writeReceipt', 'writeCheckpoint', 'readTail'),
  ],
  engine: ['an object with a function perform()', has('perform')],
  resume: object,
  decisions: [
    'a list of decisions, each with a type and an id',
    isListOf((one) => isObject(one) && isText(one['type']) && isText(one['id'])),
  ],
  scope: object,
  signal: ['an AbortSignal', has('addEventListener', 'throwIfAborted')],
  runId: text,
  agentName: text,
}

const kinds = Object.entries(fields)

/** What `tools` must be: those of a run, or definitions. */
const toolKinds: Readonly<Record<'tools' | 'definitions', Kind>> = {
  tools: [
    `${tools[0]}, or a function that gives one, or an object with the tools by name`,
    (list) => isFunction(list) || tools[1](list) || isToolSet(list),
    faultOfTools,
  ],
  definitions: ['a list of tool definitions', isListOf(isDefinition)],
}

/** @throws {LlmError} of the code: the value is of another kind. */
function hold(code: ErrorCode, where: string, value: unknown, [wanted, is, faultOf]: Kind): void {
  if (!is(value)) throw new LlmError(code, faultOf?.(value) ?? `${where} must be ${wanted}`)
}

/** @throws {LlmError} `config` — the value is not a provider, or the platform is too old. */
export function checkProvider(provider: unknown, where = 'provider'): void {
  checkPlatform()
  // The AI SDK has the model in its only argument.
  const isInRequest =
    isObject(provider) && 'model' in provider && ('prompt' in provider || 'messages' in provider)
  const hint = isInRequest
    ? `; it comes first: ${'schema' in provider ? 'generateObject(provider, { schema, prompt })' : 'infer(provider, { query })'}`
    : provider instanceof Promise
      ? '; this is a promise: await it'
      : ''
  hold('config', where, provider, [
    `a Provider; make one with a provider package or with newProvider${hint}`,
    isProvider,
  ])
}

/** @throws {LlmError} `invalid-request` — the value is not a list of messages. */
export function checkMessages(given: readonly ChatMessage[]): void {
  hold('invalid-request', 'messages', given, messages)
}

/** @throws {LlmError} `config` — the value is not a list of tools. */
export function checkTools(given: unknown): void {
  hold('config', 'tools', given, tools)
}

/** @throws {LlmError} `config` — two of the application's own tools share a name. */
export function checkToolNames(
  given: readonly { readonly definition: { readonly name: string } }[],
): void {
  const names = given.map(({ definition: { name } }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw configError(`tools: two tools are named "${repeated}"; rename one of them`)
}

/**
 * @throws {LlmError} `config` — a price is wrong, or the budget limits the cost and the profile has
 * no prices.
 */
export function checkProfile(
  budget: { readonly maxCost?: number | undefined } | undefined,
  profile: ModelProfile = {},
): void {
  const { prices } = profile
  if (prices !== undefined) checkPrices('limits.profile.prices', prices)
  else if (budget?.maxCost !== undefined)
    throw configError('limits.budget.maxCost needs a profile with prices: { input, output }')
}

/** The parts of a request that {@link checkRequest} needs. */
export interface RequestRules {
  readonly where: string
  readonly toolsAre: 'tools' | 'definitions'
  readonly known: readonly string[]
  /** The fields of its groups by name, and deeper ones by path, as messages name them. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
}

/**
 * Holds a request to its fields and their kinds: not everybody has a compiler.
 * @throws {TypeError} a field is not known.
 * @throws {LlmError} `invalid-request` — names the field, and says what it must be.
 */
export function checkRequest(
  request: object,
  { where, toolsAre, known, groups = {} }: RequestRules,
): void {
  hold('invalid-request', 'the request', request, object)
  for (const name of ['model', 'llm'])
    if (name in request)
      throw new TypeError(
        `${where}: unknown setting "${name}"; the provider comes first: ${where}(provider, { … })`,
      )
  checkSettings(where, request, known, { options: optionNames.call, ...groups })
  const given = request as Readonly<Record<string, unknown>>
  holdFields('', given, toolsAre)
  if (given['options'] !== undefined)
    checkSettings(`${where}: options`, given['options'] as object, optionNames.call)
  for (const [name, fieldsOfGroup] of Object.entries(groups)) {
    const group = given[name]
    if (group === undefined) continue
    hold('invalid-request', name, group, object)
    checkSettings(`${where}: ${name}`, group as object, fieldsOfGroup, {
      request: known,
      ...groups,
    })
    holdFields(`${name}.`, group as Readonly<Record<string, unknown>>, toolsAre)
  }
}

function holdFields(
  prefix: string,
  given: Readonly<Record<string, unknown>>,
  toolsAre: RequestRules['toolsAre'],
): void {
  for (const [name, kind] of kinds) {
    const value = given[name]
    if (value === undefined) continue
    hold('invalid-request', prefix + name, value, name === 'tools' ? toolKinds[toolsAre] : kind)
  }
}

/** @throws {LlmError} `invalid-request` — `calls`, `tools` or `onResult` is of the wrong type. */
export function checkBatch(
  calls: unknown,
  options: { readonly tools?: unknown; readonly onResult?: unknown },
): void {
  hold('invalid-request', 'calls', calls, ['a list of tool calls', isListOf(isDefinition)])
  hold('invalid-request', 'the options', options, object)
  checkTools(options.tools)
  hold('invalid-request', 'onResult', options.onResult, callable)
}

/**
 * @throws {LlmError} `config` — the settings of a tool have a field of another kind.
 * @throws {TypeError} one is not known.
 */
export function checkToolSettings(settings: object, known: readonly string[]): void {
  const wanted = 'an object: { name, description, parameters, execute }'
  hold('config', 'the settings of a tool', settings, [wanted, isObject])
  if ('needsApproval' in settings)
    throw new TypeError(
      'defineTool: unknown setting "needsApproval"; calls are approved by authorize of infer, or by the policy of an agent',
    )
  checkSettings('defineTool', settings, known)
  const { name, description, execute, reconcile } = settings as Readonly<Record<string, unknown>>
  hold('config', 'the name of a tool', name, text)
  hold('config', `tool "${String(name)}": description`, description, text)
  hold('config', `tool "${String(name)}": execute`, execute, callable)
  if (reconcile !== undefined)
    hold('config', `tool "${String(name)}": reconcile`, reconcile, callable)
}
