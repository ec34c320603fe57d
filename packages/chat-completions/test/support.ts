import {
  type CallOptions,
  type Generation,
  isLlmError,
  type Provider,
  type ProviderError,
  type StreamEvent,
  type TokenUsage,
} from '@modelport/core'
import { type CommonConfig, createProvider, postJson } from '@modelport/driver'
import {
  type ChatDialect,
  createChatDecoder,
  defaultChatDialect,
  toChatError,
  toChatRequest,
} from '../src/index.js'

/** A provider that speaks the dialect and gets its answers from `answer`. */
export function chatProvider(
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON
  answer: (body: any) => Response,
  dialect: Partial<ChatDialect> = {},
  config: Partial<CommonConfig> = {},
): Provider {
  const own = { ...defaultChatDialect, provider: 'test', ...dialect }
  return createProvider(
    {
      name: 'test',
      framing: 'sse',
      takesTemperature: () => own.takesTemperature,
      request: (turn) => toChatRequest(turn, own),
      send: (body, io) => postJson(io, 'http://chat.test/v1/chat/completions', body),
      decoder: (sink, turn) => createChatDecoder(sink, turn, own),
      error: (failure) => toChatError('test', failure),
    },
    {
      model: 'model',
      hosts: ['chat.test:80'],
      fetch: (_, init) => Promise.resolve(answer(JSON.parse(init?.body as string))),
      ...config,
      cheapestModel: config.cheapestModel ?? 'model',
    },
  )
}

/** One attempt, and no other. */
export const once: CallOptions = { retry: { attempts: 1 } }

/** A stream of events; texts are sent as they are, and `[DONE]` only if it is among them. */
export const sse = (...events: readonly unknown[]): Response =>
  new Response(
    events
      .map((event) => `${typeof event === 'string' ? event : `data: ${JSON.stringify(event)}`}\n\n`)
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

export const json = (body: unknown, status = 200): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  })

/** A chunk with this delta in choice 0. */
export const chunk = (delta: object, rest: object = {}): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
})

/** A whole reply with this message. */
export const whole = (message: object, rest: object = {}, body: object = {}): object => ({
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...rest },
  ],
  ...body,
})

export const done = 'data: [DONE]'

/** What a streamed round came to. */
export interface Round {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly (readonly [id: string, name: string, argumentsText: string])[]
  readonly reason: string | undefined
  readonly usage: TokenUsage
  readonly events: readonly StreamEvent[]
  /** The message as it would be sent back. */
  readonly message: unknown
}

/** Reads a stream to its end. */
export async function stream(...events: readonly unknown[]): Promise<Round> {
  const reader = await chatProvider(() => sse(...events)).streamWithTools(
    [{ role: 'user', content: 'Hello' }],
    [],
    once,
  )
  const all: StreamEvent[] = []
  for await (const event of reader) all.push(event)
  return {
    text: reader.fullText(),
    reasoning: all.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join(''),
    calls: all.flatMap((event) =>
      event.type === 'tool-call-complete'
        ? [[event.toolCall.id, event.toolCall.name, event.toolCall.argumentsText] as const]
        : [],
    ),
    reason: all.flatMap((event) => (event.type === 'turn-end' ? [event.reason] : []))[0],
    usage: reader.usage(),
    events: all,
    message: reader.messages().at(-1),
  }
}

/** Reads a whole reply. */
export const generate = (body: unknown, options: CallOptions = {}): Promise<Generation> =>
  chatProvider(() => json(body)).generate([{ role: 'user', content: 'Hello' }], once, options)

/** The typed error a call rejects with. */
export async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isLlmError(error)) throw new Error(`no typed error: ${String(error)}`)
  return error as ProviderError
}
