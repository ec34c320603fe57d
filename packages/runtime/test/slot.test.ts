import { createHook } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { createMock } from '@modelport/provider-mock'
import { expect, onTestFinished, test, vi } from 'vitest'
import { defineTool, infer, inferStream } from '../src/index.js'

interface Message {
  readonly type: string
  readonly span?: object
  readonly value?: unknown
}

const kinds = ['call', 'run', 'task', 'durable']

/** Subscribes to every slot until the test ends; returns what is published. */
function subscribe(): { readonly kind: string; readonly message: Message }[] {
  const published: { readonly kind: string; readonly message: Message }[] = []
  for (const kind of kinds) {
    const listener = (message: unknown): void =>
      void published.push({ kind, message: message as Message })
    channel(`modelport:${kind}`).subscribe(listener)
    onTestFinished(() => {
      channel(`modelport:${kind}`).unsubscribe(listener)
    })
  }
  return published
}

const typesOf = (published: ReturnType<typeof subscribe>, kind: string): string[] =>
  published
    .filter((one) => one.kind === kind)
    .map(({ message: { type, value } }) => (type === 'event' ? (value as Message).type : type))

test('a subscriber of the slot of calls sees the request, each event, the usage and the end of a stream', async () => {
  const published = subscribe()
  const reader = await createMock({ responses: ['Hi!'], chunkSize: 2 }).stream('Hello')
  for await (const _ of reader);
  expect(typesOf(published, 'call')).toEqual([
    'start',
    'text-delta',
    'text-delta',
    'turn-end',
    'done',
    'end',
  ])
  expect(published[0]?.message.value).toMatchObject({
    model: 'mock',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(published.at(-1)?.message.value).toMatchObject({
    finishReason: 'stop',
    usage: { outputTokens: 5 },
  })
  expect(new Set(published.map(({ message }) => message.span)).size).toBe(1)
})

test.each([
  ['fails before its response', { responses: [{ error: 'auth' as const }] }],
  ['fails in the middle', { responses: [{ text: 'Hi', error: 'server' as const }] }],
])('a subscriber sees the error of a call that %s, once', async (_, config) => {
  const published = subscribe()
  const mock = createMock(config)
  await expect(mock.complete('Hello', { retry: { attempts: 1 } })).rejects.toThrow()
  const streamed = mock.stream('Hello', { retry: { attempts: 1 } }).then(async (reader) => {
    for await (const _ of reader);
  })
  await expect(streamed).rejects.toThrow()
  const ends = typesOf(published, 'call').filter((type) => type === 'end' || type === 'error')
  expect(ends).toEqual(['error', 'error'])
})

test('a reader that is closed and a call that is aborted end once, with what had arrived', async () => {
  const published = subscribe()
  const mock = createMock({ responses: ['one two three'], delayMs: 1 })
  const closed = await mock.stream('Hello')
  await closed.next()
  await closed.close()
  const controller = new AbortController()
  const aborted = await mock.stream('Hello', { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(aborted.next()).rejects.toThrow('enough')
  const ends = published.filter(({ message: { type } }) => type === 'end' || type === 'error')
  expect(ends.map(({ message }) => message.type)).toEqual(['end', 'error'])
  expect(ends[0]?.message.value).toMatchObject({ finishReason: undefined })
})

test('a subscriber of the slot of runs sees all events of a run and its result, and what a run calls is marked', async () => {
  const published = subscribe()
  const result = await infer(createMock({ responses: ['Hi.'] }), {
    query: 'Hello',
    observe: { agentName: 'greeter' },
  })
  expect(typesOf(published, 'run')).toEqual([
    ...['start', 'step-start', 'context-prepared', 'model-call-start', 'model-call'],
    ...['text-delta', 'model-call-end', 'final', 'end'],
  ])
  expect(published[0]?.message.value).toMatchObject({
    name: 'greeter',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(published.at(-1)?.message.value).toBe(result)
})

/** Counts promises and timers of a stream and a run of so many deltas. */
async function counted(
  { mock, run }: { readonly mock: typeof createMock; readonly run: typeof infer },
  deltas: number,
): Promise<{ readonly promises: number; readonly timers: number }> {
  const provider = mock({ responses: ['a'.repeat(deltas)], chunkSize: 1 })
  const found = { promises: 0, timers: 0 }
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') found.promises++
      if (type === 'Timeout') found.timers++
    },
  })
  hook.enable()
  const reader = await provider.stream('Hello')
  for await (const _ of reader);
  await run(provider, { query: 'Hello' })
  hook.disable()
  return found
}

test('a stream and a run make the same promises and timers whether or not there is a slot, and none per event for a subscriber', async () => {
  const present = { mock: createMock, run: infer }
  await counted(present, 50)
  const [few, many] = [await counted(present, 50), await counted(present, 150)]

  vi.resetModules()
  const lookUp = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  const { createMock: mock } = await import('@modelport/provider-mock')
  const { infer: run } = await import('../src/index.js')
  lookUp.mockRestore()
  await counted({ mock, run }, 50)
  expect([await counted({ mock, run }, 50), await counted({ mock, run }, 150)]).toEqual([few, many])

  const published = subscribe()
  const [attachedFew, attachedMany] = [await counted(present, 50), await counted(present, 150)]
  expect(published.length).toBeGreaterThan(400)
  expect(attachedMany.promises - attachedFew.promises).toBe(many.promises - few.promises)
  expect(attachedMany.timers - attachedFew.timers).toBe(many.timers - few.timers)
})

test('a run of inferStream is published as it is read, and a tool that fails does not end its span', async () => {
  const published = subscribe()
  const fails = defineTool({
    name: 'fails',
    description: 'It fails.',
    parameters: { type: 'object', properties: {} },
    execute: () => Promise.reject(new Error('broken')),
  })
  const reader = inferStream(
    createMock({ responses: [{ toolCalls: [{ name: 'fails', arguments: {} }] }, 'Sorry.'] }),
    {
      query: 'Hello',
      tools: [fails],
    },
  )
  expect(published).toEqual([])
  for await (const _ of reader);
  expect(typesOf(published, 'run')).toContain('tool-error')
  expect(published.at(-1)?.message).toMatchObject({ type: 'end', value: { status: 'final' } })
})
