import { type ChatMessage, LlmError, type ToolCall, textOf } from '@modelport/core'
import {
  argumentsOf,
  type Fetch,
  type NeutralRecord,
  type Turn,
  toErrorCode,
  withoutEmptyReplies,
} from '@modelport/driver'
import type { ScriptTurn } from '../script.js'
import {
  everything,
  type WireConversation,
  type WireConversationMessage,
  type WireFormat,
  type WireRequest,
  type WireResponse,
} from '../wire-format.js'

/**
 * The format for providers that make their replies in the process and have no wire. Their model is
 * a stand-in, which gets its replies from the suite by {@link askNeutral}. Rules about connections,
 * statuses, headers and bytes do not apply to them: {@link inProcessSkips}.
 */
export const neutral: WireFormat = {
  api: 'neutral',
  supports: everything,
  matches: ({ method, path }) => method === 'POST' && path === '/neutral',
  respond: (turn) =>
    toResponse([...toRecords(turn), { type: 'end', finish: turn.finish, usage: turn.usage }]),
  respondThenFail: (turn, _, message) =>
    toResponse([...toRecords(turn), { type: 'error', code: 'server', message }]),
  failure: (status, message, headers = {}) => ({ status, headers, pieces: [message] }),
  read: ({ body }) => body as WireConversation,
  violations: neutralViolations,
}

const toResponse = (records: readonly NeutralRecord[]): WireResponse => ({
  status: 200,
  headers: {},
  pieces: records.map((record) => `${JSON.stringify(record)}\n`),
})

function toRecords({ reasoning = [], text = [], toolCalls = [] }: ScriptTurn): NeutralRecord[] {
  return [
    ...reasoning.map((piece) => ({ type: 'reasoning' as const, text: piece })),
    ...text.map((piece) => ({ type: 'text' as const, text: piece })),
    ...toolCalls.map((call, index) => ({
      type: 'call' as const,
      index,
      name: call.name,
      arguments: call.argumentsText ?? JSON.stringify(call.arguments),
      ...(call.id !== undefined && { id: call.id }),
    })),
  ]
}

/** Asks the suite for the reply of the model. Gives each record as soon as it arrives. */
export function askNeutral(
  fetch: Fetch,
  turn: Turn,
  signal: AbortSignal,
): AsyncGenerator<NeutralRecord, void> {
  const body = JSON.stringify(toConversation(turn))
  const responding = fetch('http://in-process.invalid/neutral', { method: 'POST', body, signal })
  // If the reply is never read, its failure is not an unhandled rejection.
  responding.catch(() => undefined)
  return readRecords(responding, signal)
}

/** A connection that breaks is not an error: it stands for a model that stops within its reply. */
async function* readRecords(
  responding: Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<NeutralRecord, void> {
  const response = await responding.catch((cause: unknown) => {
    throw signal.aborted ? cause : new LlmError('network', 'the model does not answer', { cause })
  })
  if (!response.ok) throw new LlmError(toErrorCode(response.status), await response.text())

  const decoder = new TextDecoder()
  try {
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      for (const line of decoder.decode(bytes).split('\n').filter(Boolean))
        yield JSON.parse(line) as NeutralRecord
    }
  } catch (error) {
    if (signal.aborted) throw error
  }
}

function toConversation({ model, stream, messages, tools, options }: Turn): WireConversation {
  const { maxTokens, temperature } = options
  return {
    model,
    stream,
    system: messages
      .map((message) => (message.role === 'system' ? textOf(message.content) : ''))
      .filter(Boolean)
      .join('\n'),
    tools: tools.map(({ name, parameters }) => ({ name, parameters })),
    messages: withoutEmptyReplies(messages).flatMap(toConversationMessage),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  }
}

function toConversationMessage(message: ChatMessage): WireConversationMessage[] {
  if (message.role === 'system') return []
  const text = textOf(message.content)
  if (message.role === 'user') return [{ role: 'user', text }]
  if (message.role === 'assistant')
    return [{ role: 'assistant', text, toolCalls: (message.toolCalls ?? []).map(toSentCall) }]
  const { toolCallId: callId, toolName: name, isError } = message
  return [
    {
      role: 'tool',
      callId,
      text,
      ...(name !== undefined && { name }),
      ...(isError !== undefined && { isError }),
    },
  ]
}

const toSentCall = (call: ToolCall): ToolCall => ({ ...call, arguments: argumentsOf(call) })

/**
 * The rules of {@link Turn} that a request breaks: it has messages, and the results of a turn
 * follow it in call order, with the names of their tools.
 */
function neutralViolations({ body }: WireRequest): readonly string[] {
  const { model, messages, system, tools } = body as WireConversation
  const violations: string[] = []
  if (!model) violations.push('model: missing')
  if (!messages.length && !system) violations.push('messages: missing')
  if (new Set(tools.map(({ name }) => name)).size !== tools.length)
    violations.push('tools: a name is given twice')

  let open: readonly { readonly id: string; readonly name: string }[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const [call, ...rest] = open
      if (call?.id !== message.callId || call.name !== message.name)
        violations.push(`messages[${index}]: does not answer the next open call`)
      open = rest
    } else {
      if (open.length)
        violations.push(
          `messages[${index}]: comes before the results of ${open.map(({ id }) => id).join(', ')}`,
        )
      open = message.role === 'assistant' ? message.toolCalls : []
    }
  }
  if (open.length) violations.push('messages: calls without results')
  return violations
}
