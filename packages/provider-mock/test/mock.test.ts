import { VirtualClock } from '@modelport/conformance'
import { isProvider, LlmError, ProviderError, type StreamEvent } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createMock, type MockConfig } from '../src/index.js'

const collect = async <T>(reader: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = []
  for await (const item of reader) items.push(item)
  return items
}
const chunks = async (text: string, config: MockConfig = {}) =>
  collect(await createMock({ responses: [text], ...config }).stream('?'))
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error as LlmError).code,
  )
const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

describe('responses', () => {
  test('responses are given in order and start again', async () => {
    const mock = createMock({
      responses: ['a', { text: 'b' }, ({ messages }) => `${messages.length} messages`],
    })
    const answers = [
      await mock.complete('1'),
      await mock.complete('2'),
      await mock.complete('3'),
      await mock.complete('4'),
    ]
    expect(answers).toEqual(['a', 'b', '1 messages', 'a'])
    expect(isProvider(mock)).toBe(true)
  })

  test('a response function that is async is refused, with what may wait instead', async () => {
    const mock = createMock({ responses: [(async () => 'late') as never] })
    await expect(mock.complete('1')).rejects.toThrow(
      /must not be a promise; an async generator \(async function\*\) may wait/,
    )
  })

  test('responses end in the default response if there is one', async () => {
    const mock = createMock({ responses: ['a'], defaultResponse: 'later' })
    expect([await mock.complete('1'), await mock.complete('2'), await mock.complete('3')]).toEqual([
      'a',
      'later',
      'later',
    ])
    expect(await createMock({ responses: [], defaultResponse: 'always' }).complete('1')).toBe(
      'always',
    )
  })

  test.each<[string, MockConfig]>([
    ['no responses', {}],
    ['no responses', { responses: [] }],
    ['chunkSize', { responses: ['a'], chunkSize: 1.5 }],
    ['delayMs', { responses: ['a'], delayMs: -1 }],
  ])('%s is a config error', (named, config) => {
    expect(() => createMock(config)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining(named) as string,
      }),
    )
  })

  test('the requests are kept, with merged options', async () => {
    const mock = createMock({ responses: ['a'], defaults: { system: 'Be brief.' }, model: 'small' })
    await mock.generate([{ role: 'user', content: 'Hi' }], { temperature: 0, tools: [weather] })
    expect(mock.requests).toMatchObject([
      {
        model: 'small',
        stream: false,
        tools: [weather],
        options: { temperature: 0 },
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ])
  })
})

describe('streams', () => {
  test('text comes in deltas of three characters', async () => {
    expect(await chunks('Hello World')).toEqual(['Hel', 'lo ', 'Wor', 'ld'])
  })
  test.each([
    ['12345', 1, ['1', '2', '3', '4', '5']],
    ['12345', 0, ['12345']],
    ['👍🏽👍', 1, ['👍', '🏽', '👍']],
    ['', 3, []],
  ])('the text %j comes in deltas of %i', async (text, chunkSize, expected) => {
    expect(await chunks(text, { chunkSize })).toEqual(expected)
  })
  test('a list of texts is streamed as it is', async () => {
    expect(
      await collect(
        await createMock({ responses: [{ text: ['Hello', ' ', 'World'] }] }).stream('?'),
      ),
    ).toEqual(['Hello', ' ', 'World'])
  })

  test('a tool conversation goes through both turns, and their usage is summed', async () => {
    const mock = createMock({
      responses: [
        {
          reasoning: 'hm',
          text: 'Let me look.',
          toolCalls: [
            { name: 'get_weather', arguments: { city: 'Oslo' } },
            { id: 'own', name: 'get_weather', argumentsText: '{' },
          ],
        },
        { text: 'Sunny.', usage: { inputTokens: 30, outputTokens: 2, cacheReadTokens: 8 } },
      ],
      chunkSize: 0,
    })
    const reader = await mock.streamWithTools([{ role: 'user', content: 'Weather?' }], [weather])
    const events: StreamEvent[] = []
    for await (const event of reader) {
      events.push(event)
      if (event.type === 'turn-end' && event.reason === 'tool-calls') {
        await reader.sendToolResults([
          { callId: 'call_1', content: 'sun' },
          { callId: 'own', content: 'bad arguments', isError: true },
        ])
      }
    }
    expect(events.map(({ type }) => type)).toEqual([
      'reasoning-delta',
      'text-delta',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-complete',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-complete',
      'turn-end',
      'text-delta',
      'turn-end',
      'done',
    ])
    expect(
      events.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : [])),
    ).toMatchObject([
      { id: 'call_1', arguments: { city: 'Oslo' } },
      { id: 'own', arguments: {}, error: expect.stringContaining('not valid JSON') as string },
    ])
    expect(reader.usage()).toMatchObject({ inputTokens: 40, outputTokens: 7, cacheReadTokens: 8 })
    expect(mock.requests[1]?.messages.slice(2)).toMatchObject([
      { role: 'tool', toolCallId: 'call_1', content: 'sun' },
      { role: 'tool', toolCallId: 'own', isError: true },
    ])
  })

  test('each delta waits for the clock, and an abort ends the wait', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const reader = await createMock({ responses: ['Hello'], delayMs: 100, clock }).stream('?', {
      signal: controller.signal,
    })
    let first: unknown
    void reader.next().then((result) => {
      first = result
    })
    await clock.advance(99)
    expect(first).toBeUndefined()
    await clock.advance(1)
    expect(first).toEqual({ done: false, value: 'Hel' })
    const second = reader.next()
    controller.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
  })
})

describe('generate', () => {
  test('generate gives a whole reply with usage', async () => {
    const answer = await createMock({
      responses: ['Hello World'],
      usage: { inputTokens: 1, outputTokens: 2 },
    }).generate([{ role: 'user', content: '?' }])
    expect(answer).toMatchObject({
      text: 'Hello World',
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 2, reported: true },
    })
  })
  test('generate gives tool calls and another finish reason', async () => {
    const mock = createMock({
      responses: [
        { toolCalls: [{ id: 'a', name: 'get_weather', arguments: { city: 'Oslo' } }] },
        { text: 'x', finish: 'length' },
      ],
    })
    expect(await mock.generate([{ role: 'user', content: '?' }])).toMatchObject({
      finishReason: 'tool-calls',
      toolCalls: [{ id: 'a', arguments: { city: 'Oslo' } }],
    })
    expect(await mock.generate([{ role: 'user', content: '?' }])).toMatchObject({
      finishReason: 'length',
    })
  })
})

describe('failures', () => {
  test('an overload is retried, a wrong key is not', async () => {
    const clock = new VirtualClock(0)
    const mock = createMock({
      responses: [
        { error: 'overloaded' },
        {
          error: new ProviderError('rate-limit', 'slow down', {
            provider: 'mock',
            retryAfterMs: 5000,
          }),
        },
        'Hi',
      ],
      clock,
    })
    expect(await clock.run(mock.complete('?'), 'complete')).toBe('Hi')
    expect(clock.now()).toBe(5000)
    expect(mock.requests).toHaveLength(3)
    const refused = createMock({ responses: [{ error: 'auth' }] })
    expect(await codeOf(refused.complete('?'))).toBe('auth')
    expect(refused.requests).toHaveLength(1)
  })
  test('a failure in the middle of a reply keeps what came before', async () => {
    const reader = await createMock({
      responses: [{ text: ['Hel', 'lo'], error: new LlmError('server', 'it broke') }],
    }).stream('?')
    expect(await reader.next()).toEqual({ done: false, value: 'Hel' })
    await reader.next()
    await expect(reader.next()).rejects.toMatchObject({
      code: 'server',
      message: 'mock: server: it broke',
      partial: { text: 'Hello' },
    })
  })
  test('a cut stream is not a success', async () => {
    expect(
      await codeOf(
        collect(await createMock({ responses: [{ text: 'Hello', cut: true }] }).stream('?')),
      ),
    ).toBe('truncated')
  })
})
