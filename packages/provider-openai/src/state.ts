import { type AssistantMessage, type JsonObject, textOf } from '@modelport/core'
import type { WireItem } from './wire.js'

/** What {@link AssistantMessage.origin} keeps of a reply: its items as they came, reasoning with its encrypted content. */
interface ResponsesState {
  readonly api: 'openai-responses'
  /** The model as configured: another one cannot read the encrypted reasoning. */
  readonly model: string
  readonly items: readonly WireItem[]
}

/** What decides whether a reply's items may go back to the API. */
export interface ReplayRules {
  readonly provider: string
  readonly model: string
  /** False when the server keeps nothing (`store: false`): then reasoning must carry its encrypted content. */
  readonly stored: boolean
  /** Outputs of calls that are neither function nor custom tool calls, by {@link awaitedBy}. */
  readonly outputs: ReadonlyMap<string, readonly JsonObject[]>
}

/** Calls the client has to run; a `tool_search_call` only where it says so. */
const clientRun = new Set(['computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'])

/**
 * The id by which the output of an item names it; undefined where the client answers nothing.
 * @see https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts (read 2026-11-21): `ResponseSteerRequiredInput`
 */
function awaitedBy({ type = '', id, call_id, execution }: WireItem): string | undefined {
  if (type === 'mcp_approval_request') return id
  return clientRun.has(type) || (type === 'tool_search_call' && execution === 'client') ? (call_id ?? '') : undefined
}

/** The state worth keeping: undefined when text and calls say it all. */
export function toState(items: readonly WireItem[], model: string): ResponsesState | undefined {
  return items.every(isPlain) ? undefined : { api: 'openai-responses', model, items }
}

function isPlain(item: WireItem): boolean {
  if (item.type === 'message') return item.phase === undefined || item.phase === null
  return item.type === 'function_call' && !['namespace', 'caller', 'async'].some((field) => field in item)
}

/**
 * The items of a reply as input, all of them or, where the API would refuse them, none: it was written by another provider or
 * model, the message was changed since, reasoning lacks its content or what follows it, or a call of the vendor's own kind has no
 * output. Outputs stand right after the items.
 */
export function replayItems(message: AssistantMessage, rules: ReplayRules): JsonObject[] | undefined {
  const { origin } = message
  const state = origin?.state
  if (!isResponsesState(state) || origin?.provider !== rules.provider || state.model !== rules.model) return undefined
  const { items } = state
  if (!agrees(items, message) || items.at(-1)?.type === 'reasoning') return undefined
  if (!rules.stored && items.some((item) => item.type === 'reasoning' && !item.encrypted_content)) return undefined
  const answered = new Set(items.flatMap(({ type, call_id }) => (type?.endsWith('_output') ? (call_id ?? []) : [])))
  const open = items.flatMap((item) => {
    const id = awaitedBy(item)
    return id === undefined || answered.has(id) ? [] : [{ type: item.type, outputs: rules.outputs.get(id) }]
  })
  if (open.some(({ type, outputs }) => !outputs && type !== 'mcp_approval_request')) return undefined
  return [...items.map(toInputItem), ...open.flatMap(({ outputs }) => outputs ?? [])]
}

function isResponsesState(state: unknown): state is ResponsesState {
  if (typeof state !== 'object' || state === null) return false
  const { api, items } = state as Partial<ResponsesState>
  return api === 'openai-responses' && Array.isArray(items)
}

/** True when the items say what the message says. */
function agrees(items: readonly WireItem[], { content, refusal, toolCalls = [] }: AssistantMessage): boolean {
  const calls = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
  const parts = items.flatMap((item) => (item.type === 'message' ? (item.content ?? []) : []))
  const text = parts.map((part) => part.text ?? '').join('') || (refusal ?? '')
  return (
    calls.length === toolCalls.length &&
    calls.every((item, index) => item.call_id === toolCalls[index]?.id && item.name === toolCalls[index]?.name) &&
    text === textOf(content)
  )
}

/**
 * An item as input: the API gives fields as null that it refuses as null, and says who made an item, which no input has.
 * @see https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts (read 2026-11-21): `ResponseInputItem`
 */
const toInputItem = (item: WireItem): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([field, value]) => value !== null && field !== 'created_by'))
