import type { ScriptTurn } from '../script.js'
import type { WireFormat, WireRequest, WireResponse } from '../wire-format.js'
import { ollamaChatRead, ollamaChatViolations } from './ollama-chat-request.js'

const json = { 'content-type': 'application/json; charset=utf-8' }

/**
 * Ollama's own `/api/chat`: one JSON object a line, each call whole with its arguments as an
 * object, the counts on the last line.
 * @see https://docs.ollama.com/openapi.yaml (read 2026-11-21)
 */
export const ollamaChat: WireFormat = {
  api: 'ollama-chat',
  supports: {
    reasoning: true,
    toolCallIds: true,
    argumentsText: false,
    inBandError: true,
    cacheTokens: true,
    contentFilter: false,
    toolResultErrors: false,
  },
  matches: ({ method, path }) =>
    method === 'POST' && /\/api\/chat(\?|$)/.test(path) && !/\/(v1|api)\/api\/|\/\/api/.test(path),
  respond: (turn, request) =>
    isStream(request) ? stream(lines(turn, request)) : whole(turn, request),
  respondThenFail: (turn, request, message) => {
    const failure = JSON.stringify({ error: message })
    if (!isStream(request)) return { status: 200, headers: json, pieces: [failure] }
    return stream([...lines(turn, request).slice(0, -1), `${failure}\n`])
  },
  failure: (status, message, headers = {}) => ({
    status,
    headers: { ...json, ...headers },
    pieces: [JSON.stringify({ error: message })],
  }),
  read: ollamaChatRead,
  violations: ollamaChatViolations,
}

/** A request streams unless it says no. */
const isStream = ({ body }: WireRequest): boolean => (body as { stream?: unknown }).stream !== false

const stream = (pieces: readonly string[]): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'application/x-ndjson' },
  pieces,
})

function lines(turn: ScriptTurn, request: WireRequest): string[] {
  const line = (message: object, more: object = { done: false }): string =>
    `${JSON.stringify({ ...head(request), message: { role: 'assistant', content: '', ...message }, ...more })}\n`
  return [
    ...(turn.reasoning ?? []).map((thinking) => line({ thinking })),
    ...(turn.text ?? []).map((content) => line({ content })),
    ...toolCalls(turn).map((call) => line({ tool_calls: [call] })),
    line({}, tail(turn)),
  ]
}

function whole(turn: ScriptTurn, request: WireRequest): WireResponse {
  const calls = toolCalls(turn)
  const message = {
    role: 'assistant',
    content: (turn.text ?? []).join(''),
    ...(turn.reasoning && { thinking: turn.reasoning.join('') }),
    ...(calls.length && { tool_calls: calls }),
  }
  return {
    status: 200,
    headers: json,
    pieces: [JSON.stringify({ ...head(request), message, ...tail(turn) })],
  }
}

const head = ({ body }: WireRequest): object => ({
  model: (body as { model?: unknown }).model,
  created_at: '2026-11-21T00:00:00.000000Z',
})

const toolCalls = (turn: ScriptTurn): object[] =>
  (turn.toolCalls ?? []).map((call, index) => ({
    ...(call.id !== undefined && { id: call.id }),
    function: { index, name: call.name, arguments: call.arguments },
  }))

/**
 * Calls end a turn with `stop`, as the server does it. Counts of 0 are left out, as Go's
 * `omitempty` does.
 */
function tail({ finish, usage }: ScriptTurn): object {
  const counts = {
    prompt_eval_count: usage.inputTokens,
    prompt_eval_cached_count: usage.cacheReadTokens,
    eval_count: usage.outputTokens,
  }
  return {
    done: true,
    done_reason: finish === 'tool-calls' ? 'stop' : finish,
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count)),
    prompt_eval_duration: 2_000_000,
    eval_duration: 2_000_000,
  }
}
