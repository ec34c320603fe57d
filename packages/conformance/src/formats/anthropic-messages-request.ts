import { defined } from '@modelport/driver'
import * as z from 'zod'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { block, blocks, blocksOf, blockViolations } from './anthropic-messages-blocks.js'
import { anyOf, brokenRules, readBody } from './body-form.js'

const share = z.number().min(0).max(1).optional()
const message = z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content: blocks })
const tool = z.union([
  z.looseObject({
    type: z.literal('custom').optional(),
    name: z.string().regex(/^[\w-]{1,128}$/),
    input_schema: z.looseObject({ type: z.literal('object') }),
  }),
  block.refine(({ type }) => type !== 'custom'),
])
const messagesBody = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1),
  messages: z.array(message).min(1),
  system: blocks.optional(),
  tools: z.array(tool).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: z
    .looseObject({
      type: z.enum(['enabled', 'adaptive', 'disabled', 'between_tools']),
      ...anyOf('budget_tokens'),
    })
    .optional(),
  temperature: share,
  top_p: share,
  stop_sequences: z
    .array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace'))
    .optional(),
  ...anyOf(
    'stream top_k cache_control container billing_policy compaction context_management diagnostics',
  ),
  ...anyOf(
    'fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config service_tier speed',
  ),
  ...anyOf('thread user_profile_id'),
})
type MessagesBody = z.infer<typeof messagesBody>
type WireMessage = MessagesBody['messages'][number]

const textOf = (content: WireMessage['content'] | undefined): string =>
  blocksOf(content)
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')

/** The conversation of a request. System messages within it count as system text. */
export function anthropicRead(request: WireRequest): WireConversation {
  const body = request.body as Partial<MessagesBody>
  const { messages = [] } = body
  const within = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
  return {
    model: String(body.model),
    stream: body.stream === true,
    system: [...blocksOf(body.system).map(({ text }) => String(text)), ...within].join('\n'),
    tools: (body.tools ?? []).flatMap(({ name, input_schema: schema }) =>
      // Under the choice "none", a definition without properties stands for earlier calls only.
      schema && (body.tool_choice?.type !== 'none' || Object.keys(schema).length > 1)
        ? [{ name: String(name), parameters: schema }]
        : [],
    ),
    messages: messages.flatMap(readMessage),
    ...defined({ maxTokens: body.max_tokens, temperature: body.temperature }),
  }
}

function readMessage({ role, content }: WireMessage): WireConversationMessage[] {
  const blocks = blocksOf(content)
  if (role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    const toolCalls = calls.map(({ id, name, input }) => ({
      id: String(id),
      name: String(name),
      arguments: input,
    }))
    return [{ role, text: textOf(content), toolCalls }]
  }
  if (role !== 'user') return []
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block): WireConversationMessage => ({
        role: 'tool',
        callId: String(block['tool_use_id']),
        text: textOf(block['content'] as WireMessage['content'] | undefined),
        ...(block['is_error'] === true && { isError: true }),
      }),
    )
  return results.length === blocks.length ? results : [...results, { role, text: textOf(content) }]
}

/** The rules of the Messages API that a request breaks. */
export function anthropicViolations(request: WireRequest): readonly string[] {
  const { headers } = request
  const version = headers['anthropic-version']
  const violations = brokenRules([
    [
      !headers['x-api-key'] && !headers['authorization']?.startsWith('Bearer '),
      'x-api-key: missing',
    ],
    [
      version !== '2023-06-01' && version !== '2026-10-21',
      `anthropic-version: ${version ?? 'missing'}`,
    ],
  ])
  const { body, problems } = readBody(messagesBody, request)
  if (!body) return [...violations, ...problems]
  if (version === '2026-10-21')
    for (const field of ['temperature', 'top_p', 'top_k'] as const)
      if (body[field] !== undefined) violations.push(`${field}: not in this version`)
  return [
    ...violations,
    ...thinkingRules(body),
    ...toolRules(body),
    ...conversationViolations(body),
  ]
}

function thinkingRules({
  thinking,
  max_tokens: most,
  temperature,
  top_p: topP,
  top_k: topK,
  ...body
}: MessagesBody): string[] {
  if (thinking?.type !== 'enabled') return []
  const budget = Number(thinking.budget_tokens)
  return brokenRules([
    [!Number.isInteger(budget) || budget < 1024, 'thinking.budget_tokens: less than 1024'],
    [budget >= most, 'thinking.budget_tokens: not less than max_tokens'],
    [
      temperature !== undefined && temperature !== 1,
      'temperature: may only be set to 1 when thinking is enabled',
    ],
    [topK !== undefined, 'top_k: must be unset when thinking is enabled'],
    [topP !== undefined && topP < 0.95, 'top_p: must be at least 0.95 when thinking is enabled'],
    [
      !['auto', 'none'].includes(body.tool_choice?.type ?? 'auto'),
      'tool_choice: thinking may not be enabled when tool_choice forces tool use',
    ],
  ])
}

function toolRules({ tools = [], tool_choice: choice, messages }: MessagesBody): string[] {
  const names = tools.map(({ name }) => name)
  const calls = messages
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === 'tool_use')
  return brokenRules([
    [
      calls.length > 0 && !tools.length,
      'tools: requests with tool_use or tool_result blocks must define tools',
    ],
    [
      choice !== undefined && !tools.length,
      'tool_choice: may only be specified while providing tools',
    ],
    ...names.map(
      (name, index) =>
        [names.indexOf(name) < index, `tools[${index}].name: must be unique`] as const,
    ),
  ])
}

function conversationViolations({ system, messages, thinking, tools }: MessagesBody): string[] {
  const violations = blocksOf(system).flatMap((one, index) =>
    blockViolations(one, 'system', ['system', index]),
  )
  // The summary of a conversation stands for its start.
  const summarized = blocksOf(messages[0]?.content)[0]?.type === 'compaction'
  if (messages[0]?.role !== 'user' && !summarized)
    violations.push('messages: first message must use the "user" role')
  for (const [index, { role, content }] of messages.entries()) {
    const where = `messages[${index}]`
    if (
      role === 'system' &&
      index < messages.length - 1 &&
      messages[index + 1]?.role !== 'assistant'
    )
      violations.push(`${where}: a system message must be last or before an assistant message`)
    if (!blocksOf(content).length) violations.push(`${where}.content: empty`)
    for (const [at, one] of blocksOf(content).entries())
      violations.push(...blockViolations(one, role, ['messages', index, 'content', at]))
  }
  const turns = combined(messages)
  for (const index of turns.keys())
    violations.push(...pairingViolations(turns, index, `turn ${index}`))
  const marks = [
    ...blocksOf(system),
    ...(tools ?? []),
    ...messages.flatMap(({ content }) => blocksOf(content)),
  ].filter((one) => one['cache_control'])
  if (marks.length > 4)
    violations.push(`cache_control: a maximum of 4 blocks, found ${marks.length}`)
  return [...violations, ...thinkingViolations(turns, thinking?.type)]
}

/** The API itself combines messages of one role that follow each other. */
function combined(messages: readonly WireMessage[]): readonly WireMessage[] {
  const turns: WireMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role)
      turns.splice(-1, 1, {
        ...last,
        content: [...blocksOf(last.content), ...blocksOf(message.content)],
      })
    else turns.push(message)
  }
  return turns
}

/** Each `tool_use` is answered in the next turn, first thing there, and nothing else is. */
function pairingViolations(
  messages: readonly WireMessage[],
  index: number,
  where: string,
): string[] {
  const ids = (message: WireMessage | undefined, type: string, field: string): unknown[] =>
    blocksOf(message?.content)
      .filter((block) => block.type === type)
      .map((block) => block[field])
  const violations: string[] = []
  const calls = ids(messages[index - 1], 'tool_use', 'id')
  const results = ids(messages[index], 'tool_result', 'tool_use_id')
  const missing = calls.filter((id) => !results.includes(id))
  if (missing.length)
    violations.push(
      `${where}: tool_use ids without tool_result blocks immediately after: ${missing.join(', ')}`,
    )
  for (const id of results)
    if (!calls.includes(id))
      violations.push(`${where}: unexpected tool_use_id in tool_result: ${String(id)}`)
  if (new Set(results).size !== results.length)
    violations.push(`${where}: each tool_use must have a single result`)
  const first = blocksOf(messages[index]?.content).slice(0, results.length)
  if (first.some(({ type }) => type !== 'tool_result'))
    violations.push(`${where}: tool_result blocks must come first`)
  if (index === messages.length - 1 && ids(messages[index], 'tool_use', 'id').length)
    violations.push(`${where}: the last message has calls without results`)
  return violations
}

/** With a budget of thinking, a tool turn that continues must start with thinking. */
function thinkingViolations(messages: readonly WireMessage[], type: string | undefined): string[] {
  const last = blocksOf(messages.at(-1)?.content)
  const calling = messages.findLast(({ role }) => role === 'assistant')
  if (type !== 'enabled' || !last.some((block) => block.type === 'tool_result')) return []
  const first = blocksOf(calling?.content)[0]?.type
  return first === 'thinking' || first === 'redacted_thinking'
    ? []
    : [`messages: expected thinking or redacted_thinking, but found ${String(first)}`]
}
