import { zeroCounts } from '@modelport/core'
import type { ScriptCall, ScriptTurn } from '../script.js'
import { everything, type WireFormat, type WireRequest, type WireResponse } from '../wire-format.js'
import { openaiChatRead, openaiChatViolations } from './openai-chat-request.js'
import { errorType } from './openai-error-type.js'
import { replyId } from './reply-id.js'

const json = { 'content-type': 'application/json' }
const finishReasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
}

/**
 * Chat Completions, with the `reasoning_content` field of the servers that show their reasoning.
 * @see https://developers.openai.com/api/reference/resources/chat/subresources/completions (read
 * 2026-11-21, types of openai 7.55.0)
 */
export const openaiChat: WireFormat = {
  api: 'openai-chat',
  supports: { ...everything, toolResultErrors: false },
  matches: ({ method, path }) => method === 'POST' && /\/chat\/completions(\?|$)/.test(path),
  respond: (turn, request) =>
    isStream(request) ? stream([...pieces(turn, request)]) : whole(turn, request),
  respondThenFail: (turn, request, message) => {
    const failure = { error: { message, type: 'server_error', param: null, code: null } }
    if (!isStream(request)) return { status: 200, headers: json, pieces: [JSON.stringify(failure)] }
    const isEnd = (piece: string): boolean => /"finish_reason":"|\[DONE\]/.test(piece)
    const before = [...pieces({ ...turn, usage: {} }, request)].filter((piece) => !isEnd(piece))
    return stream([...before, event(failure)])
  },
  failure: (status, message, headers = {}) => ({
    status,
    headers: { ...json, ...headers },
    pieces: [JSON.stringify({ error: { message, ...errorType(status), param: null } })],
  }),
  read: openaiChatRead,
  violations: openaiChatViolations,
}

const isStream = ({ body }: WireRequest): boolean => (body as { stream?: unknown }).stream === true
const wantsUsage = ({ body }: WireRequest): boolean =>
  (body as { stream_options?: { include_usage?: unknown } }).stream_options?.include_usage === true
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const stream = (all: readonly string[]): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  pieces: all,
})

function* pieces(turn: ScriptTurn, request: WireRequest): Generator<string> {
  const { model = 'model', messages } = request.body as { model?: string; messages?: unknown }
  const base = {
    id: replyId('chatcmpl', messages),
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model,
    system_fingerprint: 'fp_0',
  }
  const usage = wantsUsage(request) ? { usage: null } : {}
  const chunk = (delta: object, finishReason: string | null = null): string =>
    event({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...usage,
    })
  yield chunk({
    role: 'assistant',
    content: turn.toolCalls?.length && !turn.text ? null : '',
    refusal: null,
  })
  for (const text of turn.reasoning ?? []) yield chunk({ reasoning_content: text })
  for (const content of turn.text ?? []) yield chunk({ content })
  for (const [index, call] of (turn.toolCalls ?? []).entries()) {
    const idField = call.id === undefined ? {} : { id: call.id }
    yield chunk({
      tool_calls: [
        { index, ...idField, type: 'function', function: { name: call.name, arguments: '' } },
      ],
    })
    const text = argumentsOf(call)
    const half = Math.ceil(text.length / 2)
    for (const part of [text.slice(0, half), text.slice(half)]) {
      if (part) yield chunk({ tool_calls: [{ index, function: { arguments: part } }] })
    }
  }
  yield chunk({}, finishReasons[turn.finish] ?? turn.finish)
  if (wantsUsage(request) && Object.keys(turn.usage).length)
    yield event({ ...base, choices: [], usage: usageOf(turn) })
  yield 'data: [DONE]\n\n'
}

function whole(turn: ScriptTurn, request: WireRequest): WireResponse {
  const { model = 'model', messages } = request.body as { model?: string; messages?: unknown }
  const calls = (turn.toolCalls ?? []).map((call) => ({
    ...(call.id !== undefined && { id: call.id }),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
  const message = {
    role: 'assistant',
    content: calls.length && !turn.text ? null : (turn.text ?? []).join(''),
    ...(turn.reasoning && { reasoning_content: turn.reasoning.join('') }),
    refusal: null,
    annotations: [],
    ...(calls.length && { tool_calls: calls }),
  }
  const body = {
    id: replyId('chatcmpl', messages),
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        message,
        logprobs: null,
        finish_reason: finishReasons[turn.finish] ?? turn.finish,
      },
    ],
    ...(Object.keys(turn.usage).length && { usage: usageOf(turn) }),
  }
  return { status: 200, headers: json, pieces: [JSON.stringify(body)] }
}

const argumentsOf = (call: ScriptCall): string =>
  call.argumentsText ?? JSON.stringify(call.arguments)

function usageOf({ usage }: ScriptTurn): object {
  const counts = { ...zeroCounts, ...usage }
  return {
    prompt_tokens: counts.inputTokens,
    completion_tokens: counts.outputTokens,
    total_tokens: counts.inputTokens + counts.outputTokens,
    prompt_tokens_details: {
      cached_tokens: counts.cacheReadTokens,
      cache_write_tokens: counts.cacheCreationTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
