import type {
  LanguageModelV3CallOptions,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from '@ai-sdk/provider'
import {
  type CallOptions,
  type ChatMessage,
  type JsonObject,
  mergeOptions,
  type Provider,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '@modelport/core'
import { ownOptions, pickOptions } from './own-options.ts'
import { readPrompt } from './prompt.ts'

/** What a model is called with, in either specification. */
export type ModelCall = LanguageModelV3CallOptions | LanguageModelV4CallOptions

/** A warning of either specification. */
export type Warning =
  | { readonly type: 'unsupported'; readonly feature: string; readonly details?: string }
  | { readonly type: 'other'; readonly message: string }

/** A call of the AI SDK as one of ours. */
export interface ReadCall {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly options: CallOptions
  readonly warnings: readonly Warning[]
}

/**
 * Reads a call. What the AI SDK leaves unset is not sent, and the call is one request: the AI SDK repeats it. `defaults` and then
 * `providerOptions.modelport` come over that.
 */
export function readCall(call: ModelCall, provider: Provider, defaults: CallOptions | undefined): ReadCall {
  const { tools = [] } = call
  const { messages, approvals } = readPrompt(call.prompt, provider.name)
  const executed = tools.filter((tool) => tool.type === 'provider')
  const forms = executed.filter(({ id }) => id.startsWith('modelport.')).map(({ args }): JsonObject => args)
  const given: CallOptions = {
    ...toOptions(call),
    ...(forms.length && { providerTools: forms }),
    ...(approvals.length && { vendor: { input: approvals } }),
  }
  const once: CallOptions = { maxTokens: null, temperature: null, retry: { attempts: 1 } }
  return {
    messages,
    tools: tools.filter((tool) => tool.type === 'function').map(toDefinition),
    options: mergeOptions(once, defaults, given, ownOptions(call.providerOptions)),
    warnings: [
      ...unsupported(call),
      ...executed
        .filter(({ id }) => !id.startsWith('modelport.'))
        .map(({ id }) =>
          toWarning(`provider tool ${id}`, 'pass the tool in the form of its vendor as `modelport.NAME`'),
        ),
    ],
  }
}

function toOptions(call: ModelCall): CallOptions {
  const { maxOutputTokens, stopSequences, temperature, topP, topK, seed, abortSignal } = call
  const reasoning = 'reasoning' in call && call.reasoning !== 'provider-default' ? call.reasoning : undefined
  return {
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    topP,
    topK,
    seed,
    reasoning,
    signal: abortSignal,
    ...(stopSequences?.length && { stop: stopSequences }),
    toolChoice: toToolChoice(call.toolChoice),
    responseFormat: toResponseFormat(call.responseFormat),
    ...toHeaders(call.headers),
  }
}

/** Headers as an option. `user-agent` names the AI SDK, and a browser would have to ask the server before it may send one: it is left out. */
export function toHeaders(headers: ModelCall['headers'] = {}): Pick<CallOptions, 'vendor'> {
  const sent = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && name.toLowerCase() !== 'user-agent',
  )
  return sent.length ? { vendor: { headers: Object.fromEntries(sent) } } : {}
}

/** `auto` is what every vendor does unasked, and the AI SDK sets it where its caller has not. */
function toToolChoice(choice: ModelCall['toolChoice']): ToolChoice | undefined {
  if (!choice || choice.type === 'auto') return undefined
  return choice.type === 'tool' ? { name: choice.toolName } : choice.type
}

function toResponseFormat(format: ModelCall['responseFormat']): ResponseFormat | undefined {
  if (format?.type !== 'json') return undefined
  if (!format.schema) return { type: 'json' }
  return { type: 'json-schema', schema: withoutDialect(format.schema), ...(format.name && { name: format.name }) }
}

const toDefinition = (tool: LanguageModelV4FunctionTool): ToolDefinition => ({
  name: tool.name,
  description: tool.description ?? '',
  parameters: withoutDialect(tool.inputSchema),
  ...(tool.strict !== undefined && { strict: tool.strict }),
  ...pickOptions(tool.providerOptions, 'strict', 'deferred', 'callers', 'cache', 'vendor'),
})

/** The mark of the dialect, which no model needs and each request would pay for, is left out. */
function withoutDialect(schema: object): JsonObject {
  const { $schema: _, ...rest } = schema as JsonObject
  return rest
}

/** The warning for what no request can say. */
export const toWarning = (feature: string, details: string): Warning => ({ type: 'unsupported', feature, details })

function unsupported(call: ModelCall): readonly Warning[] {
  const penalties = ['presencePenalty', 'frequencyPenalty'] as const
  const examples = (call.tools ?? []).filter((tool) => tool.type === 'function' && tool.inputExamples?.length)
  return [
    ...penalties
      .filter((name) => call[name] !== undefined)
      .map((name) => toWarning(name, 'set the field of the vendor in `providerOptions.modelport.vendor`')),
    ...(examples.length ? [toWarning('inputExamples', 'write them into the description of the tool')] : []),
  ]
}
