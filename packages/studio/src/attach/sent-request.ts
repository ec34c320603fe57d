import type { ChatMessage, OptionValues, ToolDefinition } from '@modelport/core'
import { type SentRequest, systemOf, withoutSystem } from '../protocol/sent-request.js'

/** What a provider was asked for, as the slot of calls has it. */
export interface AskedTurn {
  readonly model: string
  /** The system prompt is the first one, if there is one. */
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly options: OptionValues
}

/** The request before, to compare the next one with. */
export interface RequestBefore {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ToolDefinition[]
  /** The model, the system prompt and the options, as JSON. */
  readonly rest?: string
}

/**
 * A request without what it has in common with the one before: a run repeats its conversation in
 * every step.
 */
export function toSentRequest(
  { model, messages: all, tools, options }: AskedTurn,
  before: RequestBefore | undefined,
): { readonly request: SentRequest; readonly next: RequestBefore } {
  const messages = withoutSystem(all)
  const known = before?.messages ?? []
  const change = messages.findIndex((message, index) => !isSame(message, known[index]))
  const same = change < 0 ? messages.length : change

  const system = systemOf(all)
  const about = { model, ...(system !== undefined && { system }), options: dataOf(options) }
  const rest = JSON.stringify(about)
  const isAsBefore = rest === before?.rest && isSameList(tools, before.tools)

  return {
    request: {
      same,
      messages: messages.slice(same),
      ...(!isAsBefore && { about: { ...about, tools } }),
    },
    next: { messages, tools, rest },
  }
}

/**
 * The options that reach the vendor as data, besides the tools. Headers may have keys that nobody
 * knows.
 */
function dataOf(options: OptionValues): OptionValues {
  const {
    system: _system,
    tools: _tools,
    signal: _signal,
    retry: _retry,
    deadlineMs: _deadline,
    vendor,
    ...sent
  } = options
  const { headers: _headers, ...fields } = vendor ?? {}
  return Object.keys(fields).length > 0 ? { ...sent, vendor: fields } : sent
}

/** True for the same message, also if it was copied: its fields are those of before. */
function isSame(one: ChatMessage, other: ChatMessage | undefined): boolean {
  if (one === other) return true
  if (!other) return false
  const fields = Object.entries(one)
  const values = new Map<string, unknown>(Object.entries(other))
  return (
    fields.length === values.size && fields.every(([name, value]) => value === values.get(name))
  )
}

const isSameList = (one: readonly object[], other: readonly object[] = []): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])
