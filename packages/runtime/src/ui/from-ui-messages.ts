import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  isObject,
  LlmError,
  type ToolCall,
  type ToolMessage,
} from '@modelport/core'
import { toToolContent } from '../tools/tool-content.js'

/** What `useChat` sends: its messages, and what the user decided. */
export interface FromUiMessages {
  /** The conversation, for `infer`. Tool calls without a result are left out. */
  readonly messages: readonly ChatMessage[]
  /** Decisions on approval requests, for `decisions` of a resumed run. */
  readonly approvals: readonly { readonly id: string; readonly approved: boolean; readonly reason?: string }[]
}

type UiPart = Readonly<Record<string, unknown>>

/**
 * Reads the messages of `useChat`: text, files, reasoning, tool calls with their results, approvals.
 * @throws {LlmError} `invalid-request` — the value is not a list of UI messages.
 */
export function fromUiMessages(given: unknown): FromUiMessages {
  const approvals: { id: string; approved: boolean; reason?: string }[] = []
  const messages = toList(given, 'messages').flatMap((message): readonly ChatMessage[] => {
    const { role } = message
    const parts = toList(message['parts'], 'parts')
    if (role === 'user') return [{ role, content: parts.flatMap(toContentPart) }]
    if (role === 'system')
      return [{ role, content: parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('') }]
    if (role !== 'assistant') throw refuse(`a message has the role ${JSON.stringify(role)}`)
    for (const { approval } of parts) if (isObject(approval)) approvals.push(...toApproval(approval))
    return toTurns(parts)
  })
  return { messages, approvals }
}

const refuse = (what: string): LlmError =>
  new LlmError('invalid-request', `fromUiMessages: ${what}; pass the messages of useChat`)

function toList(value: unknown, name: string): readonly UiPart[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw refuse(`"${name}" is not a list of objects`)
  return value
}

const toApproval = ({ id, approved, reason }: UiPart): { id: string; approved: boolean; reason?: string }[] =>
  typeof id === 'string' && typeof approved === 'boolean'
    ? [{ id, approved, ...(typeof reason === 'string' && { reason }) }]
    : []

function toContentPart({ type, text, url, mediaType }: UiPart): ContentPart[] {
  if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
  if (type !== 'file' || typeof url !== 'string') return []
  const media = typeof mediaType === 'string' ? mediaType : 'application/octet-stream'
  const data = /^data:([^;,]*);base64,(.*)$/s.exec(url)
  const source = data
    ? ({ type: 'base64', mediaType: data[1] === '' ? media : (data[1] ?? media), data: data[2] ?? '' } as const)
    : ({ type: 'url', url } as const)
  const kind = media.startsWith('image/') ? 'image' : media.startsWith('audio/') ? 'audio' : 'file'
  return [{ type: kind, source }]
}

/** An assistant message of the UI spans all turns of a run; `step-start` separates them. */
function toTurns(parts: readonly UiPart[]): readonly ChatMessage[] {
  const turns: UiPart[][] = [[]]
  for (const part of parts) {
    if (part['type'] === 'step-start') turns.push([])
    else turns.at(-1)?.push(part)
  }
  return turns.flatMap(toTurn)
}

function toTurn(parts: readonly UiPart[]): readonly ChatMessage[] {
  const textOf = (kind: string): string =>
    parts.flatMap(({ type, text }) => (type === kind && typeof text === 'string' ? [text] : [])).join('')
  const results: ToolMessage[] = []
  const toolCalls: ToolCall[] = []
  for (const part of parts) {
    const finished = toCall(part)
    if (!finished) continue
    toolCalls.push(finished.call)
    results.push(finished.result)
  }
  const content = textOf('text')
  const reasoning = textOf('reasoning')
  if (!content && !toolCalls.length) return []
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    ...(reasoning && { reasoning }),
    ...(toolCalls.length && { toolCalls }),
  }
  return [message, ...results]
}

function toCall(part: UiPart): { readonly call: ToolCall; readonly result: ToolMessage } | undefined {
  const { type, toolCallId: id, state, input, output, errorText } = part
  if (typeof type !== 'string' || typeof id !== 'string') return undefined
  const name = type === 'dynamic-tool' ? part['toolName'] : type.startsWith('tool-') ? type.slice(5) : undefined
  if (typeof name !== 'string') return undefined
  const isError = state === 'output-error' || state === 'output-denied'
  if (!isError && state !== 'output-available') return undefined
  const given = isObject(input) ? input : {}
  const denied = 'Not allowed: the user refused the call.'
  const content = !isError ? toToolContent(output) : state === 'output-denied' ? denied : String(errorText)
  return {
    call: { id, name, arguments: given, argumentsText: JSON.stringify(given) },
    result: { role: 'tool', toolCallId: id, toolName: name, content, ...(isError && { isError }) },
  }
}
