import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  type ContentPart,
  type ToolCall,
  textOf,
} from '@modelport/core'
import { argumentsOf, defined, isSameJson } from '@modelport/driver'
import { toOwnOptions } from '../own-options.js'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/**
 * Writes what an object has for its vendor, and those of its fields that only modelport has, as
 * `providerOptions`.
 */
export type Hints = (
  object: { readonly vendor?: unknown },
  ...names: readonly string[]
) => { providerOptions?: SharedV4ProviderOptions }

/** A reply as its model gave it, in parts of a prompt. */
export interface ModelState {
  readonly api: 'ai-sdk'
  readonly parts: readonly AssistantPart[]
}

/**
 * The conversation as a prompt of the AI SDK. `name` is that of the provider; `hints` writes what a
 * message or a part has for its vendor.
 */
export function toPrompt(
  messages: readonly ChatMessage[],
  name: string,
  hints: Hints,
): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = []
  for (const message of messages) {
    const last = prompt.at(-1)
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: textOf(message.content), ...hints(message) })
        break
      case 'user':
        prompt.push({
          role: 'user',
          content: toParts(message.content, hints),
          ...hints(message, 'name'),
        })
        break
      case 'assistant':
        prompt.push({
          role: 'assistant',
          content: toAssistantParts(message, name, hints),
          ...hints(message),
        })
        break
      case 'tool': {
        const { toolCallId, toolName = '' } = message
        const output = toOutput(message.content, message.isError, hints)
        const part = {
          type: 'tool-result' as const,
          toolCallId,
          toolName,
          output,
          ...hints(message),
        }
        // The results of one turn are one message.
        if (last?.role === 'tool') last.content.push(part)
        else prompt.push({ role: 'tool', content: [part] })
      }
    }
  }
  return prompt
}

const toParts = (
  content: Content,
  hints: Hints,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] =>
  (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content).map(
    (part: ContentPart) => {
      if (part.type === 'text')
        return { type: 'text', text: part.text, ...hints(part, 'cache', 'found') }
      const { source } = part
      const mediaType = source.mediaType ?? (part.type === 'file' ? 'application' : part.type)
      const filename = part.type === 'file' ? part.name : undefined
      const fields = { ...defined({ filename }), ...hints(part, 'cache', 'detail', 'clip') }
      return { type: 'file', mediaType, data: toData(source), ...fields }
    },
  )

function toData(
  source: Exclude<ContentPart, { type: 'text' }>['source'],
): LanguageModelV4FilePart['data'] {
  if (source.type === 'base64') return { type: 'data', data: source.data }
  if (source.type === 'url') return { type: 'url', url: new URL(source.url) }
  return { type: 'reference', reference: { [source.origin]: source.id } }
}

/** What a model sees of the result of a tool. */
export function toOutput(
  content: Content,
  isError = false,
  hints: Hints = () => ({}),
): LanguageModelV4ToolResultOutput {
  if (typeof content === 'string' || isError)
    return { type: isError ? 'error-text' : 'text', value: textOf(content) }
  return { type: 'content', value: toParts(content, hints) }
}

/**
 * The reply as its model gave it, unless the message was changed since, or another provider wrote
 * it.
 */
function toAssistantParts(message: AssistantMessage, name: string, hints: Hints): AssistantPart[] {
  const { content, toolCalls = [], origin } = message
  const { api, parts = [] } = Object(origin?.state) as Partial<ModelState>
  if (origin?.provider === name && api === 'ai-sdk' && agrees(parts, message))
    return withArguments(parts, toolCalls)
  return [
    ...toParts(content, hints).filter((part) => part.type !== 'text' || part.text),
    ...toolCalls.map(
      (call): AssistantPart => ({
        type: 'tool-call',
        toolCallId: call.id,
        toolName: call.name,
        input: argumentsOf(call),
      }),
    ),
  ]
}

/**
 * The parts with the arguments that the calls have now. What the vendor keeps next to a call is of
 * the call as its model made it: a call that the program changed, and a malformed one, go without.
 */
function withArguments(
  parts: readonly AssistantPart[],
  toolCalls: readonly ToolCall[],
): AssistantPart[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]))
  return parts.map((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted) return part
    const call = calls.get(part.toolCallId)
    const input = call && argumentsOf(call)
    if (!input || isSameJson(part.input, input)) return part
    const { providerOptions, ...rest } = part
    return { ...rest, input, ...toOwnOptions(providerOptions) }
  })
}

/** True when the parts say what the message says. */
function agrees(
  parts: readonly AssistantPart[],
  { content, toolCalls = [] }: AssistantMessage,
): boolean {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' && !part.providerExecuted ? part.toolCallId : [],
  )
  return text === textOf(content) && calls.join() === toolCalls.map(({ id }) => id).join()
}
