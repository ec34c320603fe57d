import { isObject, type StreamEvent, type TokenCounts, type ToolCall } from '@modelport/core'
import { assert, assertEqual } from './assert.js'
import { parseJsonOrText } from './json-text.js'
import { namesOf } from './lab.js'
import type { ScriptTurn } from './script.js'
import type { WireFormat } from './wire-format.js'

/** What one turn of a stream, or a whole reply, came to. */
export interface DecodedTurn {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string
  readonly usage: TokenCounts
}

/** The turns of a stream. Checks on the way that the events of each call belong together. */
export function decodedTurnsOf(events: readonly StreamEvent[]): DecodedTurn[] {
  const turns: DecodedTurn[] = []
  let text = ''
  let reasoning = ''
  let toolCalls: ToolCall[] = []
  const open = new Map<string, { name: string; text: string }>()
  for (const event of events) {
    if (event.type === 'text-delta') text += event.text
    else if (event.type === 'reasoning-delta') reasoning += event.text
    else if (event.type === 'tool-call-start')
      open.set(event.toolCall.id, { name: event.toolCall.name, text: '' })
    else if (event.type === 'tool-call-delta') {
      const call = open.get(event.id)
      assert(call, `tool-call-delta of "${event.id}" without its start`)
      call.text += event.text
    } else if (event.type === 'tool-call-complete') {
      const { toolCall } = event
      const call = open.get(toolCall.id)
      assert(call, `tool-call-complete of "${toolCall.id}" without its start`)
      assertEqual(toolCall.name, call.name, 'name of the call at its start and its end')
      if (call.text) assertEqual(call.text, toolCall.argumentsText, 'arguments in pieces and whole')
      open.delete(toolCall.id)
      toolCalls.push(toolCall)
    } else if (event.type === 'turn-end') {
      assertEqual(open.size, 0, 'calls without their tool-call-complete at the end of the turn')
      turns.push({ text, reasoning, toolCalls, finishReason: event.reason, usage: event.usage })
      text = ''
      reasoning = ''
      toolCalls = []
    }
  }
  return turns
}

/** Why an API cannot say a turn; undefined when it can. */
export function cannotSay(
  turns: readonly ScriptTurn[],
  { api, supports }: WireFormat,
  kind: 'stream' | 'whole' = 'stream',
): string | undefined {
  const asText =
    kind === 'whole'
      ? (supports.wholeArgumentsText ?? supports.argumentsText)
      : supports.argumentsText
  const calls = turns.flatMap(({ toolCalls }) => toolCalls ?? [])
  if (!supports.reasoning && turns.some(({ reasoning }) => reasoning))
    return `${api} has no reasoning`
  if (!asText && calls.some(({ argumentsText }) => argumentsText !== undefined))
    return `${api} sends arguments as an object`
  const cached = turns.some(
    ({ usage }) => (usage.cacheReadTokens ?? 0) + (usage.cacheCreationTokens ?? 0) > 0,
  )
  if (!supports.cacheTokens && cached) return `${api} has no cache counts`
  if (supports.contentFilter === false && turns.some(({ finish }) => finish === 'content-filter'))
    return `${api} has no finish reason for filtered content`
  return undefined
}

/** Checks a turn against its script. */
export function assertDecodedTurn(
  decoded: DecodedTurn,
  turn: ScriptTurn,
  format: WireFormat,
  what: string,
): void {
  const { supports } = format
  assertEqual(decoded.text, (turn.text ?? []).join(''), `${what}: text`)
  assertEqual(decoded.reasoning, (turn.reasoning ?? []).join(''), `${what}: reasoning`)
  const calls = turn.toolCalls ?? []
  assertEqual(namesOf(decoded.toolCalls), namesOf(calls), `${what}: calls in wire order`)
  for (const [index, call] of decoded.toolCalls.entries()) {
    const script = calls[index] as NonNullable<(typeof calls)[number]>
    assertEqual(call.arguments, script.arguments, `${what}: arguments of call ${index}`)
    assert(call.id !== '', `${what}: call ${index} has no id`)
    if (supports.toolCallIds && script.id !== undefined)
      assertEqual(call.id, script.id, `${what}: id of call ${index}`)
    const broken = isBroken(script.argumentsText)
    assertEqual(call.error !== undefined, broken, `${what}: call ${index} is marked as broken`)
    if (script.argumentsText !== undefined)
      assertEqual(
        call.argumentsText,
        script.argumentsText,
        `${what}: arguments text of call ${index}`,
      )
    else
      assertEqual(
        parseJsonOrText(call.argumentsText),
        script.arguments,
        `${what}: arguments text of call ${index}`,
      )
  }
  assertEqual(decoded.finishReason, turn.finish, `${what}: finish reason`)
  assertUsage(decoded.usage, turn.usage, format, `${what}: usage`)
}

/**
 * Checks the counts a script names, where they come from the wire; those the API need not report
 * may be 0.
 */
export function assertUsage(
  usage: TokenCounts,
  expected: Partial<TokenCounts>,
  { supports }: WireFormat,
  what: string,
): void {
  if (supports.counts === false) return
  const optional = {
    reasoningTokens: supports.reasoningTokens !== true,
    cacheCreationTokens: supports.cacheCreationTokens !== true,
  }
  const unreported = supports.cacheTokens ? [] : ['cacheReadTokens', 'cacheCreationTokens']
  for (const [name, count] of Object.entries(expected)) {
    if (unreported.includes(name)) continue
    const actual = usage[name as keyof TokenCounts]
    if (actual === 0 && name in optional && optional[name as keyof typeof optional]) continue
    const advice = name.startsWith('cache')
      ? ' (without such counts, the format says supports.cacheTokens: false)'
      : ''
    assertEqual(actual, count, `${what}.${name}${advice}`)
  }
}

/** Ids are unique in a conversation. */
export function assertUniqueIds(turns: readonly DecodedTurn[]): void {
  const ids = turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id))
  assertEqual(
    new Set(ids).size,
    ids.length,
    `tool call ids are unique in the conversation: ${ids.join(', ')}`,
  )
}

/** No text, and no JSON object either; empty text stands for no arguments. */
const isBroken = (text = ''): boolean => text.trim() !== '' && !isObject(parseJsonOrText(text))
