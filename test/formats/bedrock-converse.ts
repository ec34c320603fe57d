import type { ScriptTurn, WireFormat, WireResponse } from '@modelport/conformance'
import type { TokenCounts } from '@modelport/core'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import {
  converseRead,
  converseViolations,
  isStream,
  signatureOf,
} from './bedrock-converse-request.ts'

/**
 * Converse and ConverseStream as they look on the wire, with the rules that the service checks.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read
 * 2026-11-27)
 * @see https://smithy.io/2.0/aws/amazon-eventstream.html (read 2026-11-27)
 */
export const bedrockConverse: WireFormat = {
  api: 'bedrock-converse',
  supports: {
    reasoning: true,
    toolCallIds: true,
    argumentsText: true,
    wholeArgumentsText: false,
    inBandError: true,
    cacheTokens: true,
    cacheCreationTokens: true,
    toolResultErrors: true,
    binary: true,
  },
  matches: ({ method, path }) =>
    method === 'POST' && /[/]model[/][^/]+[/]converse(-stream)?$/.test(path),
  respond: (turn, request) => (isStream(request) ? stream([...frames(turn)]) : whole(turn)),
  respondThenFail: (turn, request, message) => {
    if (!isStream(request))
      return { status: 200, headers: json, pieces: [JSON.stringify({ message })] }
    const before = [...frames(turn)].slice(0, -2)
    return stream([...before, converseFrame('modelStreamErrorException', { message }, 'exception')])
  },
  failure: (status, message, headers = {}) => ({
    status,
    headers: {
      ...json,
      'x-amzn-requestid': headers['request-id'] ?? 'conformance',
      ...(errorTypes[status] && { 'x-amzn-errortype': errorTypes[status] }),
      ...headers,
    },
    pieces: [JSON.stringify({ message })],
  }),
  read: converseRead,
  violations: converseViolations,
}

const json = { 'content-type': 'application/json' }
const errorTypes: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  413: 'ValidationException',
  429: 'ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
}
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'guardrail_intervened',
}
const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)

/** A frame, each byte a character. */
export function converseFrame(
  type: string,
  payload: unknown,
  kind: 'event' | 'exception' = 'event',
): string {
  const header = (value: string): { type: 'string'; value: string } => ({ type: 'string', value })
  const bytes = codec.encode({
    headers: {
      [`:${kind}-type`]: header(type),
      ':content-type': header('application/json'),
      ':message-type': header(kind),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  })
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

const stream = (pieces: readonly string[]): WireResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/vnd.amazon.eventstream',
    'x-amzn-requestid': 'conformance',
  },
  pieces,
  binary: true,
})

function* frames(turn: ScriptTurn): Generator<string> {
  // The service pads its payloads with a field "p".
  yield converseFrame('messageStart', { p: 'abcdef', role: 'assistant' })
  let contentBlockIndex = 0
  const add = (delta: object): string =>
    converseFrame('contentBlockDelta', { contentBlockIndex, delta, p: 'abc' })
  const close = (): string =>
    converseFrame('contentBlockStop', { contentBlockIndex: contentBlockIndex++ })
  if (turn.reasoning) {
    for (const text of turn.reasoning) yield add({ reasoningContent: { text } })
    yield add({ reasoningContent: { signature: signatureOf(turn.reasoning.join('')) } })
    yield close()
  }
  if (turn.text?.length) {
    for (const text of turn.text) yield add({ text })
    yield close()
  }
  for (const { id: toolUseId, name, ...call } of turn.toolCalls ?? []) {
    yield converseFrame('contentBlockStart', {
      contentBlockIndex,
      start: { toolUse: { toolUseId, name, type: 'tool_use' } },
    })
    const text = call.argumentsText ?? JSON.stringify(call.arguments)
    const half = Math.ceil(text.length / 2)
    for (const input of [text.slice(0, half), text.slice(half)])
      if (input) yield add({ toolUse: { input } })
    yield close()
  }
  yield converseFrame('messageStop', { stopReason: stopReasons[turn.finish] ?? turn.finish })
  yield converseFrame('metadata', { metrics: { latencyMs: 3 }, ...usageOf(turn.usage) })
}

function whole(turn: ScriptTurn): WireResponse {
  const thinking = turn.reasoning?.join('')
  const text = turn.text?.join('')
  const content = [
    ...(thinking === undefined
      ? []
      : [
          {
            reasoningContent: {
              reasoningText: { text: thinking, signature: signatureOf(thinking) },
            },
          },
        ]),
    ...(text ? [{ text }] : []),
    ...(turn.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
      toolUse: { toolUseId: id, name, input },
    })),
  ]
  const body = {
    metrics: { latencyMs: 3 },
    output: { message: { role: 'assistant', content } },
    stopReason: stopReasons[turn.finish] ?? turn.finish,
    ...usageOf(turn.usage),
  }
  return {
    status: 200,
    headers: { ...json, 'x-amzn-requestid': 'conformance' },
    pieces: [JSON.stringify(body)],
  }
}

/** The API counts what is read from and written to the cache apart from `inputTokens`. */
function usageOf(usage: Partial<TokenCounts>): object {
  if (!Object.keys(usage).length) return {}
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0 } = usage
  return {
    usage: {
      inputTokens: inputTokens - cacheReadTokens - cacheCreationTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cacheReadInputTokens: cacheReadTokens,
      cacheWriteInputTokens: cacheCreationTokens,
    },
  }
}
