import { type ChatMessage, LlmError, type Provider, type ProviderError } from '@modelport/core'
import { toProviderError } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { line, play, settle, type Step, streamOf } from './scripted-driver.js'

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const text: Step = ['text', 'x']
const stop: Step = ['finish', 'stop']
const once = { defaults: { retry: { attempts: 1 } } }

async function read(provider: Provider): Promise<string> {
  let found = ''
  for await (const piece of await provider.stream('Hi')) found += piece
  return found
}

const failure = (promise: Promise<unknown>): Promise<ProviderError> =>
  promise.then(() => {
    throw new Error('nothing failed')
  }, (error: unknown) => error as ProviderError)

describe('waiting for a response', () => {
  test.each<[string, number | undefined, (provider: Provider) => Promise<unknown>, number]>([
    ['a stream, 120 s', undefined, (provider) => provider.stream('Hi'), 120_000],
    ['a whole answer, 600 s', undefined, (provider) => provider.complete('Hi'), 600_000],
    ['as long as is said', 5000, (provider) => provider.complete('Hi'), 5000],
  ])('%s', async (_, headersMs, call, limit) => {
    const signals: AbortSignal[] = []
    const { provider, clock } = play([({ signal }) => {
      if (signal) signals.push(signal)
      return new Promise<Response>(() => undefined)
    }], { ...once, timeouts: headersMs === undefined ? {} : { headersMs } })
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
    expect(error).toMatchObject({ code: 'timeout', reason: 'headers', provider: 'p', message: `p: timeout (headers): no response for ${limit} ms`, attempts: 1 })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(clock.pending).toBe(0)
  })

  test('a response that came is not waited for any more', async () => {
    const { provider, clock } = play([[text, stop]])
    const reader = await provider.stream('Hi')
    clock.advance(10_000_000)
    expect(await reader.next()).toEqual({ done: false, value: 'x' })
    await reader.close()
    expect(clock.pending).toBe(0)
  })

  test('what comes too late is dropped', async () => {
    let answer: (response: Response) => void = () => undefined
    let dropped = false
    const { provider, clock } = play([() => new Promise<Response>((resolve) => {
      answer = resolve
    })], once)
    const failing = failure(provider.stream('Hi', { deadlineMs: 10 }))
    await settle()
    clock.advance(10)
    expect(await failing).toMatchObject({ code: 'timeout', reason: 'deadline', message: 'p: timeout: the deadline of 10 ms has passed' })
    answer(new Response(new ReadableStream({ cancel: () => {
      dropped = true
    } })))
    await settle()
    expect(dropped).toBe(true)
  })
})

describe('a body', () => {
  test('that is too long, by a byte', async () => {
    const limits = { maxBodyBytes: line(text).length + line(stop).length }
    expect(await read(play([[text, stop]], { limits }).provider)).toBe('x')
    const error = await failure(read(play([[text, stop, text]], { ...once, limits }).provider))
    expect(error).toMatchObject({ code: 'limit-exceeded', message: `p: limit-exceeded: the body is longer than ${limits.maxBodyBytes} bytes` })
  })

  test('that is cut, with what it failed with', async () => {
    const cut = await failure(read(play([() => new Response(streamOf([line(text)], new Error('gone')))], once).provider))
    expect(cut).toMatchObject({ code: 'truncated', message: 'p: truncated: the connection ended before the answer did (13 bytes read)', cause: { message: 'gone' }, partial: { bytes: 13 } })
    const ended = await failure(read(play([[text]], once).provider))
    expect([ended.code, ended.cause]).toEqual(['truncated', undefined])
    const empty = await failure(read(play([[]], once).provider))
    expect(empty).toMatchObject({ code: 'truncated', message: expect.stringContaining('(0 bytes read)') as string })
    expect(empty).not.toHaveProperty('partial')
  })

  test('that throws where it should fail is cut', async () => {
    const body = {
      readableEnded: false,
      on: () => undefined,
      destroy: () => undefined,
      read: (): null => {
        throw new Error('broken')
      },
    }
    const broken = (): Response => Object.defineProperty(new Response(), 'body', { value: body })
    expect(await failure(read(play([broken], once).provider))).toMatchObject({ code: 'truncated', cause: { message: 'broken' } })
    expect(await failure(play([broken], once).provider.complete('Hi'))).toMatchObject({ code: 'truncated', cause: { message: 'broken' } })
  })

  test('that ends inside a record is cut; a whole record that cannot be read is not', async () => {
    expect(await failure(read(play([() => new Response(streamOf([line(text), '["te']))], once).provider))).toMatchObject({ code: 'truncated', cause: { message: expect.stringContaining('not JSON') as string } })
    expect(await failure(read(play([() => new Response(streamOf([line(text), '["te\n']))], once).provider))).toMatchObject({ code: 'protocol', message: 'p: protocol: not JSON: "[\\"te"' })
  })

  test('that fails or goes on in pieces after the answer is whole takes nothing away', async () => {
    for (const body of [streamOf([line(text), line(stop)], new Error('reset')), streamOf([line(text), line(stop), '["te']), streamOf([line(text) + line(stop)], new Error('reset'))]) {
      expect(await read(play([() => new Response(body)], once).provider)).toBe('x')
    }
  })

  test('that falls silent after the answer is whole takes nothing away; before, it is a time-out', async () => {
    const { provider, clock } = play([() => new Response(streamOf([line(text), line(stop)], 'open'))], once)
    const reading = read(provider)
    await settle()
    clock.advance(60_000)
    expect(await reading).toBe('x')
    const silent = play([() => new Response(streamOf([line(text)], 'open'))], once)
    const failing = failure(read(silent.provider))
    await settle()
    silent.clock.advance(60_000)
    expect(await failing).toMatchObject({ code: 'timeout', reason: 'idle', message: 'p: timeout (idle): no byte for 60000 ms', partial: { text: 'x' } })
    expect(silent.clock.pending).toBe(0)
  })

  test.each<Step>([
    text, ['reasoning', 'x'], ['refusal', 'x'], ['toolCall', 0, { id: 'a', name: 'f' }], ['part', { type: 'text', text: 'x' }], ['providerToolCall', { name: 'search', data: 1 }],
  ])('in which a %s keeps the clock of the answer', async (...step) => {
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
      const { provider, clock } = play([() => new Response(body)], { ...once, timeouts: { semanticIdleMs: 1000 } })
      return { run: async () => {
        const reader = await provider.streamWithTools(question, [])
        const reading = (async () => {
          for await (const _ of reader);
        })().then(() => 'whole', (error: unknown) => (error as Error).message)
        for (const next of steps) {
          await settle()
          clock.advance(600)
          send(line(next))
        }
        await settle()
        end()
        return reading
      } }
    }
    const given = step as unknown as Step
    expect(await alive([given, stop]).run()).toBe('whole')
    expect(await alive([['model', 'm'], given, stop]).run()).toBe('p: timeout (idle): no piece of the answer for 1000 ms')
  })

  test('of JSON that is no answer of this API', async () => {
    const strange = () => new Response('["model","m"]', { headers: { 'content-type': 'application/json' } })
    expect(await failure(play([strange], once).provider.complete('Hi'))).toMatchObject({
      code: 'protocol', message: 'p: protocol: the server answered with JSON that is no answer of this API; check the base URL',
    })
    expect(await failure(play([() => new Response('')], once).provider.complete('Hi'))).toMatchObject({ code: 'truncated' })
  })

  test('without its end is taken where the configuration says so, if it has a piece of an answer', async () => {
    const { provider } = play([[text]], { ...once, lenientEof: true })
    const reader = await provider.stream('Hi')
    expect([await reader.next(), await reader.next()]).toEqual([{ done: false, value: 'x' }, { done: true, value: undefined }])
    expect(reader.finishReason()).toBe('unknown')
    expect(await failure(read(play([[['model', 'm']]], { ...once, lenientEof: true }).provider))).toMatchObject({ code: 'truncated' })
  })
})

describe('a decoder', () => {
  const ending = (end: () => void) => ({ decoder: (sink: { text(text: string): void; finish(reason: 'stop'): void }) => ({ push: ({ data }: { data: string }) => {
    if (data.includes('text')) sink.text('x')
    else sink.finish('stop')
  }, end }) })

  test('is told of the end', async () => {
    let ends = 0
    expect(await read(play([[text, stop]], once, ending(() => {
      ends++
    })).provider)).toBe('x')
    expect(ends).toBe(1)
  })

  test('that fails at the end for another reason than the wire\'s fails the answer', async () => {
    const full = ending(() => {
      throw new LlmError('limit-exceeded', 'too much')
    })
    expect(await failure(read(play([[text, stop]], once, full).provider))).toMatchObject({ code: 'limit-exceeded' })
    const odd = ending(() => {
      throw new LlmError('protocol', 'not needed any more')
    })
    expect(await read(play([[text, stop]], once, odd).provider)).toBe('x')
    const broken = ending(() => {
      throw new TypeError('a mistake')
    })
    expect(await failure(read(play([[text, stop]], once, broken).provider))).toMatchObject({ code: 'unknown', message: 'p: unknown: a mistake', cause: { name: 'TypeError' } })
  })
})

describe('a driver that sends in its own way', () => {
  test('is not waited for when it ignores its signal; what comes late is dropped', async () => {
    let dropped = 0
    let answer: (response: Response) => void = () => undefined
    const { provider, clock } = play([], { defaults: { deadlineMs: 10 } }, { send: () => new Promise<Response>((resolve) => {
      answer = resolve
    }) })
    const failing = failure(provider.complete('Hi'))
    await settle()
    clock.advance(10)
    expect(await failing).toMatchObject({ code: 'timeout', reason: 'deadline' })
    answer(new Response(new ReadableStream({ cancel: () => {
      dropped++
    } })))
    await settle()
    expect(dropped).toBe(1)
  })

  test('cannot hide a failure behind one of its own', async () => {
    const send: NonNullable<Parameters<typeof play>[2]>['send'] = (_, io) => io.fetch('https://api.example/').catch(() => {
      throw new Error('wrapped')
    })
    const { provider, ios } = play([() => new Response('no', { status: 401 })], {}, { send })
    expect(await failure(provider.complete('Hi'))).toMatchObject({ code: 'auth', status: 401 })
    expect(ios).toEqual([])
    expect(await failure(play([], {}, { send: () => Promise.reject(new Error('its own')) }).provider.complete('Hi'))).toMatchObject({ code: 'unknown', message: 'p: unknown: its own' })
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
  const { provider, clock } = play([() => new Response('', { status: 500 }), [text, stop]], { retryBucket })
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

describe('a failure inside an answer', () => {
  test('has status 200 unless the vendor gives one, and the headers of the answer', async () => {
    const seen: unknown[] = []
    const error: Parameters<typeof play>[2] = { error: (given) => {
      seen.push({ ...given, headers: given.headers.get('x-id') })
      return toProviderError('p', given)
    } }
    const answer = (...steps: Step[]) => () => new Response(steps.map(line).join(''), { headers: { 'x-id': '7' } })
    await failure(read(play([answer(['fail', { body: { no: 1 } }])], once, error).provider))
    await failure(read(play([answer(['fail', { body: 'busy', status: 503 }])], once, error).provider))
    expect(seen).toEqual([
      { status: 200, headers: '7', body: { no: 1 }, text: '{"no":1}', inBand: true }, { status: 503, headers: '7', body: 'busy', text: 'busy', inBand: true },
    ])
  })

  test('is tried again like any other while nothing was shown', async () => {
    const { provider, clock, ios } = play([[['fail', { body: 'busy', status: 503 }]], [text, stop]])
    const reading = read(provider)
    await settle()
    clock.advance(10_000)
    expect(await reading).toBe('x')
    expect(ios).toHaveLength(2)
    expect(ios[0]?.idempotencyKey).toBe(ios[1]?.idempotencyKey)
  })
})

test('each response is told of', async () => {
  const told: unknown[] = []
  const { provider } = play([() => new Response(line(text) + line(stop), { status: 201, headers: { 'x-left': '9' } })], {
    onResponse: ({ status, headers }) => told.push([status, headers.get('x-left')]),
  })
  await provider.stream('Hi')
  expect(told).toEqual([[201, '9']])
})

describe('what a driver is given', () => {
  test('a turn: options merged and checked, the rest of `vendor`, defaults that nobody set', async () => {
    const { provider, turns } = play([[text, stop]], { defaults: { topP: 0.5, temperature: 1, retry: { attempts: 2 } } })
    await provider.generate(question, { system: 'be kind', vendor: { headers: { 'X-A': '1' }, seed: 2 }, temperature: 0 })
    expect(turns[0]).toMatchObject({
      model: 'm', stream: false, tools: [], messages: [{ role: 'system', content: 'be kind' }, ...question], defaultTemperature: undefined,
      options: { topP: 0.5, temperature: 0, maxTokens: 4096, vendor: { seed: 2 }, retry: { attempts: 2 } },
    })
    expect(turns[0]?.options.vendor).toEqual({ seed: 2 })
    const bare = play([[text, stop]])
    await bare.provider.stream('Hi', { maxTokens: 9 })
    expect(bare.turns[0]).toMatchObject({ stream: true, defaultTemperature: 0.7, options: { maxTokens: 9 }, messages: question })
  })

  test('headers in small letters, the call\'s over the configuration\'s', async () => {
    const { provider, ios } = play([[text, stop]], { headers: { 'X-Own': 'config', 'X-Other': 'kept' } })
    await provider.stream('Hi', { vendor: { headers: { 'x-own': 'call' } } })
    expect(ios[0]).toMatchObject({ headers: { 'x-own': 'call', 'x-other': 'kept' }, stream: true })
    await provider.complete('Hi').catch(() => undefined)
    expect(ios[1]).toMatchObject({ headers: { 'x-own': 'config' }, stream: false })
  })

  test('ids of the history are not given out again', async () => {
    const asked = (id: string): readonly ChatMessage[] => [
      ...question, { role: 'assistant', content: '', toolCalls: [{ id, name: 'f', arguments: {}, argumentsText: '{}' }] }, { role: 'tool', toolCallId: id, content: '' },
    ]
    const given = async (used: string, id?: string) =>
      (await play([[['toolCall', 0, { ...(id && { id }), name: 'f', text: '{}' }], stop]]).provider.generate(asked(used))).toolCalls[0]?.id
    expect(await given('call_1')).toMatch(/^call_(?!1$)/)
    expect(await given('call_2')).toMatch(/^call_(?!2$)/)
    // Some servers count from the start in each answer.
    expect(await given('f:0', 'f:0')).toMatch(/^f:0./)
    expect(await given('f:0', 'f:1')).toBe('f:1')
  })
})

describe('a call that cannot be made', () => {
  test('for its options names the provider, and sends nothing', async () => {
    const { provider, ios } = play([[text, stop]])
    expect(await failure(provider.complete('Hi', { topP: 2 }))).toMatchObject({ code: 'config', message: 'p: config: topP must be a number between 0 and 1, not 2', provider: 'p' })
    expect(await failure(provider.generate([], { deadlineMs: 1000 }))).toMatchObject({ code: 'invalid-request', message: 'p: invalid-request: the conversation is empty: give at least one message' })
    expect(ios).toEqual([])
  })

  test('leaves no timer behind, nor a listener', async () => {
    const { provider, clock } = play([() => new Response('', { status: 400 })])
    expect(await failure(provider.generate([], { deadlineMs: 1000 }))).toMatchObject({ code: 'invalid-request' })
    expect(await failure(provider.stream('Hi', { deadlineMs: 1000 }))).toMatchObject({ code: 'invalid-request' })
    expect(await failure(provider.complete('Hi', { deadlineMs: 1000 }))).toMatchObject({ code: 'invalid-request' })
    expect(clock.pending).toBe(0)
  })
})

describe('hosts', () => {
  const call = (settings: Parameters<typeof play>[1]) => play([[text, stop]], settings).provider.complete('Hi').then(() => 'sent', (error: unknown) => String(error))
  test('are checked where that is asked for', async () => {
    expect(await call({ hosts: [] })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: false })).toBe('sent')
    expect(await call({ enforceHosts: true })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: ['api.example:443'] })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: true })).toBe('ProviderError: p: api.example:443 is not among the allowed hosts (none)')
    expect(await call({ enforceHosts: ['a:1', 'b:2'] })).toBe('ProviderError: p: api.example:443 is not among the allowed hosts (a:1, b:2)')
  })
})

describe('redirects', () => {
  test.each([[300], [302], [399]])('%i is refused, its body dropped', async (status) => {
    let dropped = false
    const body = () => new ReadableStream({ cancel: () => {
      dropped = true
    } })
    const error = await failure(play([() => new Response(body(), { status, headers: { location: 'https://elsewhere.example/' } })]).provider.complete('Hi'))
    expect(error).toMatchObject({
      code: 'redirect-refused', status, host: 'api.example:443',
      message: `p: ${status} redirect-refused: api.example:443 answers with a redirect; set the base URL to its target if you trust it`,
    })
    expect(dropped).toBe(true)
  })

  test('one that a browser hides has no status', async () => {
    const hidden = () => Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    const error = await failure(play([() => Object.defineProperty(hidden(), 'status', { value: 0 })]).provider.complete('Hi'))
    expect(error.message).toBe('p: a redirect redirect-refused: api.example:443 answers with a redirect; set the base URL to its target if you trust it')
    expect(error).not.toHaveProperty('status')
  })

  test('none is followed', async () => {
    const inits: RequestInit[] = []
    await play([(init) => {
      inits.push(init)
      return new Response(line(text) + line(stop))
    }]).provider.complete('Hi')
    expect(inits[0]).toMatchObject({ redirect: 'manual', method: 'POST', signal: expect.any(AbortSignal) as AbortSignal })
  })
})

describe('the body of a failed response', () => {
  const refused = (body: BodyInit | null, status = 400) => failure(play([() => new Response(body, { status })]).provider.complete('Hi'))

  test('is kept, at most 64 KiB of it', async () => {
    expect(await refused('why')).toMatchObject({ code: 'invalid-request', body: 'why', message: 'p: 400 invalid-request: why' })
    expect((await refused('x'.repeat(65_536))).body).toHaveLength(65_536)
    let dropped = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('y'.repeat(50_000))),
      cancel: () => {
        dropped = true
      },
    })
    expect((await refused(endless)).body).toBe('y'.repeat(65_536))
    expect(dropped).toBe(true)
  })

  test('may be missing, or end before its time', async () => {
    expect((await refused(null, 404)).message).toBe('p: 404 not-found: no further information')
    expect(await refused(streamOf(['so ', 'far'], new Error('reset')), 403)).toMatchObject({ code: 'permission', body: 'so far' })
    expect((await refused(streamOf(['zw', 'ölf']))).body).toBe('zwölf')
  })
})
