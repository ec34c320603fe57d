import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  type JsonObject,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import { mapToolCallIds, withVendor } from '@modelport/driver'
import { toInputContent, toInputPart } from './content.js'
import { type ReplayRules, replayItems, toCallItem } from './state.js'

/** What the input depends on besides the messages. */
export interface InputRules extends ReplayRules {
  /** Names of tools that take plain text. */
  readonly customTools: ReadonlySet<string>
  /** Index of the last message that the server has already; -1 if it has none. */
  readonly known: number
  /** How instructions within the conversation are marked. */
  readonly systemRole: 'system' | 'developer'
}

/** A conversation as the API takes it. */
export interface ResponsesInput {
  readonly instructions: string | undefined
  readonly input: readonly JsonObject[]
  /** All items, those that the server has included. */
  readonly items: ReadonlySet<JsonObject>
}

/**
 * The conversation as instructions and items. A reply the same model gave through this API goes
 * back as its own items; any other as its visible text and calls. Results follow their calls in
 * call order; the API has no field for a failed one, so its text starts with `Error: `. Of what the
 * server has already nothing is sent again but the outputs that its last reply waits for.
 * @throws {LlmError} `unsupported` — a part the API does not take.
 */
export function toInput(messages: readonly ChatMessage[], rules: InputRules): ResponsesInput {
  const [first] = messages
  const instructions = first?.role === 'system' ? toInstructions(first) : undefined
  const input: JsonObject[] = []
  const items = new Set<JsonObject>()
  const calls = new Map<unknown, JsonObject>()
  const outputs = new Set([...rules.outputs.values()].flat())
  for (const [index, message] of mapToolCallIds(messages).entries()) {
    if (index === 0 && instructions !== undefined) continue
    const added = toItems(message, rules, calls)
    for (const item of added) items.add(item)
    if (index === rules.known) input.length = 0
    input.push(...(index === rules.known ? added.filter((item) => outputs.has(item)) : added))
  }
  return { instructions, input, items }
}

/** The text of instructions; unset if a part of them has a mark, which only an item can have. */
function toInstructions({ content }: ChatMessage): string | undefined {
  const text = toInputContent(content)
  return typeof text === 'string' ? text : undefined
}

function toItems(
  message: ChatMessage,
  rules: InputRules,
  calls: Map<unknown, JsonObject>,
): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [own({ role: rules.systemRole, content: toInputContent(message.content) }, message)]
    case 'user':
      return [own({ role: 'user', content: toInputContent(message.content) }, message)]
    case 'assistant':
      return toReplyItems(message, rules, calls)
    case 'tool':
      return [own(toOutput(message, calls.get(message.toolCallId)), message)]
  }
}

const own = (item: JsonObject, { role, vendor }: ChatMessage): JsonObject =>
  withVendor(item, vendor, `vendor of a ${role} message`)

function toReplyItems(
  message: AssistantMessage,
  rules: InputRules,
  calls: Map<unknown, JsonObject>,
): JsonObject[] {
  const replayed = replayItems(message, rules)
  if (replayed) {
    for (const item of replayed)
      if (/^(function|custom_tool)_call$/.test(String(item['type'])))
        calls.set(item['call_id'], item)
    return replayed
  }
  const items: JsonObject[] = []
  const { content, refusal, toolCalls = [] } = message
  const parts = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
  const text = textOf(content) || refusal
  // The type may be left out, but llama.cpp does not know the item then.
  if (text) items.push({ type: 'message', role: 'assistant', content: text })
  // An assistant message holds only text here; what another model drew or spoke is shown as the
  // user's.
  if (parts.length) items.push({ role: 'user', content: parts.map(toShownPart) })
  for (const call of toolCalls) {
    const item = toCallItem(call, rules.customTools.has(call.name))
    calls.set(call.id, item)
    items.push(item)
  }
  return items
}

/** A part of another model's reply; audio, which the API does not take, is only named. */
const toShownPart = (part: ContentPart): JsonObject =>
  part.type === 'audio' ? { type: 'input_text', text: '[audio]' } : toInputPart(part)

/** The output of a call; one that a program of the vendor's made goes to that program. */
function toOutput(
  { toolCallId, content, isError }: ToolMessage,
  call: JsonObject | undefined,
): JsonObject {
  const output = toInputContent(content)
  const marked =
    typeof output === 'string'
      ? `Error: ${output}`
      : [{ type: 'input_text', text: 'Error: ' }, ...output]
  const caller = call?.['caller']
  return {
    type:
      call?.['type'] === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: toolCallId,
    output: isError ? marked : output,
    ...(caller !== undefined && { caller }),
  }
}
