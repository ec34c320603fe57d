import { parseJsonOrText } from '../json-text.js'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { openaiText } from './openai-content.js'

interface WireItem {
  readonly type?: unknown
  readonly role?: unknown
  readonly id?: unknown
  readonly call_id?: unknown
  readonly name?: unknown
  readonly content?: unknown
  readonly [field: string]: unknown
}
interface WireBody {
  readonly model?: unknown
  readonly input?: string | readonly WireItem[]
  readonly instructions?: unknown
  readonly stream?: unknown
  readonly store?: unknown
  readonly tools?: readonly Readonly<Record<string, unknown>>[]
  readonly max_output_tokens?: number
  readonly temperature?: number
  readonly [field: string]: unknown
}
type AssistantMessage = Extract<WireConversationMessage, { role: 'assistant' }>

const fields = new Set(
  (
    'access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls ' +
    'previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream ' +
    'stream_options temperature text tool_choice tools top_logprobs top_p truncation user'
  ).split(' '),
)
const includable = new Set(
  (
    'file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url computer_call_output.output.image_url ' +
    'code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs'
  ).split(' '),
)
/** Fields of the items whose form is checked, the prefix of their id, and the fields they must have as text. */
const itemForms: Readonly<Record<string, { readonly fields: string; readonly id: string; readonly text: string }>> = {
  message: { fields: 'type id status role content phase', id: 'msg_', text: '' },
  reasoning: { fields: 'type id summary content encrypted_content status', id: 'rs_', text: 'id' },
  function_call: {
    fields: 'type id call_id name arguments status namespace caller async',
    id: 'fc_',
    text: 'call_id name arguments',
  },
  function_call_output: { fields: 'type id call_id output status caller name namespace', id: 'fco_', text: 'call_id' },
  custom_tool_call: {
    fields: 'type id call_id name input status namespace caller async',
    id: 'ct',
    text: 'call_id name input',
  },
  custom_tool_call_output: { fields: 'type id call_id output caller', id: 'ct', text: 'call_id' },
}
const inputParts = ['input_text', 'input_image', 'input_file']

/** The conversation of a Responses request; the items of one reply make one message. */
export function openaiResponsesRead(request: WireRequest): WireConversation {
  const {
    model,
    input = [],
    instructions,
    stream,
    tools = [],
    max_output_tokens,
    temperature,
  } = request.body as WireBody
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const system = items
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => openaiText(content))
  const messages: WireConversationMessage[] = []
  for (const item of items) readItem(item, messages)
  return {
    model: String(model),
    stream: stream === true,
    system: [...(typeof instructions === 'string' ? [instructions] : []), ...system].join('\n'),
    tools: tools.map(({ name, parameters }) => ({ name: String(name), parameters })),
    messages,
    ...(max_output_tokens !== undefined && { maxTokens: max_output_tokens }),
    ...(temperature !== undefined && { temperature }),
  }
}

function readItem(item: WireItem, messages: WireConversationMessage[]): void {
  const isCall = item.type === 'function_call' || item.type === 'custom_tool_call'
  if (String(item.type).endsWith('_call_output'))
    messages.push({ role: 'tool', callId: String(item.call_id), text: openaiText(item['output']) })
  else if (item.role === 'user') messages.push({ role: 'user', text: openaiText(item.content) })
  else if (isCall || item.role === 'assistant') {
    const last = messages.at(-1)
    const before: AssistantMessage = last?.role === 'assistant' ? last : { role: 'assistant', text: '', toolCalls: [] }
    const call = {
      id: String(item.call_id),
      name: String(item.name),
      arguments: parseJsonOrText(String(item['arguments'] ?? item['input'])),
    }
    const message: AssistantMessage = isCall
      ? { ...before, toolCalls: [...before.toolCalls, call] }
      : { ...before, text: before.text + openaiText(item.content) }
    messages.splice(messages.length - (last?.role === 'assistant' ? 1 : 0), 1, message)
  }
}

/** The rules of the Responses API that a request breaks. */
export function openaiResponsesViolations({ body, headers }: WireRequest): readonly string[] {
  const found: string[] = []
  const { model, input, instructions, stream, store, tools, ...rest } = body as WireBody
  if (!headers['content-type']?.includes('application/json')) found.push('content-type is not application/json')
  if (typeof model !== 'string' || !model) found.push('model: missing')
  for (const field of Object.keys(rest)) if (!fields.has(field)) found.push(`${field}: unknown field`)
  if (instructions !== undefined && typeof instructions !== 'string') found.push('instructions: not a string')
  for (const [field, value] of Object.entries({ stream, store }))
    if (value !== undefined && typeof value !== 'boolean') found.push(`${field}: not a boolean`)
  if (rest.max_output_tokens !== undefined && !(rest.max_output_tokens >= 1))
    found.push('max_output_tokens: not a positive number')
  const include = rest['include'] as readonly string[] | undefined
  for (const value of include ?? []) if (!includable.has(value)) found.push(`include: unknown value ${value}`)
  found.push(...formatViolations(rest['text']), ...toolViolations(tools, rest['tool_choice']))
  if (typeof input === 'string') return found
  if (!input?.length) return [...found, 'input: missing']
  const open = new Map<unknown, string>()
  for (const [index, item] of input.entries())
    found.push(...itemViolations(item, input[index + 1], `input[${index}]`, open, store !== false))
  for (const id of open.keys()) found.push(`input: no tool output found for the call ${String(id)}`)
  return found
}

function formatViolations(text: unknown): string[] {
  const format = (text as { readonly format?: Readonly<Record<string, unknown>> } | undefined)?.format
  if (format?.['type'] !== 'json_schema') return []
  const named = typeof format['name'] === 'string' && /^[\w-]{1,64}$/.test(format['name'])
  return [
    ...(named ? [] : ['text.format.name: not 1 to 64 letters, digits, _ or -']),
    ...(typeof format['schema'] === 'object' ? [] : ['text.format.schema: missing']),
  ]
}

function toolViolations(tools: WireBody['tools'], choice: unknown): string[] {
  const found: string[] = []
  if (tools?.length === 0) found.push('tools: empty array')
  if (choice !== undefined && choice !== 'auto' && choice !== 'none' && !tools)
    found.push('tool_choice: only with tools')
  for (const [index, tool] of (tools ?? []).entries()) {
    const where = `tools[${index}]`
    if ('function' in tool) found.push(`${where}.function: unknown field; the tool itself has name and parameters`)
    if (typeof tool['type'] !== 'string') found.push(`${where}.type: missing`)
    if (tool['type'] !== 'function') continue
    if (!/^[\w-]{1,64}$/.test(String(tool['name']))) found.push(`${where}.name: not 1 to 64 letters, digits, _ or -`)
    if (typeof tool['parameters'] !== 'object') found.push(`${where}.parameters: missing`)
    if (tool['strict'] !== null && typeof tool['strict'] !== 'boolean') found.push(`${where}.strict: missing`)
  }
  return found
}

/** `open` holds the calls that wait for their output, with the type that answers them. */
function itemViolations(
  item: WireItem,
  next: WireItem | undefined,
  where: string,
  open: Map<unknown, string>,
  stored: boolean,
): string[] {
  const { type = 'message' } = item
  if (typeof type !== 'string') return [`${where}.type: not a string`]
  const form = itemForms[type]
  // The vendor's own tools have items of many forms; they are only paired.
  const found = form ? formViolations(item, form, where) : []
  if (type === 'message') found.push(...messageViolations(item, where))
  if (type === 'reasoning') {
    if (!Array.isArray(item['summary'])) found.push(`${where}.summary: missing`)
    if (!stored && !item['encrypted_content'])
      found.push(`${where}: Item '${String(item.id)}' not found: nothing is stored, and it has no encrypted_content`)
    const follows =
      next && (next.role === 'assistant' || next.type === 'reasoning' || String(next.type).endsWith('_call'))
    if (!follows)
      found.push(
        `${where}: Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`,
      )
  }
  if (
    type === 'function_call' ||
    type === 'custom_tool_call' ||
    type === 'computer_call' ||
    type === 'local_shell_call'
  ) {
    if (open.has(item.call_id)) found.push(`${where}.call_id: given twice`)
    open.set(item.call_id, `${type}_output`)
  }
  if (/^(function|custom_tool|computer|local_shell)_call_output$/.test(type)) {
    if (open.get(item.call_id) !== type)
      found.push(`${where}: no tool call found for the output ${String(item.call_id)}`)
    open.delete(item.call_id)
    found.push(
      ...partsViolations(item['output'], `${where}.output`, type === 'computer_call_output' ? undefined : inputParts),
    )
  }
  return found
}

function formViolations(
  item: WireItem,
  form: { readonly fields: string; readonly id: string; readonly text: string },
  where: string,
): string[] {
  const found: string[] = []
  const allowed = form.fields.split(' ')
  for (const [field, value] of Object.entries(item)) {
    if (!allowed.includes(field)) found.push(`${where}.${field}: unknown field`)
    else if (value === null) found.push(`${where}.${field}: null`)
  }
  if (item.id !== undefined && !(typeof item.id === 'string' && item.id.startsWith(form.id)))
    found.push(`${where}.id: does not begin with '${form.id}'`)
  for (const field of form.text.split(' ').filter(Boolean))
    if (typeof item[field] !== 'string') found.push(`${where}.${field}: not a string`)
  if ('call_id' in item && !/^[\w-]{1,64}$/.test(String(item.call_id)))
    found.push(`${where}.call_id: not 1 to 64 letters, digits, _ or -`)
  return found
}

function messageViolations({ role, content, id }: WireItem, where: string): string[] {
  if (!['user', 'system', 'developer', 'assistant'].includes(String(role)))
    return [`${where}.role: unknown role ${String(role)}`]
  if (id !== undefined && role !== 'assistant') return [`${where}.id: only an assistant message has one`]
  return partsViolations(content, `${where}.content`, role === 'assistant' ? ['output_text', 'refusal'] : inputParts)
}

function partsViolations(content: unknown, where: string, allowed: readonly string[] | undefined): string[] {
  if (typeof content === 'string' || !allowed) return []
  if (!Array.isArray(content)) return [`${where}: neither a string nor a list`]
  return content.flatMap(({ type }: { readonly type?: unknown }, index) =>
    allowed.includes(String(type)) ? [] : [`${where}[${index}].type: ${String(type)} is not allowed here`],
  )
}
