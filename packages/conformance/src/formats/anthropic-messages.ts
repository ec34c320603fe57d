import type { TokenCounts } from '@modelport/core'
import type { ScriptCall, ScriptTurn } from '../script.js'
import type { WireFormat, WireRequest, WireResponse } from '../wire-format.js'
import { signatureOf } from './anthropic-messages-blocks.js'
import { anthropicRead, anthropicViolations } from './anthropic-messages-request.js'
import { replyId } from './reply-id.js'

const json = { 'content-type': 'application/json' }
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
}

/**
 * The Messages API.
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11-21)
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-21)
 */
export const anthropicMessages: WireFormat = {
  api: 'anthropic-messages',
  supports: {
    reasoning: true,
    toolCallIds: true,
    argumentsText: true,
    wholeArgumentsText: false,
    inBandError: true,
    cacheTokens: true,
    cacheCreationTokens: true,
    reasoningTokens: true,
    toolResultErrors: true,
  },
  matches: ({ method, path }) => method === 'POST' && /\/v1\/messages(\?|$)/.test(path),
  respond: (turn, request) =>
    isStream(request) ? stream([...pieces(turn, request)]) : whole(turn, request),
  respondThenFail: (turn, request, message) => {
    const failure = { type: 'error', error: { type: 'api_error', message } }
    if (!isStream(request)) return { status: 200, headers: json, pieces: [JSON.stringify(failure)] }
    const before = [...pieces(turn, request)].filter(
      (piece) => !/^event: message_(delta|stop)/.test(piece),
    )
    return stream([...before, event(failure)])
  },
  failure: (status, message, headers = {}) => {
    const id = headers['request-id'] ?? 'req_conformance'
    const body = { type: 'error', error: { type: errorType(status), message }, request_id: id }
    return {
      status,
      headers: { ...json, 'request-id': id, ...headers },
      pieces: [JSON.stringify(body)],
    }
  },
  read: anthropicRead,
  violations: anthropicViolations,
}

const isStream = ({ body }: WireRequest): boolean => (body as { stream?: unknown }).stream === true
const modelOf = ({ body }: WireRequest): string => (body as { model?: string }).model ?? 'model'
const event = (data: { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const stream = (all: readonly string[]): WireResponse => ({
  status: 200,
  headers: {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': 'req_conformance',
  },
  pieces: all,
})

function* pieces(turn: ScriptTurn, request: WireRequest): Generator<string> {
  const { input, output } = usageOf(turn.usage)
  const message = {
    id: replyId('msg', (request.body as { messages?: unknown }).messages),
    type: 'message',
    role: 'assistant',
    model: modelOf(request),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, ...(output.output_tokens !== undefined && { output_tokens: 1 }) },
  }
  yield event({ type: 'message_start', message } as { type: string })
  let index = 0
  const open = (block: object): string =>
    event({ type: 'content_block_start', index, content_block: block } as { type: string })
  const add = (delta: object): string =>
    event({ type: 'content_block_delta', index, delta } as { type: string })
  const close = (): string =>
    event({ type: 'content_block_stop', index: index++ } as { type: string })
  if (turn.reasoning) {
    yield open({ type: 'thinking', thinking: '', signature: '' })
    for (const thinking of turn.reasoning) yield add({ type: 'thinking_delta', thinking })
    yield add({ type: 'signature_delta', signature: signatureOf(turn.reasoning.join('')) })
    yield close()
  }
  if (turn.text?.length) {
    yield open({ type: 'text', text: '' })
    for (const text of turn.text) yield add({ type: 'text_delta', text })
    yield close()
  }
  for (const call of turn.toolCalls ?? []) {
    yield open({ type: 'tool_use', ...idOf(call), name: call.name, input: {} })
    yield add({ type: 'input_json_delta', partial_json: '' })
    const text = argumentsOf(call)
    const half = Math.ceil(text.length / 2)
    for (const part of [text.slice(0, half), text.slice(half)])
      if (part) yield add({ type: 'input_json_delta', partial_json: part })
    yield close()
  }
  yield event({ type: 'ping' })
  const delta = { stop_reason: stopReasons[turn.finish] ?? turn.finish, stop_sequence: null }
  yield event({ type: 'message_delta', delta, usage: { ...input, ...output } } as { type: string })
  yield event({ type: 'message_stop' })
}

function whole(turn: ScriptTurn, request: WireRequest): WireResponse {
  const { input, output } = usageOf(turn.usage)
  const thinking = turn.reasoning?.join('')
  const text = turn.text?.join('')
  const body = {
    id: replyId('msg', (request.body as { messages?: unknown }).messages),
    type: 'message',
    role: 'assistant',
    model: modelOf(request),
    content: [
      ...(thinking === undefined
        ? []
        : [{ type: 'thinking', thinking, signature: signatureOf(thinking) }]),
      ...(text ? [{ type: 'text', text }] : []),
      ...(turn.toolCalls ?? []).map((call) => ({
        type: 'tool_use',
        ...idOf(call),
        name: call.name,
        input: call.arguments,
      })),
    ],
    stop_reason: stopReasons[turn.finish] ?? turn.finish,
    stop_sequence: null,
    usage: { ...input, ...output },
  }
  return {
    status: 200,
    headers: { ...json, 'request-id': 'req_conformance' },
    pieces: [JSON.stringify(body)],
  }
}

const idOf = ({ id }: ScriptCall): { id?: string } => (id === undefined ? {} : { id })
const argumentsOf = (call: ScriptCall): string =>
  call.argumentsText ?? JSON.stringify(call.arguments)

/** The API counts what is read from and written to the cache apart from `input_tokens`. */
function usageOf(usage: Partial<TokenCounts>): {
  input: object
  output: { output_tokens?: number }
} {
  if (!Object.keys(usage).length) return { input: {}, output: {} }
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheCreationTokens = 0,
    reasoningTokens,
  } = usage
  return {
    input: {
      input_tokens: inputTokens - cacheReadTokens - cacheCreationTokens,
      cache_creation_input_tokens: cacheCreationTokens,
      cache_read_input_tokens: cacheReadTokens,
    },
    output: {
      output_tokens: outputTokens,
      ...(reasoningTokens !== undefined && {
        output_tokens_details: { thinking_tokens: reasoningTokens },
      }),
    },
  }
}

/** @see https://platform.claude.com/docs/en/api/errors (read 2026-11-21) */
function errorType(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    409: 'conflict_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  }
  return known[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}
