import {
  type CallOptions,
  LlmError,
  type Provider,
  ProviderError,
  type ReplyDetails,
  type StreamEvent,
} from '@modelport/core'
import { createMock, type MockProvider, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, onTestFinished, test } from 'vitest'
import { holdRefusedPort } from '../../../test/support/refused-port.js'
import type { FallbackSwitch } from '../src/fallback/fallback-chain.js'
import { apiHosts, createFallback, createRegistry, newProvider } from '../src/index.js'
import { emptyEnvironment, failureOf, recordingFetch } from './support.js'

const once: CallOptions = { retry: { attempts: 1 } }
const question = [{ role: 'user' as const, content: '?' }]
const tool = {
  name: 'get_weather',
  description: 'Weather',
  parameters: { type: 'object', properties: {} },
}
const mock = (...responses: MockResponse[]) =>
  createMock({ responses, chunkSize: 0, defaults: once })
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
/** Opens, and fails at its first read. */
const cutEarly = () => mock({ text: [], cut: true })
const failing = (code: LlmError['code'], details: object = {}) =>
  mock({ error: new ProviderError(code, 'no', { provider: 'mock', ...details }) })

describe('the next provider is asked', () => {
  test.each([
    'auth',
    'permission',
    'not-found',
    'rate-limit',
    'quota-exhausted',
    'overloaded',
    'server',
    'network',
    'timeout',
    'truncated',
    'protocol',
    'redirect-refused',
  ] as const)('the next provider is asked on %s', async (code) => {
    const changes: FallbackSwitch[] = []
    const provider = createFallback([failing(code), mock('second')], {
      onSwitch: (change) => changes.push(change),
    })
    expect(await provider.complete('?')).toBe('second')
    expect(await provider.completeWithHistory(question)).toBe('second')
    expect((await provider.generate(question)).text).toBe('second')
    expect((await collect(await provider.stream('?'))).join('')).toBe('second')
    expect((await collect(await provider.streamWithHistory(question))).join('')).toBe('second')
    const reader = await provider.streamWithTools(question, [tool])
    expect((await collect(reader)).map(({ type }) => type)).toEqual([
      'text-delta',
      'turn-end',
      'done',
    ])
    expect(changes[0]!.error.code).toBe(code)
  })

  test.each([
    'invalid-request',
    'context-length',
    'content-filter',
    'config',
    'unsupported',
    'limit-exceeded',
    'aborted',
    'budget-exceeded',
  ] as const)('the next provider is never asked on %s', async (code) => {
    const second = mock('second')
    const provider = createFallback([failing(code), second])
    expect((await failureOf(() => provider.complete('?'))).code).toBe(code)
    expect((await failureOf(() => provider.stream('?'))).code).toBe(code)
    expect(second.requests).toHaveLength(0)
    expect(() => createFallback([second], { codes: [code] })).toThrow('must not switch')
  })

  test('the next provider is asked only on the codes that are given, and never past the deadline', async () => {
    expect(
      (
        await failureOf(() =>
          createFallback([failing('overloaded'), mock('second')], { codes: ['auth'] }).complete(
            '?',
          ),
        )
      ).code,
    ).toBe('overloaded')
    const second = mock('second')
    expect(
      (
        await failureOf(() =>
          createFallback([failing('timeout', { reason: 'deadline' }), second]).complete('?'),
        )
      ).code,
    ).toBe('timeout')
    expect(second.requests).toHaveLength(0)
  })

  test('the caller gets the last failure, unchanged', async () => {
    const last = new ProviderError('server', 'mock: server: the last', { provider: 'mock' })
    expect(
      await failureOf(() => createFallback([failing('auth'), mock({ error: last })]).complete('?')),
    ).toMatchObject({ code: 'server', message: 'mock: server: the last' })
    expect(() => createFallback([])).toThrow('at least one')
  })

  test('a fallback has the name and the models of the first provider, and the highest token estimate', async () => {
    const first = createMock({ responses: ['a'], model: 'one', cheapestModel: 'tiny' })
    const wide = createMock({ responses: ['b'], tokenFactor: 3 })
    const provider = createFallback([first, wide])
    expect(provider).toMatchObject({ name: 'mock', model: 'one', cheapestModel: 'tiny' })
    expect(provider.estimateTokens('some words here')).toBe(wide.estimateTokens('some words here'))
    expect(createFallback([first], { name: 'house' }).name).toBe('house')
  })

  test('one deadline spans all providers of a fallback', async () => {
    let now = 0
    const second = mock('second')
    const slow: Provider = {
      ...mock('x'),
      complete: () => {
        now += 600
        return Promise.reject(new ProviderError('server', 'no', { provider: 'mock' }))
      },
    }
    const provider = createFallback([slow, slow, second], { now: () => now })
    expect(await provider.complete('?', { deadlineMs: 1500 })).toBe('second')
    expect(second.requests[0]!.options.deadlineMs).toBe(300)
    now = 100_000
    expect((await failureOf(() => provider.complete('?', { deadlineMs: 1000 }))).code).toBe(
      'server',
    )
  })

  test('an abort rejects with the reason of the caller', async () => {
    const controller = new AbortController()
    const second = mock('second')
    const waits: Provider = {
      ...mock('x'),
      complete: (_, options) =>
        new Promise((_resolve, reject) =>
          options.signal!.addEventListener('abort', () =>
            reject(new ProviderError('network', 'cut', { provider: 'mock' })),
          ),
        ),
    }
    const call = createFallback([waits, second]).complete('?', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toMatchObject({ code: 'network' })
    expect(second.requests).toHaveLength(0)
  })
})

describe('streams', () => {
  test('a failure before the first event asks the next provider, a later one does not', async () => {
    const silent = cutEarly()
    expect(
      (await collect(await createFallback([silent, mock('second')]).stream('?'))).join(''),
    ).toBe('second')
    const second = mock('second')
    const begun = createFallback([
      mock({ text: ['one'], error: new LlmError('overloaded', 'mid') }),
      second,
    ])
    const reader = await begun.stream('?')
    expect(await reader.next()).toEqual({ done: false, value: 'one' })
    const error = await failureOf(() => reader.next())
    expect(error).toMatchObject({ code: 'overloaded', partial: { text: 'one' } })
    expect(await failureOf(() => reader.next())).toBe(error)
    expect(reader.fullText()).toBe('one')
    expect(second.requests).toHaveLength(0)
  })

  test('reasoning and tool calls count as events too', async () => {
    for (const turn of [
      { reasoning: 'hm', error: new LlmError('overloaded', 'x') },
      {
        toolCalls: [{ name: 'get_weather', arguments: {} }],
        error: new LlmError('overloaded', 'x'),
      },
    ]) {
      const second = mock('second')
      const reader = await createFallback([mock(turn), second]).streamWithTools(question, [tool])
      expect((await failureOf(() => collect(reader))).code).toBe('overloaded')
      expect(second.requests).toHaveLength(0)
    }
  })

  test('a whole conversation is handed over between its turns', async () => {
    const first = mock(
      {
        text: 'Let me look.',
        toolCalls: [{ id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }],
      },
      { error: 'overloaded' },
    )
    const second = mock(
      { text: 'Sunny.', toolCalls: [{ id: 'c2', name: 'other', arguments: {} }] },
      'Done.',
    )
    const changes: FallbackSwitch[] = []
    const reader = await createFallback([first, second], {
      onSwitch: (change) => changes.push(change),
    }).streamWithTools(question, [tool])
    const events: StreamEvent[] = []
    for await (const event of reader) {
      events.push(event)
      if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
      const open = events
        .flatMap((one) => (one.type === 'tool-call-complete' ? [one.toolCall.id] : []))
        .at(-1)!
      reader.setTools([tool, { name: 'other', description: 'Other' }])
      await reader.sendToolResults([{ callId: open, content: `result of ${open}` }])
    }
    expect(changes).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(3)
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
    expect(second.requests[0]!.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me look.', toolCalls: [{ id: 'c1' }] },
      { role: 'tool', toolCallId: 'c1', content: 'result of c1' },
    ])
    expect(second.requests[0]!.tools.map(({ name }) => name)).toEqual(['get_weather', 'other'])
    expect(reader.fullText()).toBe('Let me look.Sunny.Done.')
    expect(reader.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(reader.usage()).toMatchObject({ inputTokens: 30, outputTokens: 15 })
    expect(events.at(-1)).toMatchObject({ type: 'done', usage: { inputTokens: 30 } })
  })

  test('results go to the provider that made the calls, also in another call; the next message goes to the first', async () => {
    const named = (model: string, ...responses: MockResponse[]) =>
      createMock({ model, responses, chunkSize: 0, defaults: once })
    const call: MockResponse = { toolCalls: [{ id: 'c1', name: 'get_weather', arguments: {} }] }
    const [a, b] = [
      named('a', { error: 'overloaded' }, 'First.'),
      named('a-2', call, 'Done.', 'Again.'),
    ]
    const other = named('b', 'Other.')
    const provider = createFallback([a, b, other])
    const made = await provider.generate(question, { tools: [tool] })
    const results = [
      ...question,
      made.message,
      { role: 'tool' as const, toolCallId: 'c1', content: 'x' },
    ]
    expect((await collect(await provider.streamWithTools(results, [tool])))[0]).toMatchObject({
      text: 'Done.',
    })
    expect(await provider.completeWithHistory(results)).toBe('Again.')
    expect([a, b, other].map(({ requests }) => requests.length)).toEqual([1, 3, 0])
    const answered = [...results, { role: 'assistant' as const, content: 'Done.' }]
    expect(await provider.completeWithHistory([...answered, ...question])).toBe('First.')
  })

  test('a stream with fallbacks keeps the parts besides text of earlier turns', async () => {
    const telling = (provider: MockProvider, details: ReplyDetails): MockProvider => ({
      ...provider,
      streamWithTools: async (...parameters) =>
        Object.assign(await provider.streamWithTools(...parameters), { details: () => details }),
    })
    const first = telling(
      mock(
        { toolCalls: [{ id: 'c1', name: 'get_weather', arguments: {} }] },
        { error: 'overloaded' },
      ),
      { rawFinishReason: 'calls', warnings: ['one'], citations: [{ url: 'https://a.example' }] },
    )
    const second = telling(mock('Done.'), { rawFinishReason: 'end', warnings: ['two'] })
    const reader = await createFallback([first, second]).streamWithTools(question, [tool])
    for await (const event of reader)
      if (event.type === 'turn-end' && event.reason === 'tool-calls')
        await reader.sendToolResults([{ callId: 'c1', content: 'x' }])
    expect(reader.details()).toEqual({
      rawFinishReason: 'end',
      warnings: ['one', 'two'],
      citations: [{ url: 'https://a.example' }],
    })
    const text = await createFallback([mock({ error: 'overloaded' }), mock('Hello')]).stream('Hi')
    for await (const _ of text);
    expect(text.details()).toEqual(
      await mock('Hello')
        .generate(question)
        .then(({ rawFinishReason }) => (rawFinishReason === undefined ? {} : { rawFinishReason })),
    )
  })

  test('a turn that has begun is not handed over', async () => {
    const first = mock(
      { toolCalls: [{ id: 'c1', name: 'get_weather', arguments: {} }] },
      { text: ['It is'], error: new LlmError('overloaded', 'x') },
    )
    const second = mock('second')
    const reader = await createFallback([first, second]).streamWithTools(question, [tool])
    const read = async () => {
      for await (const event of reader)
        if (event.type === 'turn-end')
          await reader.sendToolResults([{ callId: 'c1', content: 'x' }])
    }
    expect((await failureOf(read)).code).toBe('overloaded')
    expect(second.requests).toHaveLength(0)
  })

  test('overlapping reads are served in order, across a change of provider', async () => {
    const reader = await createFallback([cutEarly(), mock({ text: ['a', 'b', 'c'] })]).stream('?')
    const reads = [reader.next(), reader.next(), reader.next(), reader.next(), reader.next()]
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([
      'a',
      'b',
      'c',
      undefined,
      undefined,
    ])
  })

  test('a close while the next stream opens ends the read and discards that stream', async () => {
    let asked: AbortSignal | undefined
    const hangs: Provider = {
      ...mock('x'),
      stream: (_, options) =>
        new Promise((_resolve, reject) => {
          asked = options.signal!
          asked.addEventListener('abort', () => reject(asked!.reason as Error))
        }),
    }
    const reader = await createFallback([cutEarly(), hangs]).stream('?')
    const read = reader.next()
    await expect.poll(() => asked).toBeDefined()
    await reader.close()
    expect(await read).toEqual({ done: true, value: undefined })
    expect(asked!.aborted).toBe(true)
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('an abort while the next stream opens rejects this read and all later ones with its reason', async () => {
    const controller = new AbortController()
    let asked = false
    const hangs: Provider = {
      ...mock('x'),
      stream: (_, options) =>
        new Promise((_resolve, reject) => {
          asked = true
          options.signal!.addEventListener('abort', () => reject(options.signal!.reason as Error))
        }),
    }
    const reader = await createFallback([cutEarly(), hangs]).stream('?', {
      signal: controller.signal,
    })
    const read = reader.next()
    await expect.poll(() => asked).toBe(true)
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await failureOf(() => read)).toBe(reason)
    expect(await failureOf(() => reader.next())).toBe(reason)
  })

  test('if the next stream cannot be opened, all later reads reject with its failure', async () => {
    const reader = await createFallback([cutEarly(), failing('auth')]).stream('?')
    const error = await failureOf(() => reader.next())
    expect(error.code).toBe('auth')
    expect(await failureOf(() => reader.next())).toBe(error)
  })
})

describe('cool-down', () => {
  const asks = (...providers: Provider[]) => {
    const clock = { now: 0 }
    const provider = createFallback(providers, { now: () => clock.now })
    return { clock, provider }
  }

  test('a provider that fails more often than not in a minute is passed over for 5 s', async () => {
    const first = failing('server')
    const { clock, provider } = asks(first, mock('second'))
    await provider.complete('?')
    await provider.complete('?')
    expect(first.requests).toHaveLength(2)
    await provider.complete('?')
    expect(first.requests).toHaveLength(2)
    clock.now = 5000
    await provider.complete('?')
    expect(first.requests).toHaveLength(3)
    clock.now = 70_000
    await provider.complete('?')
    await provider.complete('?')
    expect(first.requests).toHaveLength(5)
  })

  test('a provider that fails exactly half of the time is not passed over', async () => {
    const first = mock('ok', { error: 'server' }, 'ok', { error: 'server' }, 'ok')
    const { provider } = asks(first, mock('second'))
    for (let call = 0; call < 5; call++) await provider.complete('?')
    expect(first.requests).toHaveLength(5)
  })

  test('a refused key cools down at once', async () => {
    const first = failing('auth')
    const { provider } = asks(first, mock('second'))
    await provider.complete('?')
    await provider.complete('?')
    expect(first.requests).toHaveLength(1)
  })

  test('if all providers cool down, all are asked', async () => {
    const [first, second] = [failing('auth'), failing('auth')]
    const { provider } = asks(first, second)
    await failureOf(() => provider.complete('?'))
    await failureOf(() => provider.complete('?'))
    expect([first.requests.length, second.requests.length]).toEqual([2, 2])
  })

  test('an invalid request does not count against the provider', async () => {
    const first = failing('invalid-request')
    const { provider } = asks(first, mock('second'))
    for (let call = 0; call < 3; call++) await failureOf(() => provider.complete('?'))
    expect(first.requests).toHaveLength(3)
  })
})

test('onRetry is called before the next provider is asked, and may refuse', async () => {
  const second = mock('second')
  const heard: string[] = []
  const provider = createFallback([failing('overloaded'), second])
  const counting: CallOptions = {
    retry: { attempts: 1, onRetry: ({ error }) => void heard.push(error.code) },
  }
  expect(await provider.complete('?', counting)).toBe('second')
  expect(heard).toEqual(['overloaded'])
  const refusal = new LlmError('budget-exceeded', 'no more')
  const onRetry = () => {
    throw refusal
  }
  await expect(
    createFallback([failing('overloaded'), second]).complete('?', {
      retry: { attempts: 1, onRetry },
    }),
  ).rejects.toBe(refusal)
  expect(second.requests).toHaveLength(1)
})

test('a server that refuses the connection is asked once where another one can be asked, unless attempts says otherwise', async () => {
  const { port, release } = await holdRefusedPort()
  onTestFinished(release)
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const noServer = () => newProvider({ provider: 'openai-compatible', model: 'm', baseUrl })
  const heard: string[] = []
  const call: CallOptions = {
    retry: { onRetry: ({ attempt, delayMs }) => void heard.push(`${attempt} ${delayMs > 0}`) },
  }
  expect(await createFallback([await noServer(), mock('second')]).complete('?', call)).toBe(
    'second',
  )
  expect(heard).toEqual(['1 false'])
  heard.length = 0
  expect(
    await createFallback([await noServer(), mock('second')], { attempts: 2 }).complete('?', call),
  ).toBe('second')
  expect(heard).toEqual(['1 true', '2 false'])
  heard.length = 0
  const last = createFallback([mock({ error: 'auth' }), await noServer()])
  await expect(last.complete('?', call)).rejects.toMatchObject({
    code: 'network',
    reason: 'refused',
    attempts: 3,
  })
  expect(heard).toEqual(['1 false', '1 true', '2 true'])
})

test('a refusal to ask the next provider is final: no later read asks it', async () => {
  const second = mock('second')
  const refusal = new LlmError('budget-exceeded', 'no more')
  let refusals = 0
  const onRetry = () => {
    if (refusals++ === 0) throw refusal
  }
  const reader = await createFallback([cutEarly(), second]).stream('?', {
    retry: { attempts: 1, onRetry },
  })
  for (let read = 0; read < 3; read++) await expect(reader.next()).rejects.toBe(refusal)
  expect([refusals, second.requests.length]).toEqual([1, 0])
})

test.each([
  [
    'throws',
    () => {
      throw new TypeError('mine')
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('mine'))],
])('an onSwitch that %s is not called again, and breaks nothing', async (_, fail) => {
  let told = 0
  const onSwitch: (change: FallbackSwitch) => unknown = () => {
    told++
    return fail()
  }
  const provider = createFallback([failing('overloaded'), mock('second')], {
    coolDownMs: 0,
    onSwitch,
  })
  for (let call = 0; call < 3; call++) expect(await provider.complete('?')).toBe('second')
  expect(told).toBe(1)
})

test('createFallback rejects a value that is not a list of providers as configuration', () => {
  const [good] = [createMock({ responses: ['x'] })]
  for (const given of [undefined, null, 1, 'x', {}, [], [null], [good, Promise.resolve(good)]]) {
    expect(() => createFallback(given as never)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining(
          'createFallback: expected a list of at least one provider',
        ) as string,
      }),
    )
  }
})

describe('a model without its key', () => {
  const { fetch } = recordingFetch(() =>
    Response.json({ error: { message: 'no' } }, { status: 400 }),
  )
  const local = { provider: 'ollama', model: 'b', fetch }
  const config = { provider: 'openai', model: 'a', apiKeyEnv: 'MY_KEY', fallback: [local] }
  const next = { ...config, fallbackOptions: { missingKey: 'next' as const } }

  test('a model without its key is an error, with fallbacks too', async () => {
    await expect(newProvider(config, { environment: emptyEnvironment })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('environment variable MY_KEY is not set') as string,
    })
  })

  test('a model without its key is passed over with missingKey: next, and the warning names its variable and both hosts', async () => {
    const warnings: string[] = []
    const context = {
      environment: emptyEnvironment,
      onWarning: (text: string) => void warnings.push(text),
    }
    expect(await newProvider(next, context)).toMatchObject({ name: 'ollama', model: 'b' })
    const warning =
      'openai: environment variable MY_KEY is not set; get a key at https://platform.openai.com/api-keys; prompts go to localhost:11434 in place of api.openai.com:443'
    expect(warnings).toEqual([warning])
    const pool = {
      models: [
        { ...next, name: 'main', fallback: ['local'] },
        { ...local, name: 'local' },
      ],
      roles: { chat: 'main' },
    }
    expect(createRegistry(pool, context).warnings()).toEqual([`model "main": ${warning}`])
    expect(
      apiHosts(next, context).map(({ host, required, when }) => [host, required, when]),
    ).toEqual([
      ['api.openai.com', true, undefined],
      ['localhost', false, 'openai fails or has no key'],
    ])
  })

  test('a model without its key stays the first with its key, and is the error where no other has one', async () => {
    const environment = (name: string) => (name === 'MY_KEY' ? 'sk-example-123456' : undefined)
    expect(await newProvider(next, { environment })).toMatchObject({ name: 'openai', model: 'a' })
    const none = { ...next, fallback: [{ provider: 'anthropic', model: 'c' }] }
    await expect(newProvider(none, { environment: emptyEnvironment })).rejects.toThrow('MY_KEY')
    const odd = { ...config, fallbackOptions: { missingKey: 'skip' as never } }
    await expect(newProvider(odd, { environment: emptyEnvironment })).rejects.toThrow(
      'fallbackOptions.missingKey must be "error" or "next", not "skip"',
    )
  })
})

test('a fallback switches on the configured codes after the configured attempts, and is observed', async () => {
  const first = recordingFetch(() => Response.json({ error: { message: 'busy' } }, { status: 503 }))
  const second = recordingFetch(() => Response.json({ error: { message: 'no' } }, { status: 400 }))
  const switches: string[] = []
  const spare = { provider: 'ollama', model: 'b', fetch: second.fetch }
  const config = { provider: 'ollama', model: 'a', fetch: first.fetch, fallback: [spare] }
  const context = {
    environment: emptyEnvironment,
    onSwitch: ({ from, to }: FallbackSwitch) => switches.push(`${from.model} to ${to.model}`),
  }
  const provider = await newProvider({ ...config, fallbackOptions: { attempts: 1 } }, context)
  await expect(provider.complete('?')).rejects.toMatchObject({ code: 'invalid-request' })
  expect([first.urls.length, second.urls.length, switches]).toEqual([1, 1, ['a to b']])
  const never = await newProvider(
    { ...config, fallbackOptions: { attempts: 1, codes: ['auth'] } },
    context,
  )
  await expect(never.complete('?', { retry: { attempts: 1 } })).rejects.toMatchObject({
    code: 'overloaded',
  })
  expect(switches).toHaveLength(1)
  await expect(
    newProvider({ ...config, fallbackOptions: { attempts: 0 } }, context),
  ).rejects.toMatchObject({
    code: 'config',
  })
})
