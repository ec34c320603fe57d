import { defined } from '@modelport/driver'
import * as z from 'zod'
import { parseJsonOrText } from '../json-text.js'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { anyOf, brokenRules, name64, readBody } from './body-form.js'
import { openaiText } from './openai-content.js'

type AssistantMessage = Extract<WireConversationMessage, { role: 'assistant' }>

/** Fields that an item may have, none of them null. */
const optional = <const Names extends string>(names: Names): ReturnType<typeof anyOf<Names>> =>
  anyOf(names, notNull)
const notNull = z.unknown().refine((value) => value !== null, 'null')
const idOf = (prefix: string): z.ZodOptional<z.ZodString> =>
  z.string().startsWith(prefix, `does not begin with '${prefix}'`).optional()
const partsOf = (...types: readonly string[]): z.ZodType =>
  z.union(
    [z.string(), z.array(z.looseObject({ type: z.enum(types) }))],
    `neither text nor a list of ${types.join(', ')}`,
  )
const inputParts = partsOf('input_text', 'input_image', 'input_file')
const output = { call_id: name64, output: inputParts }
const call = { call_id: name64, name: z.string() }

/**
 * The items whose form is checked, by their type; those of the vendor's own tools have many forms
 * and are only paired.
 */
const itemForms: Readonly<Record<string, z.ZodType>> = {
  message: z.discriminatedUnion('role', [
    z.strictObject({
      role: z.enum(['user', 'system', 'developer']),
      content: inputParts,
      ...optional('type status phase'),
    }),
    z.strictObject({
      role: z.literal('assistant'),
      id: idOf('msg_'),
      content: partsOf('output_text', 'refusal'),
      ...optional('type status phase'),
    }),
  ]),
  reasoning: z.strictObject({
    id: z.string().startsWith('rs_'),
    summary: z.array(z.unknown()),
    ...optional('type content encrypted_content status'),
  }),
  function_call: z.strictObject({
    ...call,
    id: idOf('fc_'),
    arguments: z.string(),
    ...optional('type status namespace caller async'),
  }),
  function_call_output: z.strictObject({
    ...output,
    id: idOf('fco_'),
    ...optional('type status caller name namespace'),
  }),
  custom_tool_call: z.strictObject({
    ...call,
    id: idOf('ct'),
    input: z.string(),
    ...optional('type status namespace caller async'),
  }),
  custom_tool_call_output: z.strictObject({
    ...output,
    id: idOf('ct'),
    ...optional('type caller'),
  }),
  local_shell_call_output: z.looseObject({ output: inputParts }),
}
const item = z
  .looseObject({ type: z.string().default('message') })
  .superRefine((value, context) => {
    const { type, ...rest } = value
    for (const issue of itemForms[type]?.safeParse(rest).error?.issues ?? [])
      context.addIssue({ ...issue, code: 'custom' })
  })
const tool = z.union([
  z.looseObject({
    type: z.literal('function'),
    name: name64,
    parameters: z.record(z.string(), z.unknown()).nullable(),
    strict: z.boolean().nullable(),
    function: z.undefined('unknown field; the tool itself has name and parameters').optional(),
  }),
  z.looseObject({
    type: z.string().refine((type) => type !== 'function'),
    function: z.undefined().optional(),
  }),
])
const format = z.union([
  z.looseObject({
    type: z.literal('json_schema'),
    name: name64,
    schema: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({ type: z.string().refine((type) => type !== 'json_schema') }),
])
const responsesBody = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  store: z.boolean().optional(),
  tools: z.array(tool).min(1).optional(),
  max_output_tokens: z.number().min(1).optional(),
  temperature: z.number().optional(),
  text: z.looseObject({ format: format.optional() }).optional(),
  include: z
    .array(
      z.enum([
        'file_search_call.results',
        'web_search_call.results',
        'web_search_call.action.sources',
        'message.input_image.image_url',
        'computer_call_output.output.image_url',
        'code_interpreter_call.outputs',
        'reasoning.encrypted_content',
        'message.output_text.logprobs',
      ]),
    )
    .optional(),
  ...anyOf(
    'access_programs background context_management conversation image max_tool_calls metadata moderation',
  ),
  ...anyOf('parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options'),
  ...anyOf(
    'prompt_cache_retention reasoning safety_identifier service_tier stream_options tool_choice',
  ),
  ...anyOf('top_logprobs top_p truncation user'),
})
type Item = z.infer<typeof item>

/** The conversation of a Responses request; the items of one reply make one message. */
export function openaiResponsesRead(request: WireRequest): WireConversation {
  const body = request.body as Partial<z.input<typeof responsesBody>>
  const {
    model,
    input = [],
    instructions,
    stream,
    tools = [],
    max_output_tokens,
    temperature,
  } = body
  const items: readonly z.input<typeof item>[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const system = items
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => openaiText(content))
  const messages: WireConversationMessage[] = []
  for (const one of items) readItem(one, messages)
  return {
    model: String(model),
    stream: stream === true,
    system: [...(instructions === undefined ? [] : [instructions]), ...system].join('\n'),
    tools: tools.map(({ name, parameters }) => ({ name: String(name), parameters })),
    messages,
    ...defined({ maxTokens: max_output_tokens, temperature }),
  }
}

function readItem(one: z.input<typeof item>, messages: WireConversationMessage[]): void {
  const isCall = one.type === 'function_call' || one.type === 'custom_tool_call'
  if (String(one.type).endsWith('_call_output'))
    messages.push({ role: 'tool', callId: String(one['call_id']), text: openaiText(one['output']) })
  else if (one['role'] === 'user') messages.push({ role: 'user', text: openaiText(one['content']) })
  else if (isCall || one['role'] === 'assistant') {
    const last = messages.at(-1)
    const before: AssistantMessage =
      last?.role === 'assistant' ? last : { role: 'assistant', text: '', toolCalls: [] }
    const call = {
      id: String(one['call_id']),
      name: String(one['name']),
      arguments: parseJsonOrText(String(one['arguments'] ?? one['input'])),
    }
    const message: AssistantMessage = isCall
      ? { ...before, toolCalls: [...before.toolCalls, call] }
      : { ...before, text: before.text + openaiText(one['content']) }
    messages.splice(messages.length - (last?.role === 'assistant' ? 1 : 0), 1, message)
  }
}

/** The rules of the Responses API that a request breaks. */
export function openaiResponsesViolations(request: WireRequest): readonly string[] {
  const { body, problems } = readBody(responsesBody, request)
  if (!body) return problems
  const { input, store, tools, tool_choice: choice } = body
  return [
    ...brokenRules([
      [
        choice !== undefined && choice !== 'auto' && choice !== 'none' && !tools,
        'tool_choice: only with tools',
      ],
    ]),
    ...(typeof input === 'string'
      ? []
      : [...reasoningViolations(input, store !== false), ...pairingViolations(input)]),
  ]
}

/** Reasoning goes back with the item that follows it, and whole unless the vendor stored it. */
const reasoningViolations = (items: readonly Item[], stored: boolean): string[] =>
  items.flatMap(({ type, id, encrypted_content: content }, index) => {
    if (type !== 'reasoning') return []
    const next = items[index + 1]
    const follows = next?.['role'] === 'assistant' || /^reasoning$|_call$/.test(next?.type ?? '')
    const name = `input[${index}]: Item '${String(id)}'`
    return brokenRules([
      [
        !stored && !content,
        `${name} not found: nothing is stored, and it has no encrypted_content`,
      ],
      [!follows, `${name} of type 'reasoning' was provided without its required following item.`],
    ])
  })

/** Each call has one output, of its type, and each output its call. */
function pairingViolations(items: readonly Item[]): string[] {
  const violations: string[] = []
  /** The calls that wait for their output, with the type that answers them. */
  const open = new Map<unknown, string>()
  for (const [index, { type, call_id: id }] of items.entries()) {
    if (/^(function|custom_tool|computer|local_shell)_call$/.test(type)) {
      if (open.has(id)) violations.push(`input[${index}].call_id: given twice`)
      open.set(id, `${type}_output`)
    }
    if (!/^(function|custom_tool|computer|local_shell)_call_output$/.test(type)) continue
    if (open.get(id) !== type)
      violations.push(`input[${index}]: no tool call found for the output ${String(id)}`)
    open.delete(id)
  }
  for (const id of open.keys())
    violations.push(`input: no tool output found for the call ${String(id)}`)
  return violations
}
