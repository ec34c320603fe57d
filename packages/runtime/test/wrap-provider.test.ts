import { conformance } from '@modelport/conformance'
import {
  type ChatMessage,
  describeProvider,
  type Generation,
  LlmError,
  type StreamEvent,
  textOf,
} from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { ollamaChat } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { atSize, bytesBehind } from '../../../test/support/faults.js'
import { type Middleware, type ProviderCall, replayReply, wrapProvider } from '../src/index.js'
import type { CallEnd } from '../src/middleware/provider-call.js'

const apiKey = 'ollama-0123456789-conformance-key'
const hooks: readonly [string, Middleware][] = [
  ['observed', { beforeCall: (call) => call, onEvent: () => undefined, onEnd: () => undefined }],
  [
    'around',
    { aroundGenerate: (call, next) => next(call), aroundStream: (call, next) => next(call) },
  ],
]

// Middleware that changes nothing must not change any rule of the contract.
for (const [name, middleware] of hooks)
  conformance(
    { describe, test, everyNthByte: atSize(16, 1) },
    {
      name: `ollama, ${name}`,
      format: ollamaChat,
      apiKey,
      skip: bytesBehind,
      create: (config) =>
        wrapProvider(
          createOllama({
            model: 'llama3',
            baseUrl: 'https://ollama.example/v1/',
            apiKey,
            ...config,
          }),
          middleware,
        ),
    },
  )

const user: ChatMessage = { role: 'user', content: 'Hi' }

/** An exact cache: the same call is made once. */
function createCache(): Middleware {
  const replies = new Map<string, Promise<Generation>>()
  const keyOf = ({
    messages,
    tools,
    options: { signal: _signal, retry: _retry, ...options },
  }: ProviderCall): string => JSON.stringify([messages, tools, options])
  return {
    aroundGenerate: (call, next) => {
      const key = keyOf(call)
      const kept = replies.get(key) ?? next(call)
      replies.set(key, kept)
      kept.catch(() => replies.delete(key))
      return kept
    },
    aroundStream: async (call, next) => {
      const kept = await replies.get(keyOf(call))
      return kept ? replayReply(kept, call, next) : next(call)
    },
  }
}

/** A guardrail: refuses prompts with a word. */
const guardrail: Middleware = {
  beforeCall: (call) => {
    if (call.messages.some(({ content }) => textOf(content).includes('secret')))
      throw new LlmError('invalid-request', 'the prompt has a secret')
    return undefined
  },
}

describe('wrapProvider', () => {
  test('wrapProvider keeps the name, the model and the description', () => {
    const provider = createMock({ responses: ['Hello'], model: 'm' })
    const wrapped = wrapProvider(provider, {})
    expect(wrapped).toMatchObject({ name: provider.name, model: provider.model })
    expect(describeProvider(wrapped)).toEqual(describeProvider(provider))
    expect(() => wrapProvider({} as never)).toThrow(
      expect.objectContaining({ code: 'config' }) as Error,
    )
  })

  test('wrapProvider reports the end of every kind of call once', async () => {
    const ends: [ProviderCall['method'], CallEnd][] = []
    const events: StreamEvent['type'][] = []
    const provider = wrapProvider(
      createMock({ responses: Array.from({ length: 6 }, () => 'Hello') }),
      {
        onEnd: (end, { method }) => ends.push([method, end]),
        onEvent: ({ type }) => events.push(type),
      },
    )
    await provider.complete('Hi')
    await provider.completeWithHistory([user])
    await provider.generate([user])
    for await (const _ of await provider.stream('Hi'));
    for await (const _ of await provider.streamWithHistory([user]));
    for await (const _ of await provider.streamWithTools([user], []));
    expect(
      ends.map(([method, { outcome, text, finishReason }]) => [
        method,
        outcome,
        text,
        finishReason,
      ]),
    ).toEqual(
      [
        'complete',
        'completeWithHistory',
        'generate',
        'stream',
        'streamWithHistory',
        'streamWithTools',
      ].map((method) => [method, 'end', 'Hello', 'stop']),
    )
    expect([events[0], ...events.slice(-2)]).toEqual(['text-delta', 'turn-end', 'done'])
  })

  test('wrapProvider reports failures and closed readers', async () => {
    const ends: CallEnd[] = []
    const responses: MockResponse[] = [
      { error: 'auth' },
      { text: ['a', 'b'], error: 'server' },
      { text: ['a', 'b'] },
    ]
    const provider = wrapProvider(createMock({ responses, defaults: { retry: { attempts: 1 } } }), {
      onEnd: (end) => ends.push(end),
    })
    await expect(provider.generate([user])).rejects.toMatchObject({ code: 'auth' })
    await expect(
      (async () => {
        for await (const _ of await provider.streamWithTools([user], []));
      })(),
    ).rejects.toThrow()
    const reader = await provider.stream('Hi')
    await reader.next()
    await reader.close()
    expect(ends.map(({ outcome, text }) => [outcome, text])).toMatchObject([
      ['error', ''],
      ['error', expect.any(String)],
      ['closed', 'a'],
    ])
  })

  test('a guardrail refuses a call before anything is sent', async () => {
    const mock = createMock({ responses: ['Hello'] })
    const provider = wrapProvider(mock, guardrail)
    await expect(provider.complete('my secret')).rejects.toThrow('the prompt has a secret')
    await expect(provider.stream('my secret')).rejects.toThrow('the prompt has a secret')
    expect(mock.requests).toEqual([])
    expect(await provider.complete('Hi')).toBe('Hello')
  })

  test('a cache replies to a repeated call, streamed or whole, and continues with tools', async () => {
    const mock = createMock({
      responses: [{ text: 'Let me look', toolCalls: [{ name: 'look', arguments: {} }] }, 'Done.'],
    })
    const provider = wrapProvider(mock, createCache())
    const tools = [{ name: 'look', description: 'Looks' }]
    const [first, again] = [
      await provider.generate([user], { tools }),
      await provider.generate([user], { tools }),
    ]
    expect(again).toBe(first)
    const reader = await provider.streamWithTools([user], tools)
    let text = ''
    for (let read = await reader.next(); !read.done; read = await reader.next()) {
      if (read.value.type === 'text-delta') text += read.value.text
      if (read.value.type === 'turn-end' && read.value.reason === 'tool-calls')
        await reader.sendToolResults(
          first.toolCalls.map(({ id }) => ({ callId: id, content: 'seen' })),
        )
    }
    expect(text).toBe('Let me lookDone.')
    expect(mock.requests).toHaveLength(2)
    expect(reader.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  test('wrapProvider applies the first middleware first', async () => {
    const order: string[] = []
    const note = (name: string): Middleware => ({
      beforeCall: (call) => {
        order.push(name)
        return {
          ...call,
          options: { ...call.options, system: `${call.options.system ?? ''}${name}` },
        }
      },
    })
    const mock = createMock({ responses: ['Hello'] })
    await wrapProvider(mock, note('a'), note('b')).complete('Hi')
    expect(order).toEqual(['a', 'b'])
    expect(mock.requests[0]?.options.system).toBe('ab')
  })
})

describe('a hook that misbehaves', () => {
  test('onEvent and onEnd that throw change nothing, and are not called again', async () => {
    let calls = 0
    const fail = (): never => {
      calls++
      throw new Error('of the hook')
    }
    const mock = createMock({ responses: [{ text: ['a', 'b'] }, { text: ['a', 'b'] }] })
    const reader = await wrapProvider(mock, { onEvent: fail }).stream('Hi')
    for await (const _ of reader);
    expect(reader.fullText()).toBe('ab')
    expect(calls).toBe(1)
    const other = await wrapProvider(mock, { onEnd: fail }).stream('Hi')
    for await (const _ of other);
    expect(other.fullText()).toBe('ab')
    expect(calls).toBe(2)
  })

  test('beforeCall that never settles is under the deadline and the signal of its call', async () => {
    const mock = createMock({ responses: ['Hi'] })
    const provider = wrapProvider(mock, { beforeCall: () => new Promise(() => undefined) })
    await expect(provider.complete('Hi', { deadlineMs: 5 })).rejects.toMatchObject({
      code: 'timeout',
      reason: 'deadline',
      message: expect.stringContaining('beforeCall has not decided yet') as string,
    })
    const stop = new AbortController()
    const call = provider.stream('Hi', { deadlineMs: 60_000, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(mock.requests).toEqual([])
  })
})
