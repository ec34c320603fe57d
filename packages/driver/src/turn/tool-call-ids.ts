import type { ChatMessage } from '@modelport/core'
import { toolCallIds } from './history.js'

/** Which tool-call ids an API accepts. */
export interface ToolCallIdRule {
  /**
   * Characters that are not allowed: replaced by `_`, or removed if `_` is not allowed either.
   * Default: all but letters, digits, `_` and `-`.
   */
  readonly forbidden?: RegExp
  /** Longest id. Default 64. */
  readonly maxLength?: number
  /** Exact length, for APIs that want one; shorter ids are filled up. */
  readonly length?: number
}

/** Characters that most APIs refuse in an id. */
const foreign = /[^a-zA-Z0-9_-]/g

/**
 * An id without the characters that an API refuses: replaced by `_`, or removed if `_` is one of
 * them.
 */
export const sanitizeToolCallId = (id: string, forbidden: RegExp = foreign): string =>
  id.replace(forbidden, '_'.search(forbidden) < 0 ? '_' : '')

/**
 * Rewrites the ids of tool calls to ones that an API accepts: calls still match their results,
 * different ids stay different, and an id that is accepted already stays as it is. Another vendor's
 * ids may be too long or have other characters.
 */
export function mapToolCallIds(
  messages: readonly ChatMessage[],
  rule: ToolCallIdRule = {},
): readonly ChatMessage[] {
  const ids = toolCallIds(messages)
  if (ids.every((id) => fits(id, rule))) return messages

  // Ids that may stay are reserved first, so that no changed id takes one of them.
  const fitting = ids.filter((id) => fits(id, rule))
  const newIds = new Map(fitting.map((id) => [id, id]))
  const reserved = new Set(fitting)

  const map = (id: string): string => {
    const known = newIds.get(id)
    if (known !== undefined) return known
    const unique = uniqueId(id, rule, reserved)
    newIds.set(id, unique)
    reserved.add(unique)
    return unique
  }

  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, toolCallId: map(message.toolCallId) }
    if (message.role !== 'assistant' || !message.toolCalls?.length) return message
    return {
      ...message,
      toolCalls: message.toolCalls.map((call) => ({ ...call, id: map(call.id) })),
    }
  })
}

const longest = (rule: ToolCallIdRule): number => rule.length ?? rule.maxLength ?? 64

const fits = (id: string, rule: ToolCallIdRule): boolean =>
  id !== '' &&
  id.length <= longest(rule) &&
  id.length >= (rule.length ?? 1) &&
  id.search(rule.forbidden ?? foreign) < 0

/** The clean id; if it is too long or reserved, its beginning with a hash at its end. */
function uniqueId(id: string, rule: ToolCallIdRule, reserved: ReadonlySet<string>): string {
  const maxLength = longest(rule)
  const clean = sanitizeToolCallId(id, rule.forbidden) || 'call'
  const filled = rule.length === undefined ? clean : clean.padEnd(rule.length, '0')
  if (filled.length <= maxLength && !reserved.has(filled)) return filled

  for (let salt = 0; ; salt++) {
    const mark = hash(`${salt}:${id}`)
    const beginning = filled.slice(0, Math.max(0, maxLength - mark.length))
    const candidate = beginning + mark.slice(0, maxLength)
    if (!reserved.has(candidate)) return candidate
  }
}

/** FNV-1a, 32 bits twice, as 8 to 9 letters and digits: ids need to differ, not to be secret. */
function hash(text: string): string {
  let a = 0x811c9dc5
  for (let i = 0; i < text.length; i++) a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
  const b = Math.imul(a ^ text.length, 0x85ebca6b) >>> 0
  return ((a >>> 0).toString(36) + b.toString(36)).padEnd(9, '0').slice(0, 9)
}
