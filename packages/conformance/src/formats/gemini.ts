import type { ScriptCall, ScriptTurn } from '../script.js'
import type { WireFormat, WireRequest, WireResponse } from '../wire-format.js'
import { geminiRead, geminiViolations } from './gemini-request.js'
import { callSignature, textSignature } from './gemini-signatures.js'
import { replyId } from './reply-id.js'

const json = { 'content-type': 'application/json; charset=UTF-8' }
const finishReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  error: 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
}
const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/**
 * The Gemini API and Vertex AI: `generateContent` and `streamGenerateContent`, as models since
 * Gemini 3 answer, which sign their function calls and the end of their texts.
 * @see https://ai.google.dev/api/generate-content (read 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11-21)
 */
export const gemini: WireFormat = {
  api: 'gemini',
  supports: {
    lastMark: false,
    reasoning: true,
    // A call may come with an id, and has to be answered with it then; another vendor's ids have no
    // place on this wire.
    toolCallIds: false,
    argumentsText: false,
    inBandError: true,
    cacheTokens: true,
    reasoningTokens: true,
    toolResultErrors: true,
  },
  matches: ({ method, path }) =>
    method === 'POST' && /:(generateContent|streamGenerateContent)(\?|$)/.test(path),
  respond: (turn, request) =>
    isStream(request) ? stream([...chunks(turn, request)]) : whole(wholeBody(turn, request)),
  respondThenFail: (turn, request, message) => {
    const failure = { error: { code: 500, message, status: 'INTERNAL' } }
    if (!isStream(request)) return whole(failure)
    return stream([
      ...[...chunks(turn, request)].filter((piece) => !piece.includes('"finishReason"')),
      event(failure),
    ])
  },
  failure: (status, message, headers = {}) => ({
    status,
    headers: { ...json, ...headers },
    pieces: [
      JSON.stringify(
        { error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' } },
        null,
        2,
      ),
    ],
  }),
  read: geminiRead,
  violations: geminiViolations,
}

const isStream = ({ path }: WireRequest): boolean => path.includes(':streamGenerateContent')
/** JSON as Google's servers write it: what a script takes for the end of a line is escaped. */
const toJson = (data: unknown, indent?: number): string =>
  JSON.stringify(data, null, indent).replace(
    /[\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
const event = (data: unknown): string => `data: ${toJson(data)}\r\n\r\n`
const whole = (body: unknown): WireResponse => ({
  status: 200,
  headers: json,
  pieces: [toJson(body, 2)],
})
const stream = (pieces: readonly string[]): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  pieces,
})

const envelope = ({ path, body }: WireRequest): object => ({
  modelVersion: /models\/([^:/]+):/.exec(path)?.[1] ?? 'model',
  responseId: replyId('response', (body as { contents?: unknown }).contents),
})

/**
 * Thoughts, text and calls in chunks of their own; the last chunk has the end of the text, the
 * reason and all counts.
 */
function* chunks(turn: ScriptTurn, request: WireRequest): Generator<string> {
  const { inputTokens, cacheReadTokens } = turn.usage
  const early =
    inputTokens === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: inputTokens,
            ...cached(cacheReadTokens),
            totalTokenCount: inputTokens,
          },
        }
  const chunk = (parts: readonly object[], candidate: object = {}, usage: object = early): string =>
    event({
      candidates: [{ content: { parts, role: 'model' }, ...candidate, index: 0 }],
      ...usage,
      ...envelope(request),
    })
  for (const text of turn.reasoning ?? []) yield chunk([{ text, thought: true }])
  for (const text of turn.text ?? []) yield chunk([{ text }])
  for (const part of callParts(turn.toolCalls ?? [])) yield chunk([part])
  const end = {
    text: '',
    ...(turn.toolCalls?.length
      ? {}
      : { thoughtSignature: textSignature((turn.text ?? []).join('')) }),
  }
  yield chunk([end], { finishReason: finishReasons[turn.finish] ?? turn.finish }, usageOf(turn))
}

function wholeBody(turn: ScriptTurn, request: WireRequest): object {
  const text = (turn.text ?? []).join('')
  const signed = turn.toolCalls?.length ? {} : { thoughtSignature: textSignature(text) }
  const parts = [
    ...(turn.reasoning ? [{ text: turn.reasoning.join(''), thought: true }] : []),
    ...(text ? [{ text, ...signed }] : []),
    ...callParts(turn.toolCalls ?? []),
  ]
  const candidate = {
    content: { parts, role: 'model' },
    finishReason: finishReasons[turn.finish] ?? turn.finish,
    index: 0,
  }
  return { candidates: [candidate], ...usageOf(turn), ...envelope(request) }
}

/** The first call of a step carries the signature. */
const callParts = (calls: readonly ScriptCall[]): object[] =>
  calls.map(({ id, name, arguments: args }, index) => ({
    functionCall: { ...(id !== undefined && { id }), name, args },
    ...(index === 0 && { thoughtSignature: callSignature(name, args) }),
  }))

const cached = (tokens: number | undefined): object =>
  tokens ? { cachedContentTokenCount: tokens } : {}

/** Thoughts are counted next to the candidates. */
function usageOf({ usage }: ScriptTurn): object {
  if (!Object.keys(usage).length) return {}
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens } = usage
  const usageMetadata = {
    promptTokenCount: inputTokens,
    ...cached(cacheReadTokens),
    candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
    ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: inputTokens + outputTokens,
  }
  return { usageMetadata }
}
