import { type ChatMessage, LlmError, type Provider, type ResponseNotice } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { failure, line, play, read, type Step, settle, streamOf } from './scripted-driver.js'

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const text: Step = ['text', 'x']
const stop: Step = ['finish', 'stop']
const once = { defaults: { retry: { attempts: 1 } } }

describe('waiting for a response', () => {
  test.each<[string, number | undefined, (provider: Provider) => Promise<unknown>, number]>([
    ['a stream, 120 s', undefined, (provider) => provider.stream('Hi'), 120_000],
    ['a whole answer, 600 s', undefined, (provider) => provider.complete('Hi'), 600_000],
    ['as long as is said', 5000, (provider) => provider.complete('Hi'), 5000],
  ])('waiting for a response has its limit: %s', async (_, headersMs, call, limit) => {
    const signals: AbortSignal[] = []
    const { provider, clock } = play(
      [
        ({ signal }) => {
          if (signal) signals.push(signal)
          return new Promise<Response>(() => undefined)
        },
      ],
      { ...once, timeouts: headersMs === undefined ? {} : { headersMs } },
    )
    let over = false
    const failing = failure(call(provider)).finally(() => {
      over = true
    })
    await settle()
    clock.advance(limit - 1)
    await settle()
    expect(over).toBe(false)
    clock.advance(1)
    const error = await failing
    expect(error).toMatchObject({
      code: 'timeout',
      reason: 'headers',
      provider: 'p',
      message: `p: timeout (headers): no response for ${limit} ms`,
      attempts: 1,
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(clock.pending).toBe(0)
  })

  test('waiting for a response ends when the response comes', async () => {
    const { provider, clock } = play([[text, stop]])
    const reader = await provider.stream('Hi')
    clock.advance(10_000_000)
    expect(await reader.next()).toEqual({ done: false, value: 'x' })
    await reader.close()
    expect(clock.pending).toBe(0)
  })

  test('a response that comes too late is dropped', async () => {
    let answer: (response: Response) => void = () => undefined
    let dropped = false
    const { provider, clock } = play(
      [
        () =>
          new Promise<Response>((resolve) => {
            answer = resolve
          }),
      ],
      once,
    )
    const failing = failure(provider.stream('Hi', { deadlineMs: 10 }))
    await settle()
    clock.advance(10)
    expect(await failing).toMatchObject({
      code: 'timeout',
      reason: 'deadline',
      message: 'p: timeout (deadline): 10 ms have passed',
    })
    answer(
      new Response(
        new ReadableStream({
          cancel: () => {
            dropped = true
          },
        }),
      ),
    )
    await settle()
    expect(dropped).toBe(true)
  })
})

describe('a body', () => {
  test('a body that is too long by a byte rejects limit-exceeded', async () => {
    const limits = { maxBodyBytes: line(text).length + line(stop).length }
    expect(await read(play([[text, stop]], { limits }).provider)).toBe('x')
    const error = await failure(read(play([[text, stop, text]], { ...once, limits }).provider))
    expect(error).toMatchObject({
      code: 'limit-exceeded',
      message: `p: limit-exceeded: the body is longer than ${limits.maxBodyBytes} bytes`,
    })
  })

  test('a body that is cut rejects truncated, with the error of the connection as its cause', async () => {
    const cut = await failure(
      read(play([() => new Response(streamOf([line(text)], new Error('gone')))], once).provider),
    )
    expect(cut).toMatchObject({
      code: 'truncated',
      message: 'p: truncated: the connection ended before the reply did (13 bytes read)',
      cause: { message: 'gone' },
      partial: { bytes: 13 },
    })
    const ended = await failure(read(play([[text]], once).provider))
    expect([ended.code, ended.cause]).toEqual(['truncated', undefined])
    const empty = await failure(read(play([[]], once).provider))
    expect(empty).toMatchObject({
      code: 'truncated',
      message: expect.stringContaining('(0 bytes read)') as string,
    })
    expect(empty).not.toHaveProperty('partial')
  })

  test('a body that throws instead of failing rejects truncated', async () => {
    const body = {
      readableEnded: false,
      on: () => undefined,
      destroy: () => undefined,
      read: (): null => {
        throw new Error('broken')
      },
    }
    const broken = (): Response => Object.defineProperty(new Response(), 'body', { value: body })
    expect(await failure(read(play([broken], once).provider))).toMatchObject({
      code: 'truncated',
      cause: { message: 'broken' },
    })
    expect(await failure(play([broken], once).provider.complete('Hi'))).toMatchObject({
      code: 'truncated',
      cause: { message: 'broken' },
    })
  })

  test('a body that ends inside a record is cut; a whole record that cannot be read is not', async () => {
    expect(
      await failure(
        read(play([() => new Response(streamOf([line(text), '["te']))], once).provider),
      ),
    ).toMatchObject({
      code: 'truncated',
      cause: { message: expect.stringContaining('not JSON') as string },
    })
    expect(
      await failure(
        read(play([() => new Response(streamOf([line(text), '["te\n']))], once).provider),
      ),
    ).toMatchObject({ code: 'protocol', message: 'p: protocol: not JSON: "[\\"te"' })
  })

  test('a body that fails or continues in chunks after the reply is whole takes nothing away', async () => {
    for (const body of [
      streamOf([line(text), line(stop)], new Error('reset')),
      streamOf([line(text), line(stop), '["te']),
      streamOf([line(text) + line(stop)], new Error('reset')),
    ]) {
      expect(await read(play([() => new Response(body)], once).provider)).toBe('x')
    }
  })

  test('a body that falls silent after the reply is whole takes nothing away; before that, it is a time-out', async () => {
    const { provider, clock } = play(
      [() => new Response(streamOf([line(text), line(stop)], 'open'))],
      once,
    )
    const reading = read(provider)
    await settle()
    clock.advance(60_000)
    expect(await reading).toBe('x')
    const silent = play([() => new Response(streamOf([line(text)], 'open'))], once)
    const failing = failure(read(silent.provider))
    await settle()
    silent.clock.advance(60_000)
    expect(await failing).toMatchObject({
      code: 'timeout',
      reason: 'idle',
      message: 'p: timeout (idle): no byte for 60000 ms',
      partial: { text: 'x' },
    })
    expect(silent.clock.pending).toBe(0)
  })

  test.each<Step>([
    text,
    ['reasoning', 'x'],
    ['refusal', 'x'],
    ['toolCall', 0, { id: 'a', name: 'f' }],
    ['part', { type: 'text', text: 'x' }],
    ['providerToolCall', { name: 'search', data: 1 }],
  ])('a delta of the kind %s starts the idle clock of a reply anew', async (...step) => {
    const alive = (steps: readonly Step[]) => {
      let send: (piece: string) => void = () => undefined
      let end: () => void = () => undefined
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          send = (piece) => controller.enqueue(new TextEncoder().encode(piece))
          end = () => controller.close()
        },
        cancel: () => {
          send = end = () => undefined
        },
      })
      const { provider, clock } = play([() => new Response(body)], {
        ...once,
        timeouts: { semanticIdleMs: 1000 },
      })
      return {
        run: async () => {
          const reader = await provider.streamWithTools(question, [])
          const reading = (async () => {
            for await (const _ of reader);
          })().then(
            () => 'whole',
            (error: unknown) => (error as Error).message,
          )
          for (const next of steps) {
            await settle()
            clock.advance(600)
            send(line(next))
          }
          await settle()
          end()
          return reading
        },
      }
    }
    const given = step as unknown as Step
    expect(await alive([given, stop]).run()).toBe('whole')
    expect(await alive([['model', 'm'], given, stop]).run()).toBe(
      'p: timeout (idle): no part of the reply for 1000 ms',
    )
  })

  test('a body of JSON that this API does not define rejects protocol', async () => {
    const strange = () =>
      new Response('["model","m"]', { headers: { 'content-type': 'application/json' } })
    expect(await failure(play([strange], once).provider.complete('Hi'))).toMatchObject({
      code: 'protocol',
      message:
        'p: protocol: the server returned JSON that this API does not define; check the base URL',
    })
    expect(
      await failure(play([() => new Response('')], once).provider.complete('Hi')),
    ).toMatchObject({
      code: 'truncated',
    })
  })

  test('a body without its end is taken where the configuration says so, if it has a piece of a reply', async () => {
    const { provider } = play([[text]], { ...once, lenientEof: true })
    const reader = await provider.stream('Hi')
    expect([await reader.next(), await reader.next()]).toEqual([
      { done: false, value: 'x' },
      { done: true, value: undefined },
    ])
    expect(reader.finishReason()).toBe('unknown')
    expect(
      await failure(read(play([[['model', 'm']]], { ...once, lenientEof: true }).provider)),
    ).toMatchObject({
      code: 'truncated',
    })
  })
})

describe('a decoder', () => {
  const ending = (end: () => void) => ({
    decoder: (sink: { text(text: string): void; finish(reason: 'stop'): void }) => ({
      push: ({ data }: { data: string }) => {
        if (data.includes('text')) sink.text('x')
        else sink.finish('stop')
      },
      end,
    }),
  })

  test('a decoder is notified of the end', async () => {
    let ends = 0
    expect(
      await read(
        play(
          [[text, stop]],
          once,
          ending(() => {
            ends++
          }),
        ).provider,
      ),
    ).toBe('x')
    expect(ends).toBe(1)
  })

  test("a decoder that fails at the end for another reason than the wire's fails the reply", async () => {
    const full = ending(() => {
      throw new LlmError('limit-exceeded', 'too much')
    })
    expect(await failure(read(play([[text, stop]], once, full).provider))).toMatchObject({
      code: 'limit-exceeded',
    })
    const odd = ending(() => {
      throw new LlmError('protocol', 'not needed any more')
    })
    expect(await read(play([[text, stop]], once, odd).provider)).toBe('x')
    const broken = ending(() => {
      throw new TypeError('a mistake')
    })
    expect(await failure(read(play([[text, stop]], once, broken).provider))).toMatchObject({
      code: 'unknown',
      message: 'p: unknown: a mistake',
      cause: { name: 'TypeError' },
    })
  })
})

describe('a driver that sends in its own way', () => {
  test('a driver that sends in its own way is not waited for when it ignores its signal; what comes late is dropped', async () => {
    let dropped = 0
    let answer: (response: Response) => void = () => undefined
    const { provider, clock } = play(
      [],
      { defaults: { deadlineMs: 10 } },
      {
        send: () =>
          new Promise<Response>((resolve) => {
            answer = resolve
          }),
      },
    )
    const failing = failure(provider.complete('Hi'))
    await settle()
    clock.advance(10)
    expect(await failing).toMatchObject({ code: 'timeout', reason: 'deadline' })
    answer(
      new Response(
        new ReadableStream({
          cancel: () => {
            dropped++
          },
        }),
      ),
    )
    await settle()
    expect(dropped).toBe(1)
  })

  test('a driver that sends in its own way cannot hide a failure behind one of its own', async () => {
    const send: NonNullable<Parameters<typeof play>[2]>['send'] = (_, io) =>
      io.fetch('https://api.example/').catch(() => {
        throw new Error('wrapped')
      })
    const { provider, ios } = play([() => new Response('no', { status: 401 })], {}, { send })
    expect(await failure(provider.complete('Hi'))).toMatchObject({ code: 'auth', status: 401 })
    expect(ios).toEqual([])
    expect(
      await failure(
        play([], {}, { send: () => Promise.reject(new Error('its own')) }).provider.complete('Hi'),
      ),
    ).toMatchObject({ code: 'unknown', message: 'p: unknown: its own' })
  })
})

test('a success gives back what its retries took', async () => {
  const flow: string[] = []
  const retryBucket = {
    take: (cost: number) => {
      flow.push(`take ${cost}`)
      return true
    },
    give: (amount: number) => void flow.push(`give ${amount}`),
  }
  const { provider, clock } = play([() => new Response('', { status: 500 }), [text, stop]], {
    retryBucket,
  })
  const reading = read(provider)
  await settle()
  clock.advance(10_000)
  await reading
  expect(flow).toEqual(['take 5', 'give 5'])
  await read(provider)
  expect(flow).toEqual(['take 5', 'give 5', 'give 1'])
})

test('an abort while the next attempt is waited for sends nothing more', async () => {
  const { provider, ios, clock } = play([() => new Response('', { status: 500 })])
  const controller = new AbortController()
  const reading = failure(provider.stream('Hi', { signal: controller.signal }))
  await settle()
  controller.abort(new Error('enough'))
  expect(await reading).toBe(controller.signal.reason)
  expect([ios.length, clock.pending]).toEqual([1, 0])
})

test('onResponse is called with each response', async () => {
  const told: unknown[] = []
  const { provider } = play(
    [() => new Response(line(text) + line(stop), { status: 201, headers: { 'x-left': '9' } })],
    {
      onResponse: ({ status, headers }) => told.push([status, headers.get('x-left')]),
    },
  )
  await provider.stream('Hi')
  expect(told).toEqual([[201, '9']])
})

test('the observers of a provider and of a call see the response of each attempt, failed ones included', async () => {
  const seen: string[] = []
  const observe =
    (who: string) =>
    ({ status, headers }: ResponseNotice) =>
      seen.push(`${who} ${status} ${headers.get('x-left')}`)
  const busy = (left: string) => () =>
    new Response('busy', { status: 503, headers: { 'x-left': left, 'retry-after-ms': '1' } })
  const { provider, clock } = play([busy('1'), busy('0'), [text, stop]], {
    onResponse: observe('provider'),
  })
  const reply = provider.complete('Hi', { retry: { onResponse: observe('call') } })
  for (let attempt = 1; attempt < 3; attempt++) {
    await settle()
    clock.advance(60_000)
  }
  expect(await reply).toBe('x')
  expect(seen).toEqual([
    'provider 503 1',
    'call 503 1',
    'provider 503 0',
    'call 503 0',
    'provider 200 null',
    'call 200 null',
  ])
})

test.each<[how: string, observer: () => unknown]>([
  [
    'what it throws',
    () => {
      throw new Error('observer')
    },
  ],
  ['its promise that fails', () => Promise.reject(new Error('observer'))],
  ['being no function', 'observer' as unknown as () => unknown],
])('who observes responses breaks no call, by %s', async (_, observer) => {
  const { provider, ios } = play([[text, stop]], { onResponse: observer })
  expect(await provider.complete('Hi')).toBe('x')
  expect(ios).toHaveLength(1)
})
