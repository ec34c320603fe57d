import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV3Warning,
} from '@ai-sdk/provider'
import {
  type CallOptions,
  type ChatMessage,
  isObject,
  type JsonObject,
  mergeOptions,
  type Provider,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '@modelport/core'
import { defined } from '@modelport/driver'
import { lostOptions, toWarning } from './lost-options.js'
import { ownOptions, pickOptions } from './own-options.js'
import { readPrompt } from './prompt.js'
import type { Seal } from './seal.js'
import { ReplyContext } from './vendors/reply-context.js'
import { rulesOfProvider } from './vendors/rules-of-provider.js'
import { translateCall } from './vendors/translate-call.js'
import { joinOptions } from './vendors/vendor-rules.js'

type ModelCall = LanguageModelV4CallOptions
type Warning = SharedV3Warning

/** A call of the AI SDK as one of ours. */
export interface ReadCall {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** What the parts of the reply depend on. */
  readonly context: ReplyContext
  readonly options: CallOptions
  readonly warnings: readonly Warning[]
  /** Names of the options that the AI SDK set, and that nothing of ours has set over them. */
  readonly set: readonly string[]
}

/**
 * Reads a call. What the AI SDK leaves unset is not sent, and the call is one request: the AI SDK
 * repeats it. `defaults` and then `providerOptions.modelport` come over that.
 */
export function readCall(
  given: ModelCall,
  provider: Provider,
  defaults: CallOptions | undefined,
  seal: Seal,
): ReadCall {
  const rules = rulesOfProvider(provider)
  const translated = rules ? translateCall(given, rules) : undefined
  const call = translated?.call ?? given
  const { tools = [] } = call
  const names = translated?.names ?? new Map<string, string>()
  const { messages, answers, hasForeignState } = readPrompt(call.prompt, {
    provider: provider.name,
    seal,
    wireNames: new Map([...names].map(([wire, own]) => [own, wire])),
    hasClientCalls: rules?.hasClientCalls ?? false,
  })
  const executed = tools.filter((tool) => tool.type === 'provider')
  const known = executed.filter(({ id }) => id.startsWith('modelport.'))
  const functions = tools.filter((tool) => tool.type === 'function')
  const providerTools = [
    ...(translated?.providerTools ?? []),
    ...known.map(({ args }): JsonObject => args),
  ]
  const said = joinOptions(
    toOptions(call, given.providerOptions),
    translated?.options ?? {},
    answers.length ? { vendor: { input: answers } } : {},
    providerTools.length ? { providerTools } : {},
  )
  const own = ownOptions(call.providerOptions)
  const once: CallOptions = { maxTokens: null, temperature: null, retry: { attempts: 1 } }
  const refused = (['temperature', 'topP', 'topK'] as const).filter(
    (name) => call[name] !== undefined && said[name] === null,
  )
  const lost = new Map([
    ...(translated?.lost ?? []),
    ...lostOptions(call),
    ...refused.map((name) => [name, 'the model does not take it while it thinks'] as const),
  ])
  return {
    messages,
    tools: functions.map(toDefinition),
    context: new ReplyContext(seal, names, rules),
    options: mergeOptions(once, defaults, toHeaders(call.headers), said, own),
    set: Object.keys(defined(said)).filter((name) => own[name] === undefined),
    warnings: [
      ...[...lost].map(([feature, details]) => toWarning(feature, details)),
      ...(hasForeignState
        ? [
            toWarning(
              'the kept state of an earlier reply',
              'it has no seal of this process: give `toLanguageModel` the same `secret` on every server',
            ),
          ]
        : []),
      ...functions
        .filter((tool) => tool.inputExamples?.length)
        .map(({ name }) =>
          toWarning(`inputExamples of ${name}`, 'write them into the description of the tool'),
        ),
      ...executed
        .filter((tool) => !known.includes(tool))
        .map(({ id }) =>
          toWarning(
            `provider tool ${id}`,
            'the vendor that is asked has no such tool; pass its own form as a tool `modelport.NAME`',
          ),
        ),
    ],
  }
}

function toOptions(call: ModelCall, vendors: ModelCall['providerOptions']): CallOptions {
  const {
    topP,
    topK,
    seed,
    reasoning,
    stopSequences,
    temperature,
    maxOutputTokens: maxTokens,
  } = call
  return {
    ...defined({ maxTokens, temperature, topP, topK, seed }),
    reasoning: reasoning === 'provider-default' ? undefined : reasoning,
    signal: call.abortSignal,
    stop: stopSequences?.length ? stopSequences : undefined,
    toolChoice: toToolChoice(call.toolChoice),
    responseFormat: toResponseFormat(call.responseFormat, vendors),
  }
}

/**
 * Headers as an option. `user-agent` names the AI SDK, and a browser would have to ask the server
 * before it may send one: it is left out.
 */
export function toHeaders(given: ModelCall['headers'] = {}): Pick<CallOptions, 'vendor'> {
  const sent = Object.entries(defined(given)).filter(
    ([name]) => name.toLowerCase() !== 'user-agent',
  )
  return sent.length ? { vendor: { headers: Object.fromEntries(sent) } } : {}
}

/** `auto` is what every vendor does unasked, and the AI SDK sets it where its caller has not. */
function toToolChoice(choice: ModelCall['toolChoice']): ToolChoice | undefined {
  if (!choice || choice.type === 'auto') return undefined
  return choice.type === 'tool' ? { name: choice.toolName } : choice.type
}

/** A closed schema goes out in strict form, unless an option of a vendor says otherwise. */
function toResponseFormat(
  format: ModelCall['responseFormat'],
  vendors: ModelCall['providerOptions'] = {},
): ResponseFormat | undefined {
  if (format?.type !== 'json') return undefined
  if (!format.schema) return { type: 'json' }
  const { name, description } = format
  const schema = withoutDialect(format.schema)
  const asked = Object.values(vendors).find((fields) => 'strictJsonSchema' in fields)
  const isStrict = asked?.['strictJsonSchema'] ?? isClosed(schema)
  return {
    type: 'json-schema',
    schema: { ...(description !== undefined && { description }), ...schema },
    ...(name && { name }),
    ...(isStrict === true && { strict: true }),
  }
}

/**
 * True if every object of the schema has all of its properties and no others: a vendor can then
 * hold the model to the schema as it is, as the packages of the AI SDK ask it to.
 */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  if (!isObject(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (schema['type'] === 'object' || properties !== undefined) {
    const names = Object.keys(isObject(properties) ? properties : {})
    const needed: readonly unknown[] = Array.isArray(required) ? required : []
    if (additionalProperties !== false || !names.every((name) => needed.includes(name)))
      return false
  }
  return Object.values(schema).every(isClosed)
}

const toDefinition = (tool: LanguageModelV4FunctionTool): ToolDefinition => ({
  name: tool.name,
  description: tool.description ?? '',
  parameters: withoutDialect(tool.inputSchema),
  ...defined({ strict: tool.strict }),
  ...pickOptions(tool.providerOptions, 'strict', 'deferred', 'callers', 'cache', 'vendor'),
})

/** The mark of the dialect, which no model needs and each request would pay for, is left out. */
function withoutDialect(schema: object): JsonObject {
  const { $schema: _, ...rest } = schema as JsonObject
  return rest
}
