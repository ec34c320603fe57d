import { asText, type ChatMessage, isObject, LlmError, type TokenUsage } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'

/** A value of a program. */
export type Fields = Readonly<Record<string, unknown>>

/** Its fields; none of anything else than an object. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
/** Its items; none of anything else than a list. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : []

const isCounted = (value: unknown): boolean =>
  ['inputTokens', 'outputTokens'].every((name) => Number.isFinite(fieldsOf(value)[name]))

/** Counts of tokens, if the value has them. */
export const readUsage = (value: unknown): TokenUsage | undefined =>
  isCounted(value) && Array.isArray(fieldsOf(value)['turns']) ? (value as TokenUsage) : undefined

/** True for a message that the page can show. */
export function isMessage(value: unknown): value is ChatMessage {
  const {
    role,
    content,
    toolCalls = [],
    reasoning = '',
    toolName = '',
    toolCallId = '',
  } = fieldsOf(value)
  const isPart = (part: unknown): boolean => {
    const { type, text, name = '', source } = fieldsOf(part)
    const { type: kind, url = '', id = '', mediaType = '' } = fieldsOf(source)
    return type === 'text' ? isText(text) : [type, name, kind, url, id, mediaType].every(isText)
  }
  const isCall = (call: unknown): boolean =>
    ['name', 'argumentsText'].every((name) => isText(fieldsOf(call)[name]))
  return (
    ['system', 'user', 'assistant', 'tool'].includes(asText(role)) &&
    (isText(content) || (Array.isArray(content) && content.every(isPart))) &&
    Array.isArray(toolCalls) &&
    toolCalls.every(isCall) &&
    [reasoning, toolName, toolCallId].every(isText)
  )
}

/** Messages of a program; those that the page could not show are left out. */
export const readMessages = (value: unknown): ChatMessage[] => listOf(value).filter(isMessage)

/** The types of events, and the fields that the page needs of them. */
const shown = new Map(
  Object.entries({
    'step-start context-compacted run-suspended final mode-changed reply-rejected': [],
    'model-error': ['message'],
    'model-call-start': ['provider', 'model'],
    'model-call-end': ['metrics'],
    'text-delta reasoning-delta': ['text'],
    'tool-call-delta': ['text', 'callId'],
    'model-retry': ['retryInSeconds', 'nextAttempt'],
    'budget-decision': ['decision'],
    'action-requested': ['actionId', 'action'],
    'action-repeated': ['actionId'],
    'tool-start tool-progress tool-result': ['actionId', 'tool'],
    'tool-error': ['actionId', 'tool', 'message'],
    'agent-call-start agent-call-result': ['actionId', 'agent'],
    'agent-call-error': ['actionId', 'agent', 'message'],
    ...{
      approval: ['callId', 'tool'],
      decision: ['callId'],
      note: ['text'],
      artifact: ['artifact'],
    },
  }).flatMap(([types, names]) => types.split(' ').map((type) => [type, names] as const)),
)

const isText = (value: unknown): boolean => typeof value === 'string'
const areNumbers = (...values: readonly unknown[]): boolean => values.every(Number.isFinite)

/**
 * The form of each field that the page reads; some types have another `action`, `decision` or
 * `message`.
 */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(
    'text actionId callId tool agent provider model reason'
      .split(' ')
      .map((name) => [name, isText]),
  ),
  ...{ retryInSeconds: Number.isFinite, nextAttempt: Number.isFinite, latencyMs: Number.isFinite },
  step: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 100_000,
  ...{ message: isText, decision: isObject },
  action: (value) =>
    isText(fieldsOf(value)[fieldsOf(value)['type'] === 'tool_call' ? 'tool' : 'agent']),
  artifact: (value) => isText(fieldsOf(value)['id']),
  question: (value) => isText(fieldsOf(value)['message']) && isText(fieldsOf(value)['digest']),
  budget: (value) => areNumbers(fieldsOf(value)['outputTokens'], fieldsOf(value)['cost']),
  metrics: (value) =>
    isCounted(fieldsOf(value)['usage']) &&
    areNumbers(fieldsOf(fieldsOf(value)['cost'])['totalCost'] ?? 0),
  manifest: (value) => {
    const { blocks, contextWindow = 0, totalEstimatedTokens = 0 } = fieldsOf(value)
    const isBlock = (block: unknown): boolean =>
      isText(fieldsOf(block)['kind']) && areNumbers(fieldsOf(block)['tokens'])
    return (
      areNumbers(contextWindow, totalEstimatedTokens) &&
      Array.isArray(blocks) &&
      blocks.every(isBlock)
    )
  },
}

/** The first field of an event that is not of its form; undefined without one. */
export function wrongField(event: Fields): string | undefined {
  const type = asText(event['type'])
  const needed = shown.get(type) ?? []
  const others = type === 'status' ? ['message'] : ['action', 'decision']
  return Object.keys(forms).find((name) => {
    const isChecked = needed.includes(name) || (event[name] !== undefined && !others.includes(name))
    return isChecked && !forms[name]?.(event[name])
  })
}

/** An event of a run as the page can show it, or undefined. */
export const toRunEvent = (value: unknown): RunEvent | undefined =>
  shown.has(asText(fieldsOf(value)['type'])) && wrongField(fieldsOf(value)) === undefined
    ? (value as RunEvent)
    : undefined

/**
 * A line of a program: of the span `s`, which happens in `p`; `n` counts dropped events. The first
 * line is `hello`, with the name of the program.
 */
export interface ProgramLine {
  readonly t: 'hello' | 'start' | 'event' | 'end' | 'error' | 'dropped'
  readonly name?: string
  readonly s: string
  readonly p?: string
  readonly k?: 'run' | 'call' | 'task' | 'durable'
  readonly at: number
  readonly n?: number
  readonly v: Fields
}

const patterns: Readonly<Record<string, RegExp>> = {
  ...{
    t: /^(?:hello|start|event|end|error|dropped)$/,
    name: /^.{0,200}$/,
    k: /^(?:run|call|task|durable)?$/,
  },
  ...{ s: /^[\w-]{0,80}$/, p: /^[\w-]{0,80}$/, at: /^\d{0,15}$/, n: /^\d{0,9}$/ },
}

/** Reads a line. @throws {LlmError} `invalid-request` — names the field that is wrong */
export function readLine(line: string): ProgramLine {
  const fields = fieldsOf(tryParseJson(line))
  for (const [name, pattern] of Object.entries(patterns))
    if (!pattern.test([fields[name]].join('')))
      throw new LlmError('invalid-request', `the field ${name} is not as a program writes it`)
  return { ...fields, at: Number(fields['at'] ?? 0), v: fieldsOf(fields['v']) } as ProgramLine
}

/** The value of JSON text; undefined for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
