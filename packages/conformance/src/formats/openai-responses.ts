import { zeroCounts } from '@modelport/core'
import type { ScriptCall, ScriptTurn } from '../script.js'
import { everything, type WireFormat, type WireRequest, type WireResponse } from '../wire-format.js'
import { errorType } from './openai-error-type.js'
import { openaiResponsesRead, openaiResponsesViolations } from './openai-responses-request.js'
import { replyId } from './reply-id.js'

/**
 * The Responses API. Reasoning comes as a summary, with its encrypted content when the request asks
 * for that.
 * @see https://developers.openai.com/api/reference/resources/responses (read 2026-11-21, types of
 * openai 7.55.0)
 */
export const openaiResponses: WireFormat = {
  api: 'openai-responses',
  supports: { ...everything, toolResultErrors: false },
  matches: ({ method, path }) => method === 'POST' && /\/responses(\?|$)/.test(path),
  respond: (turn, request) =>
    isStream(request) ? stream([...pieces(turn, request)]) : json(response(turn, request)),
  respondThenFail: (turn, request, message) => {
    const error = { code: 'server_error', message }
    if (!isStream(request))
      return json({
        ...response({ ...turn, usage: {} }, request),
        status: 'failed',
        error,
        output: [],
      })
    const before = [...pieces({ ...turn, usage: {} }, request)].slice(0, -1)
    return stream([
      ...before,
      event({ type: 'error', sequence_number: before.length, ...error, param: null }),
    ])
  },
  failure: (status, message, headers = {}) => ({
    ...json({ error: { message, ...errorType(status), param: null } }),
    status,
    headers: { ...jsonHeaders, ...headers },
  }),
  read: openaiResponsesRead,
  violations: openaiResponsesViolations,
}

const jsonHeaders = { 'content-type': 'application/json' }
const json = (body: unknown): WireResponse => ({
  status: 200,
  headers: jsonHeaders,
  pieces: [JSON.stringify(body)],
})
const stream = (all: readonly string[]): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  pieces: all,
})
const event = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const isStream = ({ body }: WireRequest): boolean => (body as { stream?: unknown }).stream === true

interface Body {
  readonly model?: string
  readonly include?: readonly string[]
  readonly store?: boolean
  readonly input?: unknown
  readonly previous_response_id?: string
}

interface Item {
  readonly type: string
  readonly id: string
  readonly [field: string]: unknown
}

/** The finished items of a turn: reasoning, message, calls. */
function itemsOf(
  { reasoning, text, toolCalls = [], finish }: ScriptTurn,
  request: WireRequest,
): Item[] {
  const encrypted = (request.body as Body).include?.includes('reasoning.encrypted_content')
  const status = finish === 'stop' || finish === 'tool-calls' ? 'completed' : 'incomplete'
  const items: Item[] = []
  if (reasoning) {
    items.push({
      type: 'reasoning',
      id: 'rs_0',
      summary: [summaryPart(reasoning)],
      ...(encrypted && { encrypted_content: 'gAAAA_conformance' }),
    })
  }
  if (text?.length || !toolCalls.length) {
    items.push({
      type: 'message',
      id: 'msg_0',
      status,
      role: 'assistant',
      content: text?.length ? [textPart(text)] : [],
    })
  }
  return [...items, ...toolCalls.map((call, index) => callItem(call, index, status))]
}

const summaryPart = (pieces: readonly string[]): object => ({
  type: 'summary_text',
  text: pieces.join(''),
})
const textPart = (pieces: readonly string[]): object => ({
  type: 'output_text',
  text: pieces.join(''),
  annotations: [],
  logprobs: [],
})
const callItem = (call: ScriptCall, index: number, status: string): Item => ({
  type: 'function_call',
  id: `fc_${index}`,
  status,
  ...(call.id !== undefined && { call_id: call.id }),
  name: call.name,
  arguments: call.argumentsText ?? JSON.stringify(call.arguments),
})

/**
 * A response: in progress, or finished with its items. Only a few of the request fields that the
 * API repeats.
 */
function response(
  turn: ScriptTurn | undefined,
  request: WireRequest,
): { readonly status: string; readonly [field: string]: unknown } {
  const { model = 'model', store = true, input, previous_response_id } = request.body as Body
  const finished = turn && (turn.finish === 'stop' || turn.finish === 'tool-calls')
  const reasons: Readonly<Record<string, string>> = {
    length: 'max_output_tokens',
    'content-filter': 'content_filter',
  }
  return {
    id: replyId(previous_response_id ?? 'resp', input),
    object: 'response',
    created_at: 1_790_000_000,
    model,
    store,
    error: null,
    instructions: null,
    metadata: {},
    tools: [],
    status: !turn ? 'in_progress' : finished ? 'completed' : 'incomplete',
    incomplete_details: turn && !finished ? { reason: reasons[turn.finish] ?? turn.finish } : null,
    output: turn ? itemsOf(turn, request) : [],
    usage: turn && Object.keys(turn.usage).length ? usageOf(turn) : null,
  }
}

function* pieces(turn: ScriptTurn, request: WireRequest): Generator<string> {
  let sequence_number = 0
  const say = (type: string, fields: object): string =>
    event({ type: `response.${type}`, sequence_number: sequence_number++, ...fields })
  yield say('created', { response: response(undefined, request) })
  yield say('in_progress', { response: response(undefined, request) })
  for (const [output_index, item] of itemsOf(turn, request).entries()) {
    const at = { output_index, item_id: item.id }
    const empty = {
      status: 'in_progress',
      ...(item.type === 'function_call' ? { arguments: '' } : { content: [] }),
    }
    yield say('output_item.added', {
      output_index,
      item: item.type === 'reasoning' ? { ...item, summary: [] } : { ...item, ...empty },
    })
    if (item.type === 'reasoning') yield* reasoningPieces(turn.reasoning ?? [], at, say)
    else if (item.type === 'message') yield* textPieces(turn.text ?? [], at, say)
    else yield* callPieces(String(item['arguments']), at, say)
    yield say('output_item.done', { output_index, item })
  }
  const last = response(turn, request)
  yield say(last.status, { response: last })
}

type Say = (type: string, fields: object) => string

function* reasoningPieces(all: readonly string[], item: object, say: Say): Generator<string> {
  const at = { ...item, summary_index: 0 }
  yield say('reasoning_summary_part.added', { ...at, part: summaryPart([]) })
  for (const delta of all) yield say('reasoning_summary_text.delta', { ...at, delta })
  yield say('reasoning_summary_text.done', { ...at, text: all.join('') })
  yield say('reasoning_summary_part.done', { ...at, part: summaryPart(all) })
}

function* textPieces(all: readonly string[], item: object, say: Say): Generator<string> {
  if (!all.length) return
  const at = { ...item, content_index: 0 }
  yield say('content_part.added', { ...at, part: textPart([]) })
  for (const delta of all) yield say('output_text.delta', { ...at, delta, logprobs: [] })
  yield say('output_text.done', { ...at, text: all.join(''), logprobs: [] })
  yield say('content_part.done', { ...at, part: textPart(all) })
}

function* callPieces(text: string, at: object, say: Say): Generator<string> {
  const half = Math.ceil(text.length / 2)
  for (const delta of [text.slice(0, half), text.slice(half)])
    if (delta) yield say('function_call_arguments.delta', { ...at, delta })
  yield say('function_call_arguments.done', { ...at, arguments: text })
}

function usageOf({ usage }: ScriptTurn): object {
  const counts = { ...zeroCounts, ...usage }
  return {
    input_tokens: counts.inputTokens,
    input_tokens_details: {
      cached_tokens: counts.cacheReadTokens,
      cache_write_tokens: counts.cacheCreationTokens,
    },
    output_tokens: counts.outputTokens,
    output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
    total_tokens: counts.inputTokens + counts.outputTokens,
  }
}
