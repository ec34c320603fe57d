import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { blocksOf, blockViolations, type WireBlock } from './anthropic-messages-blocks.js'

interface WireMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly [field: string]: unknown
}
interface WireBody {
  readonly model?: unknown
  readonly max_tokens?: unknown
  readonly messages?: readonly WireMessage[]
  readonly system?: unknown
  readonly tools?: readonly WireBlock[]
  readonly tool_choice?: { readonly type?: unknown }
  readonly thinking?: { readonly type?: unknown; readonly budget_tokens?: unknown }
  readonly stream?: unknown
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: readonly unknown[]
  readonly [field: string]: unknown
}

const fields = new Set(
  (
    'model max_tokens messages system tools tool_choice thinking stream temperature top_p top_k stop_sequences cache_control container ' +
    'billing_policy compaction context_management diagnostics fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config service_tier ' +
    'speed thread user_profile_id'
  ).split(' '),
)

const textOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')

/** The conversation of a request. System messages within it count as system text. */
export function anthropicRead(request: WireRequest): WireConversation {
  const body = request.body as WireBody
  const messages = body.messages ?? []
  const within = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content))
  return {
    model: String(body.model),
    stream: body.stream === true,
    system: [...blocksOf(body.system).map(({ text }) => String(text)), ...within].join('\n'),
    tools: (body.tools ?? [])
      .filter(({ input_schema: schema }) => schema)
      .map(({ name, input_schema: schema }) => ({ name: String(name), parameters: schema })),
    messages: messages.flatMap(readMessage),
    ...(typeof body.max_tokens === 'number' && { maxTokens: body.max_tokens }),
    ...(body.temperature !== undefined && { temperature: body.temperature }),
  }
}

function readMessage({ role, content }: WireMessage): WireConversationMessage[] {
  const blocks = blocksOf(content)
  if (role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    return [
      {
        role,
        text: textOf(content),
        toolCalls: calls.map(({ id, name, input }) => ({ id: String(id), name: String(name), arguments: input })),
      },
    ]
  }
  if (role !== 'user') return []
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block): WireConversationMessage => ({
        role: 'tool',
        callId: String(block['tool_use_id']),
        text: textOf(block['content']),
        ...(block['is_error'] === true && { isError: true }),
      }),
    )
  return results.length === blocks.length ? results : [...results, { role, text: textOf(content) }]
}

/** The rules of the Messages API that a request breaks. */
export function anthropicViolations({ body, headers }: WireRequest): readonly string[] {
  const request = body as WireBody
  const found: string[] = []
  if (!headers['content-type']?.includes('application/json')) found.push('content-type is not application/json')
  if (!headers['x-api-key'] && !headers['authorization']?.startsWith('Bearer ')) found.push('x-api-key: missing')
  const version = headers['anthropic-version']
  if (version !== '2023-06-01' && version !== '2026-10-21') found.push(`anthropic-version: ${version ?? 'missing'}`)
  for (const field of Object.keys(request))
    if (!fields.has(field)) found.push(`${field}: Extra inputs are not permitted`)
  if (version === '2026-10-21') {
    for (const field of ['temperature', 'top_p', 'top_k'])
      if (request[field] !== undefined) found.push(`${field}: not in this version`)
  }
  if (typeof request.model !== 'string' || !request.model) found.push('model: missing')
  return [...found, ...optionViolations(request), ...toolViolations(request), ...conversationViolations(request)]
}

function optionViolations(body: WireBody): string[] {
  const found: string[] = []
  const {
    max_tokens: most,
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: stops,
    thinking,
    tool_choice: choice,
  } = body
  if (!Number.isInteger(most) || Number(most) < 1)
    found.push('max_tokens: missing, or not a whole number of at least 1')
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 1))
    found.push('temperature: not between 0 and 1')
  if (topP !== undefined && !(topP >= 0 && topP <= 1)) found.push('top_p: not between 0 and 1')
  for (const stop of stops ?? [])
    if (typeof stop !== 'string' || !stop.trim())
      found.push('stop_sequences: each stop sequence must contain non-whitespace')
  if (thinking === undefined) return found
  if (!['enabled', 'adaptive', 'disabled', 'between_tools'].includes(String(thinking.type)))
    found.push('thinking.type: unknown')
  if (thinking.type !== 'enabled') return found
  const budget = Number(thinking.budget_tokens)
  if (!Number.isInteger(budget) || budget < 1024) found.push('thinking.budget_tokens: less than 1024')
  if (budget >= Number(most)) found.push('thinking.budget_tokens: not less than max_tokens')
  if (temperature !== undefined && temperature !== 1)
    found.push('temperature: may only be set to 1 when thinking is enabled')
  if (topK !== undefined) found.push('top_k: must be unset when thinking is enabled')
  if (topP !== undefined && topP < 0.95) found.push('top_p: must be at least 0.95 when thinking is enabled')
  if (choice && !['auto', 'none'].includes(String(choice.type)))
    found.push('tool_choice: thinking may not be enabled when tool_choice forces tool use')
  return found
}

function toolViolations({ tools, tool_choice: choice }: WireBody): string[] {
  const found: string[] = []
  if (choice && !tools?.length) found.push('tool_choice: may only be specified while providing tools')
  if (choice && !['auto', 'any', 'tool', 'none'].includes(String(choice.type))) found.push('tool_choice.type: unknown')
  const names = new Set<unknown>()
  for (const [index, { name, type, input_schema: schema }] of (tools ?? []).entries()) {
    if (names.has(name)) found.push(`tools[${index}].name: Tool names must be unique`)
    names.add(name)
    if (type !== undefined && type !== 'custom') continue
    if (!/^[\w-]{1,128}$/.test(String(name)))
      found.push(`tools[${index}].name: String should match pattern ^[a-zA-Z0-9_-]{1,128}$`)
    if ((schema as { type?: unknown } | undefined)?.type !== 'object')
      found.push(`tools[${index}].input_schema.type: Field required`)
  }
  return found
}

function conversationViolations({ system, messages = [], thinking, tools }: WireBody): string[] {
  const found = blocksOf(system).flatMap((block, index) => blockViolations(block, 'system', `system[${index}]`))
  if (!messages.length) found.push('messages: at least one message is required')
  // The summary of a conversation stands for its start.
  const summarized = blocksOf(messages[0]?.content)[0]?.type === 'compaction'
  if (messages.length && messages[0]?.role !== 'user' && !summarized)
    found.push('messages: first message must use the "user" role')
  for (const [index, { role, content, ...rest }] of messages.entries()) {
    const where = `messages[${index}]`
    for (const field of Object.keys(rest)) found.push(`${where}.${field}: Extra inputs are not permitted`)
    if (!['user', 'assistant', 'system'].includes(String(role)))
      found.push(`${where}.role: unknown role ${String(role)}`)
    if (role === 'system' && index < messages.length - 1 && messages[index + 1]?.role !== 'assistant')
      found.push(`${where}: a system message must be last or before an assistant message`)
    if (!blocksOf(content).length) found.push(`${where}.content: empty`)
    for (const [at, block] of blocksOf(content).entries())
      found.push(...blockViolations(block, String(role), `${where}.content[${at}]`))
  }
  const turns = combined(messages)
  for (const index of turns.keys()) found.push(...pairingViolations(turns, index, `turn ${index}`))
  const marks = [...blocksOf(system), ...(tools ?? []), ...messages.flatMap(({ content }) => blocksOf(content))].filter(
    (block) => block['cache_control'],
  )
  if (marks.length > 4) found.push(`cache_control: a maximum of 4 blocks, found ${marks.length}`)
  return [...found, ...thinkingViolations(turns, thinking?.type)]
}

/** The API itself combines messages of one role that follow each other. */
function combined(messages: readonly WireMessage[]): readonly WireMessage[] {
  const turns: WireMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last && last.role === message.role)
      turns.splice(-1, 1, { ...last, content: [...blocksOf(last.content), ...blocksOf(message.content)] })
    else turns.push(message)
  }
  return turns
}

/** Each `tool_use` is answered in the next turn, first thing there, and nothing else is. */
function pairingViolations(messages: readonly WireMessage[], index: number, where: string): string[] {
  const ids = (message: WireMessage | undefined, type: string, field: string): unknown[] =>
    blocksOf(message?.content)
      .filter((block) => block.type === type)
      .map((block) => block[field])
  const found: string[] = []
  const calls = ids(messages[index - 1], 'tool_use', 'id')
  const results = ids(messages[index], 'tool_result', 'tool_use_id')
  const missing = calls.filter((id) => !results.includes(id))
  if (missing.length)
    found.push(`${where}: tool_use ids without tool_result blocks immediately after: ${missing.join(', ')}`)
  for (const id of results)
    if (!calls.includes(id)) found.push(`${where}: unexpected tool_use_id in tool_result: ${String(id)}`)
  if (new Set(results).size !== results.length) found.push(`${where}: each tool_use must have a single result`)
  const first = blocksOf(messages[index]?.content).slice(0, results.length)
  if (first.some(({ type }) => type !== 'tool_result')) found.push(`${where}: tool_result blocks must come first`)
  if (index === messages.length - 1 && ids(messages[index], 'tool_use', 'id').length)
    found.push(`${where}: the last message has calls without results`)
  return found
}

/** With a budget of thinking, a tool turn that continues must start with thinking. */
function thinkingViolations(messages: readonly WireMessage[], type: unknown): string[] {
  const last = blocksOf(messages.at(-1)?.content)
  const calling = messages.findLast(({ role }) => role === 'assistant')
  if (type !== 'enabled' || !last.some((block) => block.type === 'tool_result')) return []
  const first = blocksOf(calling?.content)[0]?.type
  return first === 'thinking' || first === 'redacted_thinking'
    ? []
    : [`messages: expected thinking or redacted_thinking, but found ${String(first)}`]
}
