import { Chat } from '@ai-sdk/react'
import { createMock } from '@modelport/provider-mock'
import { type AgUiEvent, toAgUiEvents, toUiMessageResponse } from '@modelport/runtime/ui'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import { describe, expect, test } from 'vitest'
import {
  createMemoryJournal,
  defineTool,
  executeBatch,
  type InferRequest,
  inferStream,
  type Tool,
} from '../src/index.js'
import { runWithCut } from './cut-journal.js'
import { action, ended, run } from './weather-run.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const worker = (execute: Tool['execute'], more: object = {}): Tool =>
  defineTool({ name: 'work', description: 'Works', execute, ...more })
const call = { toolCalls: [{ name: 'work', arguments: {} }] }
const half = worker(async function* () {
  yield { done: 0.5 }
  await pause(5)
  return 'all done'
})

describe('a tool that is an async generator', () => {
  test.each([
    ['native', call],
    ['text', '<tool_call>{"name":"work","arguments":{}}</tool_call>'],
    ['json', action({ type: 'tool_call', tool: 'work', args: {} })],
  ] as const)(
    'in %s mode reports what it yields, and the model reads what it returns',
    async (mode, reply) => {
      const last = mode === 'json' ? action({ type: 'final', content: 'Good.' }) : 'Good.'
      const { of, result, types } = await run([reply, last], { tools: [half], mode })
      expect(ended(result, 'final').text).toBe('Good.')
      expect(of('tool-progress')).toMatchObject([
        { tool: 'work', progress: { done: 0.5 }, step: 1 },
      ])
      expect(types.slice(types.indexOf('tool-start')).slice(0, 3)).toEqual([
        'tool-start',
        'tool-progress',
        'tool-result',
      ])
      expect(of('tool-result')[0]?.result).toBe('all done')
      expect(JSON.stringify(result.transcript)).toContain('all done')
      expect(JSON.stringify(result.transcript)).not.toContain('0.5')
    },
  )

  test('reports a copy of each value, at most one in 50 ms and always the newest', async () => {
    const seen = { count: 0 }
    const fast = worker(async function* () {
      const endsAt = performance.now() + 180
      while (performance.now() < endsAt) {
        seen.count++
        yield seen
        await pause(1)
      }
      return 'ok'
    })
    const { of } = await run([call, 'Good.'], { tools: [fast] })
    const shown = of('tool-progress').map(({ progress }) => (progress as typeof seen).count)
    expect(shown[0]).toBe(1)
    expect(shown.length).toBeGreaterThan(1)
    expect(shown.length).toBeLessThan(6)
    expect(new Set(shown).size).toBe(shown.length)
  })

  test('a generator that never waits is ended by its time limit, and its finally block runs', async () => {
    let isClosed = false
    const endless = worker(
      async function* () {
        try {
          for (;;) yield 'on and on'
        } finally {
          isClosed = true
        }
      },
      { timeoutMs: 100 },
    )
    const { of, events } = await run([call, 'Good.'], { tools: [endless] })
    expect(of('tool-error')).toMatchObject([{ phase: 'timeout' }])
    expect(of('tool-progress').length).toBeLessThan(5)
    await pause(20)
    expect(isClosed).toBe(true)
    expect(events.at(-1)?.type).toBe('final')
  })

  test('a generator is ended with return() when the run is cancelled, and a value it yields then is not reported', async () => {
    const controller = new AbortController()
    let isClosed = false
    const slow = worker(async function* () {
      try {
        yield 'started'
        controller.abort(new Error('enough'))
        await pause(5)
        yield 'late'
      } finally {
        isClosed = true
      }
      return 'never'
    })
    const { of, result } = await run([call, 'Good.'], { tools: [slow], signal: controller.signal })
    ended(result, 'cancelled')
    await pause(20)
    expect(isClosed).toBe(true)
    expect(of('tool-progress').map(({ progress }) => progress)).toEqual(['started'])
    expect(of('tool-result')).toEqual([])
  })

  test('a generator that throws has failed, as any tool', async () => {
    const broken = worker(async function* () {
      yield 1
      throw new Error('no paper')
    })
    const { of } = await run([call, 'Good.'], { tools: [broken] })
    expect(of('tool-error')).toMatchObject([{ phase: 'execution', message: 'no paper' }])
  })

  test.each([
    ['a bigint', 1n, 'BigInt'],
    ['nothing', undefined, 'undefined'],
    ['a function', () => 1, 'function'],
  ])(
    'a generator that yields %s, which is not JSON, has failed with an error that says so',
    async (_, value, what) => {
      let isClosed = false
      const wrong = worker(async function* () {
        try {
          yield value
        } finally {
          isClosed = true
        }
        return 'ok'
      })
      const { of } = await run([call, 'Good.'], { tools: [wrong] })
      const [failure] = of('tool-error')
      expect(failure?.message).toContain('tool "work" reported progress that is not JSON')
      expect(failure?.message).toContain(what)
      expect(isClosed).toBe(true)
    },
  )
})

describe('progress', () => {
  test('a reader that reads slowly does not hold up the tools, and sees the newest of each', async () => {
    const counting = (name: string): Tool =>
      defineTool({
        name,
        description: 'Counts',
        execute: async (_, { progress }) => {
          for (let count = 1; count <= 20; count++) {
            progress?.(count)
            await pause(20)
          }
          return `${name} done`
        },
      })
    const both = { toolCalls: ['a', 'b'].map((name) => ({ name, arguments: {} })) }
    const reader = inferStream(createMock({ responses: [both, 'Good.'] }), {
      query: 'Count',
      tools: [counting('a'), counting('b')],
    })
    const shown: Record<string, unknown[]> = { a: [], b: [] }
    let latencyMs = 0
    for await (const event of reader) {
      if (event.type === 'tool-progress') shown[event.tool]?.push(event.progress)
      if (event.type === 'tool-progress') await pause(200)
      if (event.type === 'tool-result') latencyMs = Math.max(latencyMs, event.latencyMs)
    }
    // If each of the 20 values waited for the reader, it would be 4 s.
    expect(latencyMs).toBeLessThan(3000)
    for (const values of Object.values(shown)) {
      expect(values[0]).toBe(1)
      expect(values.length).toBeGreaterThan(1)
      expect(values.length).toBeLessThan(latencyMs / 100)
    }
  })

  test('what a tool reports after the run was cancelled is dropped', async () => {
    const controller = new AbortController()
    const late = worker((_, { progress }) => {
      controller.abort()
      progress?.('late')
      return pause(1)
    })
    const { types } = await run([call, 'Good.'], { tools: [late], signal: controller.signal })
    expect(types).not.toContain('tool-progress')
  })

  test('a sink that fails stops the run, as with any event', async () => {
    const sink = {
      write: ({ type }: { type: string }): void => {
        if (type === 'tool-progress') throw new Error('disk full')
      },
    }
    const { result } = await run([call, 'Good.'], { tools: [half], observe: { sink } })
    expect(ended(result, 'failed').error.name).toBe('JournalError')
  })

  test('a batch without infer hands it on', async () => {
    const seen: unknown[] = []
    await executeBatch([{ id: '1', name: 'work', arguments: {}, argumentsText: '{}' }], {
      tools: [half],
      step: 1,
      onProgress: ({ id }, value) => seen.push([id, value]),
      onResult: (_, { content }) => seen.push(content),
    })
    expect(seen).toEqual([['1', { done: 0.5 }], 'all done'])
  })

  test('an agent reports it too, under its own name', async () => {
    const clerk = {
      name: 'clerk',
      description: 'Files things',
      call: (_: unknown, { progress }: { progress?: ((value: unknown) => void) | undefined }) => {
        progress?.('searching')
        return 'filed'
      },
    }
    const reply = {
      toolCalls: [{ name: 'delegate_to_agent', arguments: { agent: 'clerk', prompt: 'File it' } }],
    }
    const { of } = await run([reply, 'Good.'], { agents: [clerk] })
    expect(of('tool-progress')).toMatchObject([{ tool: 'clerk', progress: 'searching' }])
  })

  test('the last value of a tool of the AI SDK is its result, and each is reported', async () => {
    const tools = {
      work: {
        inputSchema: { jsonSchema: { type: 'object' } },
        async *execute() {
          yield { status: 'loading' }
          await pause(60)
          yield { status: 'loaded' }
        },
      },
    } as unknown as InferRequest['tools']
    const { of } = await run([call, 'Good.'], { tools })
    expect(of('tool-progress')[0]).toMatchObject({ progress: { status: 'loading' } })
    expect(of('tool-result')[0]).toMatchObject({ result: { status: 'loaded' } })
  })

  test('useChat shows it as a preliminary output, until the result replaces it', async () => {
    const states: unknown[] = []
    const provider = createMock({ responses: [call, 'Good.'] })
    const chat = new Chat({
      transport: new DefaultChatTransport({
        api: 'http://localhost/chat',
        fetch: async () =>
          toUiMessageResponse(inferStream(provider, { query: 'Work', tools: [half] })),
      }),
    })
    chat['~registerMessagesCallback'](() => {
      const part = chat.messages.at(-1)?.parts.find(isToolUIPart)
      if (part?.output !== undefined) states.push([part.output, part.preliminary])
    })
    await chat.sendMessage({ text: 'Work' })
    expect(states[0]).toEqual([{ done: 0.5 }, true])
    expect(states.at(-1)).toEqual(['all done', undefined])
  })

  test('AG-UI shows it as an activity of the call', async () => {
    const provider = createMock({ responses: [call, 'Good.'] })
    const reader = inferStream(provider, { query: 'Work', tools: [half] })
    const events: AgUiEvent[] = []
    for await (const event of toAgUiEvents(reader, { threadId: 't' })) events.push(event)
    const [shown] = events.filter(({ type }) => type === 'ACTIVITY_SNAPSHOT')
    expect(shown).toMatchObject({
      activityType: 'modelport.tool-progress',
      content: { progress: { done: 0.5 } },
    })
    expect(shown?.['content']).toHaveProperty(
      'toolCallId',
      events.find(({ type }) => type === 'TOOL_CALL_START')?.['toolCallId'],
    )
  })
})

describe('progress under a journal', () => {
  test('progress is in no entry and no checkpoint', async () => {
    const journal = createMemoryJournal()
    const { of } = await run([call, 'Good.'], { tools: [half], durable: { journal, runId: 'r' } })
    expect(of('tool-progress')).toHaveLength(1)
    expect(JSON.stringify(journal.load('r'))).not.toContain('"done"')
  })

  test.each(Array.from({ length: 12 }, (_, index) => [index + 1]))(
    'a run that is cut at write %i gives the same transcript and effects as one that is not',
    async (at) => {
      const scenario = {
        reply: (messages: readonly { role: string }[]) =>
          messages.some(({ role }) => role === 'tool') ? 'Good.' : call,
        request: (world: { happen<T>(key: string, result: T): T }): InferRequest => ({
          query: 'Work',
          tools: [
            worker(async function* (_, { run: { idempotencyKey } }) {
              yield 'half'
              return world.happen(idempotencyKey, 'all done')
            }),
          ],
        }),
      }
      const whole = await runWithCut(scenario, { at: Infinity, stores: true })
      for (const stores of [true, false]) {
        const { result, world } = await runWithCut(scenario, { at, stores })
        expect(result.transcript).toEqual(whole.result.transcript)
        expect([...world.effects.values()]).toEqual([1])
      }
    },
  )
})
