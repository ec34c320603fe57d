import {
  type AssistantMessage,
  type ChatMessage,
  isObject,
  type JsonObject,
  type ToolCall,
  textOf,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { argumentsTextOf, isSameJson } from '@modelport/driver'
import type { WireItem } from './wire.js'

/**
 * What {@link AssistantMessage.origin} keeps of a reply: its items as they came, reasoning with its
 * encrypted content.
 */
interface ResponsesState {
  readonly api: 'openai-responses'
  /** The model as configured: another one cannot read the encrypted reasoning. */
  readonly model: string
  readonly items: readonly WireItem[]
  /**
   * Id of the response, and of the conversation that it belongs to, where the server keeps them.
   */
  readonly kept?: readonly string[]
}

/** What decides whether a reply's items may go back to the API. */
export interface ReplayRules {
  readonly provider: string
  readonly model: string
  /**
   * False when the server keeps nothing (`store: false`): then reasoning must carry its encrypted
   * content.
   */
  readonly stored: boolean
  /** Outputs of calls that are neither function nor custom tool calls, by {@link awaitedBy}. */
  readonly outputs: ReadonlyMap<string, readonly JsonObject[]>
}

/** Calls the client has to run; a `tool_search_call` only where it says so. */
const clientRun = new Set(['computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'])

/**
 * The id by which the output of an item names it; undefined where the client answers nothing.
 * @see https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts (read
 * 2026-11-21): `ResponseSteerRequiredInput`
 */
function awaitedBy({ type = '', id, call_id, execution }: WireItem): string | undefined {
  if (type === 'mcp_approval_request') return id
  return clientRun.has(type) || (type === 'tool_search_call' && execution === 'client')
    ? (call_id ?? '')
    : undefined
}

/**
 * The state worth keeping: undefined when text and calls say it all. `kept` are the ids by which
 * the server has the reply.
 */
export function toState(
  items: readonly WireItem[],
  model: string,
  kept: readonly string[] = [],
): ResponsesState | undefined {
  if (kept.length) return { api: 'openai-responses', model, items, kept }
  return items.every(isPlain) ? undefined : { api: 'openai-responses', model, items }
}

/**
 * Id of what the server has of the conversation: of a response, or of a conversation. Undefined if
 * the request names neither.
 */
function serverSide({
  previous_response_id: response,
  conversation,
}: JsonObject): string | undefined {
  const id = response ?? (isObject(conversation) ? conversation['id'] : conversation)
  return typeof id === 'string' ? id : undefined
}

/** The ids by which the server can have the reply to a request. */
export const keptAs = (vendor: JsonObject, response: unknown): readonly string[] =>
  vendor['store'] === true || serverSide(vendor) !== undefined
    ? [response, vendor['previous_response_id'] === undefined && serverSide(vendor)].filter((id) =>
        isText(id),
      )
    : []

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * What the server has of the conversation that a request continues by `previous_response_id` or
 * `conversation`.
 */
export interface KnownStart {
  /** Index of the last message that it has; -1 if it has none. */
  readonly last: number
  /**
   * False where no message says so: the reply was stored by another program, and all up to the last
   * such reply is taken to be known.
   */
  readonly isSure: boolean
}

/** Finds {@link KnownStart}: sending the server what it has would double it. */
export function knownStart(messages: readonly ChatMessage[], vendor: JsonObject = {}): KnownStart {
  const id = serverSide(vendor)
  if (id === undefined) return { last: -1, isSure: true }
  const keptOf = (message: ChatMessage): readonly string[] | undefined => {
    const state = message.role === 'assistant' ? message.origin?.state : undefined
    return isResponsesState(state) ? state.kept : undefined
  }
  const last = messages.findLastIndex((message) => keptOf(message)?.includes(id))
  if (last >= 0) return { last, isSure: true }
  return {
    last: messages.findLastIndex((message) => message.role === 'assistant' && !keptOf(message)),
    isSure: false,
  }
}

function isPlain(item: WireItem): boolean {
  if (item.type === 'message') return item.phase === undefined || item.phase === null
  return (
    item.type === 'function_call' &&
    !['namespace', 'caller', 'async'].some((field) => field in item)
  )
}

/**
 * The items of a reply as input, all of them or, where the API would refuse them, none: it was
 * written by another provider or model, the message was changed since, reasoning lacks its content
 * or what follows it, or a call of the vendor's own kind has no output. Outputs stand right after
 * the items.
 */
export function replayItems(
  message: AssistantMessage,
  rules: ReplayRules,
): JsonObject[] | undefined {
  const { origin } = message
  const state = origin?.state
  if (
    !isResponsesState(state) ||
    origin?.provider !== rules.provider ||
    state.model !== rules.model
  )
    return undefined
  const { items } = state
  if (!agrees(items, message) || items.at(-1)?.type === 'reasoning') return undefined
  if (!rules.stored && items.some((item) => item.type === 'reasoning' && !item.encrypted_content))
    return undefined
  const answered = new Set(
    items.flatMap(({ type, call_id }) => (type?.endsWith('_output') ? (call_id ?? []) : [])),
  )
  const open = items.flatMap((item) => {
    const id = awaitedBy(item)
    return id === undefined || answered.has(id)
      ? []
      : [{ type: item.type, outputs: rules.outputs.get(id) }]
  })
  if (open.some(({ type, outputs }) => !outputs && type !== 'mcp_approval_request'))
    return undefined
  const calls = [...(message.toolCalls ?? [])]
  const input = items.map((item) => {
    const sent = toInputItem(item)
    return isCall(item) ? withArguments(sent, calls.shift() as ToolCall) : sent
  })
  return [...input, ...open.flatMap(({ outputs }) => outputs ?? [])]
}

const isCall = ({ type }: WireItem): boolean =>
  type === 'function_call' || type === 'custom_tool_call'

/**
 * A call's item with the arguments that the message has now. The vendor knows its items by their
 * ids, so that an item whose arguments the program changed goes without one.
 */
function withArguments(item: JsonObject, call: ToolCall): JsonObject {
  const { type, id: _, ...fields } = item
  const changed = toCallItem(call, type === 'custom_tool_call')
  const isSame =
    type === 'custom_tool_call'
      ? item['input'] === changed['input']
      : isSameText(item['arguments'], changed['arguments'])
  return isSame ? item : { ...fields, ...changed }
}

const isSameText = (one: unknown, other: unknown): boolean =>
  one === other ||
  (!one && other === '{}') ||
  (typeof one === 'string' &&
    typeof other === 'string' &&
    isSameJson(tryParseJson(one), tryParseJson(other)))

/** A call as an item without the vendor's id. The text of a custom tool is its argument `input`. */
export function toCallItem(call: ToolCall, isCustom: boolean): JsonObject {
  const { id, name, arguments: values, argumentsText } = call
  if (!isCustom)
    return { type: 'function_call', call_id: id, name, arguments: argumentsTextOf(call) }
  const { input } = values
  const text = typeof input === 'string' ? input : argumentsText
  return { type: 'custom_tool_call', call_id: id, name, input: text }
}

function isResponsesState(state: unknown): state is ResponsesState {
  if (typeof state !== 'object' || state === null) return false
  const { api, items } = state as Partial<ResponsesState>
  return api === 'openai-responses' && Array.isArray(items)
}

/**
 * Kinds of items that a reply has. A result, a decision, or the name of another stored item is
 * written by a client: in a state that has one, a browser has put it there.
 * @see https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts (read
 * 2026-11-28): `ResponseOutputItem`
 */
const replyKinds: ReadonlySet<string | undefined> = new Set([
  'apply_patch_call',
  'code_interpreter_call',
  'compaction',
  'computer_call',
  'custom_tool_call',
  'file_search_call',
  'function_call',
  'image_generation_call',
  'local_shell_call',
  'mcp_approval_request',
  'mcp_call',
  'mcp_list_tools',
  'message',
  'program',
  'program_output',
  'reasoning',
  'shell_call',
  'shell_call_output',
  'tool_search_call',
  'tool_search_output',
  'web_search_call',
])

const isOfModel = ({ type, role = 'assistant', content }: WireItem): boolean =>
  replyKinds.has(type) &&
  role === 'assistant' &&
  (type !== 'message' || content === undefined || Array.isArray(content))

/**
 * True when the items say what the message says, and no other role speaks in them: a stored
 * conversation may have been in a browser.
 */
function agrees(
  items: readonly WireItem[],
  { content, refusal, toolCalls = [] }: AssistantMessage,
): boolean {
  if (!items.every(isOfModel)) return false
  const calls = items.filter(isCall)
  const parts = items.flatMap((item) => (item.type === 'message' ? (item.content ?? []) : []))
  const text = parts.map((part) => part.text ?? '').join('') || (refusal ?? '')
  return (
    calls.length === toolCalls.length &&
    calls.every(
      (item, index) =>
        item.call_id === toolCalls[index]?.id && item.name === toolCalls[index]?.name,
    ) &&
    text === textOf(content)
  )
}

/**
 * An item as input: the API gives fields as null that it refuses as null, and says who made an
 * item, which no input has.
 * @see https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts (read
 * 2026-11-21): `ResponseInputItem`
 */
const toInputItem = (item: WireItem): JsonObject =>
  Object.fromEntries(
    Object.entries(item).filter(([field, value]) => value !== null && field !== 'created_by'),
  )
