import { type ChatMessage, LlmError, type ToolCall, type ToolMessage } from '@modelport/core'
import { checkDepth, isTooDeep } from '../base/json-depth.js'
import { checkContent } from './check-content.js'
import { checkMessageFields } from './check-fields.js'

const refuse = (message: string): never => {
  throw new LlmError('invalid-request', message)
}

/**
 * Checks a conversation and brings it into the form every driver gets: the system text first, the
 * result of every call right after the message that made it, in call order and with the name of its
 * tool.
 * @throws {LlmError} `invalid-request` — no message, an unknown role, a call without its result, a
 * result without its call, or calls nested too deeply.
 */
export function normalizeHistory(
  messages: readonly ChatMessage[],
  system: string | undefined,
): readonly ChatMessage[] {
  if (system !== undefined && typeof system !== 'string')
    refuse(`system must be text, not ${typeof system}`)
  const normal: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }]
  if (!messages.length) refuse('the conversation is empty: give at least one message')
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage
    checkMessage(message, index)
    if (message.role === 'tool')
      refuse(`messages[${index}]: no call with the id "${message.toolCallId}" is open`)
    normal.push(message)
    if (message.role !== 'assistant' || !message.toolCalls?.length) continue
    const { toolCalls } = message
    const results = resultsAfter(index, messages, toolCalls)
    if (isTooDeep(toolCalls)) checkDepth(`messages[${index}].toolCalls`, toolCalls)
    for (const { id, name } of toolCalls) {
      const result = resultOf(id, results)
      if (result) normal.push(result.toolName === name ? result : { ...result, toolName: name })
    }
    index += results.length
  }
  return normal
}

/**
 * The results that follow a message with calls.
 * @throws {LlmError} `invalid-request` — a call has none, or a result has no call.
 */
function resultsAfter(
  start: number,
  messages: readonly ChatMessage[],
  calls: readonly ToolCall[],
): readonly ToolMessage[] {
  const results: ToolMessage[] = []
  let index = start + 1
  for (let next = messages[index]; next?.role === 'tool'; next = messages[++index]) {
    checkMessageFields(next, index)
    if (typeof next.content !== 'string') checkContent(next, `messages[${index}]`)
    const { toolCallId } = next
    if (!hasCall(toolCallId, calls) || resultOf(toolCallId, results))
      refuse(`messages[${index}]: no call with the id "${toolCallId}" is open`)
    results.push(next)
  }
  const missing: string[] = []
  for (const { id } of calls) if (!resultOf(id, results)) missing.push(id)
  if (missing.length)
    refuse(
      `messages[${start}]: tool calls without a result: ${missing.join(', ')}; add a tool message for each`,
    )
  return results
}

// Loops, since closures for each message of each request are most of what a long run allocates.
function hasCall(callId: string, calls: readonly ToolCall[]): boolean {
  for (const { id } of calls) if (id === callId) return true
  return false
}

function resultOf(id: string, results: readonly ToolMessage[]): ToolMessage | undefined {
  for (const result of results) if (result.toolCallId === id) return result
  return undefined
}

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

/** The roles of other libraries. */
const otherRoles: ReadonlyMap<unknown, string> = new Map([
  ['ai', 'assistant'],
  ['developer', 'system'],
  ['function', 'tool'],
  ['human', 'user'],
  ['model', 'assistant'],
])

function checkMessage(message: ChatMessage | null | undefined, at: number): void {
  if (!message || !roles.includes(message.role)) return refuseRole(message?.role, at)
  if (message.role === 'tool' && typeof message.toolCallId !== 'string')
    refuse(`messages[${at}]: the result needs toolCallId, the id of its call`)
  checkMessageFields(message, at)
  if (typeof message.content !== 'string') checkContent(message, `messages[${at}]`)
}

function refuseRole(role: unknown, at: number): never {
  const meant = otherRoles.get(role)
  const name = role === undefined ? 'undefined' : JSON.stringify(role)
  const cure = meant
    ? `for ${name} write "${meant}"`
    : 'write { role, content } with "system", "user", "assistant" or "tool"'
  return refuse(`messages[${at}]: unknown role ${name}; ${cure}`)
}

/**
 * Ids of all tool calls in a conversation.
 * @throws {LlmError} `invalid-request` — it is not a list.
 */
export function toolCallIds(messages: readonly ChatMessage[]): string[] {
  if (!Array.isArray(messages))
    refuse(
      `messages must be a list of messages, not ${typeof messages}; write [{ role: 'user', content: '...' }]`,
    )
  const ids: string[] = []
  for (const message of messages as readonly (ChatMessage | null)[])
    if (message?.role === 'assistant') for (const { id } of message.toolCalls ?? []) ids.push(id)
  return ids
}
