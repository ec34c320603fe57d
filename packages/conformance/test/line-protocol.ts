import type {
  HarnessConfig,
  ScriptTurn,
  WireConversation,
  WireFormat,
  WireRequest,
} from '@modelport/conformance'
import { type ChatMessage, LlmError, type Provider, textOf } from '@modelport/core'
import {
  argumentsTextOf,
  createProvider,
  type Decoder,
  type Driver,
  type Sink,
  type Turn,
  toProviderError,
  withoutEmptyReplies,
} from '@modelport/driver'

/*
 * A protocol of text lines, in requests and replies: a word, a space, a value. Line feeds, carriage
 * returns and backslashes are escaped. A reply is over at the line `.`; a whole reply has the same
 * lines.
 */

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\\': '\\\\' }
const escape = (text: string): string => text.replace(/[\n\r\\]/g, (one) => escapes[one] ?? one)
const unescape = (text: string): string =>
  text.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one === 'r' ? '\r' : one))
const line = (word: string, ...values: readonly string[]): string =>
  `${[word, ...values.map(escape)].join(' ')}\n`

/** The first word of a line, and the rest. */
function split(text: string): readonly [word: string, rest: string] {
  const at = text.indexOf(' ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

// The driver.

const reasons = ['stop', 'length', 'tool-calls', 'content-filter'] as const
const refused = [
  'topK',
  'topP',
  'stop',
  'seed',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
] as const
const refusedToo = ['reasoning', 'topLogprobs', 'providerTools', 'vendor'] as const

function toLines({ model, messages, tools, options, stream }: Turn): string {
  for (const option of [...refused, ...refusedToo]) {
    const value = options[option]
    if (value !== undefined && !(option === 'vendor' && !Object.keys(value).length))
      throw new LlmError('unsupported', `lines: ${option} cannot be sent; leave it unset`)
  }
  const { temperature } = options
  return [
    line('model', model),
    line('stream', String(stream)),
    ...(options.maxTokens === undefined ? [] : [line('max', String(options.maxTokens))]),
    ...(temperature === undefined ? [] : [line('temperature', String(temperature))]),
    ...tools.map(({ name, parameters }) => line('tool', name, JSON.stringify(parameters ?? {}))),
    ...withoutEmptyReplies(messages).flatMap(toMessageLines),
  ].join('')
}

function toMessageLines(message: ChatMessage): string[] {
  if (typeof message.content !== 'string' && message.content.some(({ type }) => type !== 'text'))
    throw new LlmError('unsupported', 'lines: only text parts are supported')
  const text = textOf(message.content)
  if (message.role === 'tool')
    return [line('result', message.toolCallId, message.isError ? `Error: ${text}` : text)]
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return [
    line(message.role, text),
    ...calls.map((call) => line('call', call.id, call.name, argumentsTextOf(call))),
  ]
}

function createLineDecoder(sink: Sink): Decoder {
  let calls = 0
  let reason = ''
  const read = (text: string): void => {
    const [word, rest] = split(text)
    const value = unescape(rest)
    if (word === 'text') sink.text(value)
    else if (word === 'thought') sink.reasoning(value)
    else if (word === 'call') {
      const [id, more] = split(rest)
      sink.toolCall(calls++, { id, name: unescape(more) })
    } else if (word === 'arguments') sink.toolCall(calls - 1, { text: value })
    else if (word === 'tokens') {
      const [inputTokens, outputTokens, reasoningTokens] = rest.split(' ').map(Number)
      sink.usage({ inputTokens, outputTokens, reasoningTokens })
    } else if (word === 'finish') reason = rest
    else if (word === 'error') sink.fail({ body: value })
    else if (word === '.') {
      sink.finish(reasons.find((known) => known === reason) ?? 'other', reason)
      sink.terminal()
    }
  }
  return {
    push: ({ data, unterminated, whole }) => {
      const lines = whole ? data.split('\n') : [data]
      for (const [index, text] of lines.entries()) {
        const cut = unterminated ?? (whole && index === lines.length - 1)
        // Half a line says nothing, but for the mark of one character.
        if (!cut || text === '.') read(text)
      }
    },
  }
}

const url = 'https://lines.example/say'

/** The driver of the line protocol. */
export const lineDriver: Driver<string> = {
  name: 'lines',
  framing: 'lines',
  request: toLines,
  send: (body, io) =>
    io.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...io.headers },
      body,
    }),
  decoder: createLineDecoder,
  error: (failure) =>
    toProviderError('lines', failure, {
      message: failure.inBand ? String(failure.body) : unescape(split(failure.text.trimEnd())[1]),
      ...(failure.inBand && { code: 'server' as const }),
    }),
}

/** A provider that speaks the line protocol. */
export const createLines = (config: HarnessConfig): Provider =>
  createProvider(lineDriver, {
    ...config,
    model: config.model ?? 'lines-1',
    cheapestModel: config.cheapestModel ?? 'lines-1',
    hosts: ['lines.example:443'],
  })

// The wire, written apart from the driver.

const headers = { 'content-type': 'text/plain; charset=utf-8' }

function replyLines({
  reasoning = [],
  text = [],
  toolCalls = [],
  finish,
  usage,
}: ScriptTurn): string[] {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage
  return [
    'reply 1\n',
    ...reasoning.map((one) => line('thought', one)),
    ...text.map((one) => line('text', one)),
    ...toolCalls.flatMap(({ id = 'made_up', name, arguments: values, argumentsText }) => [
      `call ${id} ${name}\n`,
      line('arguments', argumentsText ?? JSON.stringify(values)),
    ]),
    `finish ${finish}\n`,
    `tokens ${inputTokens} ${outputTokens} ${reasoningTokens}\n`,
    '.\n',
  ]
}

const requestLines = ({ body }: WireRequest): (readonly [word: string, rest: string])[] =>
  String(body).split('\n').slice(0, -1).map(split)

const isStream = (request: WireRequest): boolean =>
  requestLines(request).some(([word, rest]) => word === 'stream' && rest === 'true')

function readLines(request: WireRequest): WireConversation {
  const lines = requestLines(request)
  const valueOf = (name: string): string | undefined => lines.find(([word]) => word === name)?.[1]
  const max = valueOf('max')
  const temperature = valueOf('temperature')
  const messages: WireConversation['messages'][number][] = []
  for (const [word, rest] of lines) {
    const text = unescape(rest)
    const last = messages.at(-1)
    const [id, more] = split(rest)
    if (word === 'user') messages.push({ role: 'user', text })
    else if (word === 'assistant') messages.push({ role: 'assistant', text, toolCalls: [] })
    else if (word === 'result') messages.push({ role: 'tool', callId: id, text: unescape(more) })
    else if (word === 'call' && last?.role === 'assistant') {
      const [name, values] = split(more)
      const call = { id, name, arguments: toValue(unescape(values)) }
      messages.splice(-1, 1, { ...last, toolCalls: [...last.toolCalls, call] })
    }
  }
  return {
    model: valueOf('model') ?? '',
    stream: isStream(request),
    system: lines.flatMap(([word, rest]) => (word === 'system' ? [unescape(rest)] : [])).join('\n'),
    tools: lines.flatMap(([word, rest]) => {
      const [name, parameters] = split(rest)
      return word === 'tool' ? [{ name, parameters: toValue(unescape(parameters)) }] : []
    }),
    messages,
    ...(max !== undefined && { maxTokens: Number(max) }),
    ...(temperature !== undefined && { temperature: Number(temperature) }),
  }
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const words = /^(model|stream|max|temperature|tool|system|user|assistant|call|result)$/

/** The line protocol on the wire. It has no cache counts. */
export const lineFormat: WireFormat = {
  api: 'lines',
  supports: {
    reasoning: true,
    toolCallIds: true,
    argumentsText: true,
    inBandError: true,
    cacheTokens: false,
    jsonRecords: false,
    reasoningTokens: true,
    toolResultErrors: false,
  },
  matches: ({ method, path }) => method === 'POST' && path === '/say',
  respond: (turn, request) => {
    const pieces = replyLines(turn)
    return { status: 200, headers, pieces: isStream(request) ? pieces : [pieces.join('')] }
  },
  respondThenFail: (turn, request, message) => {
    const pieces = [...replyLines(turn).slice(0, -3), line('error', message)]
    return { status: 200, headers, pieces: isStream(request) ? pieces : [pieces.join('')] }
  },
  failure: (status, message, more = {}) => ({
    status,
    headers: { ...headers, ...more },
    pieces: [line('error', message)],
  }),
  read: readLines,
  violations: (request) => {
    const lines = requestLines(request)
    return [
      ...(typeof request.body === 'string' ? [] : ['the body is not text']),
      ...lines.flatMap(([word]) => (words.test(word) ? [] : [`unknown word "${word}"`])),
    ]
  },
}
