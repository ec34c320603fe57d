import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  type ContentPart,
  isObject,
  type JsonObject,
  type TextPart,
  type ToolCall,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { defined } from '@modelport/driver'
import { fromModelOutput, fromModelPart } from '@modelport/runtime'
import { messageOptions } from './lost-options.js'
import { ownOptions, pickOptions } from './own-options.js'
import type { Seal } from './seal.js'
import { clientTools, toClientOutput } from './vendors/client-calls.js'

type Parts<Role extends string> = Extract<LanguageModelV4Message, { role: Role }>['content']
type CallPart = Extract<Parts<'assistant'>[number], { type: 'tool-call' }>
type ApprovalPart = Extract<Parts<'tool'>[number], { type: 'tool-approval-response' }>
type ResultPart = Extract<Parts<'tool'>[number], { type: 'tool-result' }>

/** A prompt of the AI SDK as a conversation of ours. */
export interface ReadPrompt {
  readonly messages: readonly ChatMessage[]
  /**
   * Decisions on calls that the vendor executes, and what the application did for its tools, as
   * items of its request.
   */
  readonly answers: readonly JsonObject[]
  /** True if the state of a reply was left out, since its seal does not fit. */
  readonly hasForeignState: boolean
}

/** How a prompt is read. */
export interface PromptRules {
  /** The provider that is asked: files are found by its name. */
  readonly provider: string
  readonly seal: Seal
  /** The vendor's names of its tools, by those of the application. */
  readonly wireNames: ReadonlyMap<string, string>
  /** True if the output of a client tool is an item of its own in the vendor's request. */
  readonly hasClientCalls: boolean
}

/** Reads a prompt in either specification. */
export function readPrompt(
  prompt: LanguageModelV4Prompt,
  { provider, seal, wireNames, hasClientCalls }: PromptRules,
): ReadPrompt {
  const wireName = (name: string): string => wireNames.get(name) ?? name
  const isClientTool = (name: string): boolean =>
    hasClientCalls && wireNames.has(name) && clientTools.has(wireName(name))
  let hasForeignState = false
  const isOurs = (origin: JsonObject, mark: unknown): boolean => {
    const fits = origin['state'] === undefined || seal.fits(origin, mark)
    hasForeignState ||= !fits
    return fits
  }
  const messages: ChatMessage[] = []
  const answers: JsonObject[] = []
  const executed = new Set<string>()
  for (const message of prompt) {
    const fields = pickOptions(message.providerOptions, ...messageOptions)
    switch (message.role) {
      case 'system':
        messages.push({ role: 'system', content: toSystemContent(message), ...fields })
        break
      case 'user':
        messages.push({ role: 'user', content: toContent(message.content, provider), ...fields })
        break
      case 'assistant':
        for (const part of message.content)
          if (part.type === 'tool-call' && part.providerExecuted) executed.add(part.toolCallId)
        messages.push({
          ...toAssistantMessage(
            message.content
              .filter((part) => part.type !== 'tool-call' || !isClientTool(part.toolName))
              .map((part) =>
                part.type === 'tool-call' ? { ...part, toolName: wireName(part.toolName) } : part,
              ),
            provider,
            isOurs,
          ),
          ...fields,
        })
        break
      case 'tool':
        for (const part of message.content) {
          if (part.type === 'tool-approval-response') answers.push(toApproval(part))
          else if (isClientTool(part.toolName)) answers.push(toAnswer(part, wireName))
          else if (!executed.has(part.toolCallId))
            messages.push(toResult({ ...part, toolName: wireName(part.toolName) }, provider))
        }
    }
  }
  return { messages, answers, hasForeignState }
}

/** The text, as a part if it has options of its own: a mark for a cache, a field of the vendor. */
function toSystemContent({
  content: text,
  providerOptions,
}: Extract<LanguageModelV4Message, { role: 'system' }>): string | readonly TextPart[] {
  const { ofText } = ownOptions(providerOptions)
  const fields = { ...pickOptions(providerOptions, 'cache'), ...Object(ofText) } as object
  return Object.keys(fields).length ? [{ type: 'text', text, ...fields }] : text
}

const toResult = (
  { toolCallId, toolName, output, providerOptions }: ResultPart,
  provider: string,
): ChatMessage => ({
  role: 'tool',
  toolCallId,
  toolName,
  content: '',
  ...fromModelOutput(output, provider),
  ...pickOptions(providerOptions, 'vendor'),
})

/** The output of a tool that the vendor defines and the application ran. */
const toAnswer = (
  { toolName, toolCallId, output }: ResultPart,
  wireName: (name: string) => string,
): JsonObject =>
  toClientOutput(
    wireName(toolName),
    toolCallId,
    output.type === 'json' ? output.value : fromModelOutput(output)?.content,
  )

/** Text alone is a text, as `complete` sends it. */
function toContent(parts: Parts<'user'>, provider: string): Content {
  const content = parts.flatMap((part) => fromModelPart(part, provider) ?? [])
  const [first] = content
  return content.length === 1 && first?.type === 'text' && Object.keys(first).length === 2
    ? first.text
    : content
}

/**
 * A decision: the one API whose calls wait for approval takes them in its input, next to the
 * request.
 */
function toApproval({ approvalId, approved, reason }: ApprovalPart): JsonObject {
  return {
    type: 'mcp_approval_response',
    approval_request_id: approvalId,
    approve: approved,
    ...defined({ reason }),
  }
}

/**
 * Calls that the vendor executed, and their results, are in the state of the reply; without it they
 * are left out, as for another vendor.
 */
function toAssistantMessage(
  parts: Parts<'assistant'>,
  provider: string,
  isOurs: (origin: JsonObject, mark: unknown) => boolean,
): AssistantMessage {
  const texts = { text: '', reasoning: '' }
  const files: ContentPart[] = []
  const toolCalls: ToolCall[] = []
  let carried: Pick<AssistantMessage, 'origin' | 'refusal'> = {}
  for (const part of parts) {
    // A browser may have written it: it sets no other field of the message.
    const { origin, refusal, seal } = Object(
      ownOptions(part.providerOptions)['reply'],
    ) as JsonObject
    if (isObject(origin)) {
      const { state, ...writer } = origin
      const kept = isOurs(origin, seal) && state !== undefined ? { state } : {}
      carried = {
        ...carried,
        origin: { ...writer, ...kept } as NonNullable<AssistantMessage['origin']>,
      }
    }
    if (typeof refusal === 'string') carried = { ...carried, refusal }
    if (part.type === 'text' || part.type === 'reasoning') texts[part.type] += part.text
    else if (part.type === 'file') files.push(...[fromModelPart(part, provider) ?? []].flat())
    else if (part.type === 'tool-call' && !part.providerExecuted) toolCalls.push(toToolCall(part))
  }
  return {
    role: 'assistant',
    content: files.length
      ? [...(texts.text ? [{ type: 'text' as const, text: texts.text }] : []), ...files]
      : texts.text,
    ...(toolCalls.length && { toolCalls }),
    ...(texts.reasoning && { reasoning: texts.reasoning }),
    ...carried,
  }
}

/** The call, with its arguments as the model wrote them unless the application changed them. */
function toToolCall({
  toolCallId: id,
  toolName: name,
  input,
  providerOptions,
}: CallPart): ToolCall {
  const { argumentsText: written } = ownOptions(providerOptions)
  const given = typeof input === 'string' ? input : JSON.stringify(input)
  const argumentsText = typeof written === 'string' && says(written, given) ? written : given
  // A model that gives no arguments may write nothing at all.
  const values = argumentsText.trim() ? tryParseJson(argumentsText) : {}
  const parsed = isObject(values)
    ? { arguments: values }
    : { arguments: {}, error: 'not a JSON object' }
  return { id, name, argumentsText, ...parsed }
}

/**
 * True if the arguments are still what the model wrote. The AI SDK keeps `{}` of those that are not
 * JSON.
 */
function says(written: string, given: string): boolean {
  const values = tryParseJson(written)
  return values === undefined
    ? given === '{}' || given === written
    : JSON.stringify(values) === given
}
