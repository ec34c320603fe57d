import { asText, type ChatMessage, isObject, LlmError, type TokenUsage } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { RunEvent } from '@modelport/runtime'
import type { RequestAbout, SentRequest } from '../protocol/sent-request.js'

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

/** What a program sent to a model; undefined if the page could not show it. */
export function readSentRequest(value: unknown): SentRequest | undefined {
  const { same, messages, about } = fieldsOf(value)
  if (about !== undefined && !isAbout(about)) return undefined
  if (!Number.isInteger(same) || Number(same) < 0) return undefined
  if (!Array.isArray(messages) || !messages.every(isMessage)) return undefined
  return { same: Number(same), messages, ...(about !== undefined && { about }) }
}

/** True for what a request has besides its messages. */
function isAbout(value: unknown): value is RequestAbout {
  const { model, system = '', tools, options } = fieldsOf(value)
  const isTool = (tool: unknown): boolean => isText(fieldsOf(tool)['name'])
  return (
    [model, system].every(isText) &&
    Array.isArray(tools) &&
    tools.every(isTool) &&
    isObject(options)
  )
}

/** The types of events that the page shows, and the fields that it needs of them. */
const neededFields: Readonly<Record<string, readonly string[]>> = {
  'step-start': [],
  'context-compacted': [],
  'run-suspended': [],
  final: [],
  'mode-changed': [],
  'reply-rejected': [],
  'run-limited': ['message'],

  'model-call-start': ['provider', 'model'],
  'model-call-end': ['metrics'],
  'model-retry': ['retryInSeconds', 'nextAttempt'],
  'model-error': ['message'],
  'cache-break': ['cause', 'cacheReadTokens', 'cachedTokens'],

  'text-delta': ['text'],
  'reasoning-delta': ['text'],
  'tool-call-delta': ['text', 'callId'],

  'budget-decision': ['decision'],
  'action-requested': ['actionId', 'action'],
  'action-repeated': ['actionId'],

  'tool-start': ['actionId', 'tool'],
  'tool-progress': ['actionId', 'tool'],
  'tool-result': ['actionId', 'tool'],
  'tool-error': ['actionId', 'tool', 'message'],

  'agent-call-start': ['actionId', 'agent'],
  'agent-call-result': ['actionId', 'agent'],
  'agent-call-error': ['actionId', 'agent', 'message'],

  wait: ['callId', 'tool'],
  decision: ['callId'],
  note: ['text'],
  artifact: ['artifact'],
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => Number.isFinite(value)

function isAction(value: unknown): boolean {
  const { type, tool, agent } = fieldsOf(value)
  return isText(type === 'tool_call' ? tool : agent)
}

function isMetrics(value: unknown): boolean {
  const { usage, cost } = fieldsOf(value)
  const { totalCost } = fieldsOf(cost)
  return isCounted(usage) && isNumber(totalCost ?? 0)
}

function isManifest(value: unknown): boolean {
  const { blocks, contextWindow = 0, totalEstimatedTokens = 0 } = fieldsOf(value)
  const isBlock = (block: unknown): boolean => {
    const { kind, tokens } = fieldsOf(block)
    return isText(kind) && isNumber(tokens)
  }
  return (
    isNumber(contextWindow) &&
    isNumber(totalEstimatedTokens) &&
    Array.isArray(blocks) &&
    blocks.every(isBlock)
  )
}

/**
 * The form of each field that the page reads; some types have another `action`, `decision` or
 * `message`.
 */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  actionId: isText,
  callId: isText,
  tool: isText,
  agent: isText,
  provider: isText,
  model: isText,
  reason: isText,
  message: isText,

  cause: (value) =>
    ['tools', 'system', 'history', 'model', 'option', 'time'].includes(asText(value)),
  option: isText,
  block: (value) => isText(fieldsOf(value)['name'] ?? ''),
  cacheReadTokens: isNumber,
  cachedTokens: isNumber,
  retryInSeconds: isNumber,
  nextAttempt: isNumber,
  latencyMs: isNumber,
  step: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 100_000,

  decision: isObject,
  action: isAction,
  artifact: (value) => isText(fieldsOf(value)['id']),
  question: (value) => isText(fieldsOf(value)['message']) && isText(fieldsOf(value)['digest']),
  budget: (value) => isNumber(fieldsOf(value)['outputTokens']) && isNumber(fieldsOf(value)['cost']),
  metrics: isMetrics,
  manifest: isManifest,
}

/** The fields that the page needs of an event; undefined for a type that it does not show. */
const neededOf = (type: string): readonly string[] | undefined =>
  Object.hasOwn(neededFields, type) ? neededFields[type] : undefined

/** The first field of an event that is not of its form; undefined without one. */
export function wrongField(event: Fields): string | undefined {
  const type = asText(event['type'])
  const needed = neededOf(type) ?? []
  // Fields that mean something else in events of other types.
  const others = type === 'status' ? ['message'] : ['action', 'decision']
  return Object.keys(forms).find((name) => {
    const isChecked = needed.includes(name) || (event[name] !== undefined && !others.includes(name))
    return isChecked && !forms[name]?.(event[name])
  })
}

/** An event of a run as the page can show it, or undefined. */
export const toRunEvent = (value: unknown): RunEvent | undefined =>
  neededOf(asText(fieldsOf(value)['type'])) && wrongField(fieldsOf(value)) === undefined
    ? (value as RunEvent)
    : undefined

/** A line of a program. */
export interface ProgramLine {
  /** What the line says. The first one is `hello`. */
  readonly t: 'hello' | 'start' | 'event' | 'end' | 'error' | 'dropped'
  /** The name of the program, in `hello`. */
  readonly name?: string
  /** The span that it is about. */
  readonly s: string
  /** The span in which that one happens. */
  readonly p?: string
  /** What the span is. */
  readonly k?: 'run' | 'call' | 'task' | 'durable'
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  /** The number of events that were dropped. */
  readonly n?: number
  /** The event, or what else the line has. */
  readonly v: Fields
}

/** The form of the fields of a line; a field that is not there is an empty text. */
const patterns: Readonly<Record<string, RegExp>> = {
  t: /^(?:hello|start|event|end|error|dropped)$/,
  name: /^.{0,200}$/,
  k: /^(?:run|call|task|durable)?$/,
  s: /^[\w-]{0,80}$/,
  p: /^[\w-]{0,80}$/,
  at: /^\d{0,15}$/,
  n: /^\d{0,9}$/,
}

/** Reads a line. @throws {LlmError} `invalid-request` — names the field that is wrong */
export function readLine(line: string): ProgramLine {
  const fields = fieldsOf(tryParseJson(line))
  for (const [name, pattern] of Object.entries(patterns))
    if (!pattern.test([fields[name]].join('')))
      throw new LlmError('invalid-request', `the field ${name} is not as a program writes it`)
  return { ...fields, at: Number(fields['at'] ?? 0), v: fieldsOf(fields['v']) } as ProgramLine
}
