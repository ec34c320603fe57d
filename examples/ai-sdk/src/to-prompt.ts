import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { type AssistantMessage, type ChatMessage, type Content, type ContentPart, textOf } from '@modelport/core'
import type { Hints } from './own-options.ts'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type FilePart = LanguageModelV4FilePart
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]

/** A reply as its model gave it, in parts of a prompt. */
export interface ModelState {
  readonly api: 'ai-sdk'
  readonly parts: readonly AssistantPart[]
}

/** The conversation as a prompt of the AI SDK. `name` is that of the provider; `hints` writes what a message or a part has for its vendor. */
export function toPrompt(messages: readonly ChatMessage[], name: string, hints: Hints): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = []
  for (const message of messages) {
    const last = prompt.at(-1)
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: textOf(message.content), ...hints(message) })
        break
      case 'user':
        prompt.push({ role: 'user', content: toParts(message.content, hints), ...hints(message, 'name') })
        break
      case 'assistant':
        prompt.push({ role: 'assistant', content: toAssistantParts(message, name, hints), ...hints(message) })
        break
      case 'tool': {
        const { toolCallId, toolName = '' } = message
        const output = toOutput(message.content, message.isError === true, hints)
        const part = { type: 'tool-result' as const, toolCallId, toolName, output, ...hints(message) }
        // The results of one turn are one message.
        if (last?.role === 'tool') last.content.push(part)
        else prompt.push({ role: 'tool', content: [part] })
      }
    }
  }
  return prompt
}

const toParts = (content: Content, hints: Hints): UserPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map((part) => toPart(part, hints))

function toPart(part: ContentPart, hints: Hints): UserPart {
  if (part.type === 'text') return { type: 'text', text: part.text, ...hints(part, 'cache', 'found') }
  return { ...toFile(part), ...hints(part, 'cache', 'detail', 'clip') }
}

function toFile(part: Exclude<ContentPart, { type: 'text' }>): FilePart {
  const { source } = part
  const mediaType = source.mediaType ?? (part.type === 'file' ? 'application' : part.type)
  const filename = part.type === 'file' && part.name !== undefined ? { filename: part.name } : {}
  return { type: 'file', mediaType, ...filename, data: toData(source) }
}

function toData(source: Exclude<ContentPart, { type: 'text' }>['source']): FilePart['data'] {
  if (source.type === 'base64') return { type: 'data', data: source.data }
  if (source.type === 'url') return { type: 'url', url: new URL(source.url) }
  return { type: 'reference', reference: { [source.origin]: source.id } }
}

function toOutput(content: Content, isError: boolean, hints: Hints): LanguageModelV4ToolResultPart['output'] {
  if (typeof content === 'string' || isError) return { type: isError ? 'error-text' : 'text', value: textOf(content) }
  return { type: 'content', value: toParts(content, hints) }
}

/** The reply as its model gave it, unless the message was changed since, or another provider wrote it. */
function toAssistantParts(message: AssistantMessage, name: string, hints: Hints): AssistantPart[] {
  const { content, toolCalls = [], origin } = message
  const calls = toolCalls.map(
    ({ id, name: toolName, arguments: input, argumentsText, error }): AssistantPart => ({
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input: error === undefined ? input : argumentsText,
    }),
  )
  const state = origin?.state as Partial<ModelState> | undefined
  if (origin?.provider === name && state?.api === 'ai-sdk' && agrees(state.parts ?? [], message))
    return [...(state.parts ?? [])]
  return [...toParts(content, hints).filter((part) => part.type !== 'text' || part.text), ...calls]
}

/** True when the parts say what the message says. */
function agrees(parts: readonly AssistantPart[], { content, toolCalls = [] }: AssistantMessage): boolean {
  const calls = parts.filter((part) => part.type === 'tool-call').filter((part) => !part.providerExecuted)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    text === textOf(content) && calls.map((part) => part.toolCallId).join() === toolCalls.map(({ id }) => id).join()
  )
}
