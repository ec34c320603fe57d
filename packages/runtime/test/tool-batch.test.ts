import { isLlmError, LlmError, type ToolCall, type ToolResult } from '@modelport/core'
import {
  defineTool,
  executeBatch,
  type Tool,
  type ToolBatchOptions,
  ToolFailure,
  type ToolOutcome,
  toToolContent,
} from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { useOwnTimers } from '../../../test/support/own-timers.js'

const call = (
  id: string,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  more: Partial<ToolCall> = {},
): ToolCall => ({
  id,
  name,
  arguments: args,
  argumentsText: JSON.stringify(args),
  ...more,
})
interface Answer {
  readonly id: string
  readonly result: ToolResult
  readonly outcome: ToolOutcome
}
const batch = async (
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  options: Partial<ToolBatchOptions> = {},
) => {
  const answers: Answer[] = []
  const started: string[] = []
  const error: unknown = await executeBatch(calls, {
    tools,
    step: 1,
    onStart: ({ id }) => void started.push(id),
    onResult: ({ id }, result, outcome) => void answers.push({ id, result, outcome }),
    ...options,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return {
    answers,
    started,
    error,
    statuses: Object.fromEntries(answers.map(({ id, outcome }) => [id, outcome.status])),
  }
}
const tool = (name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  ...defineTool({ name, description: name, parameters: { type: 'object' }, execute: () => 0 }),
  execute,
  ...more,
})
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The time of the fake timers. */
const now = (): number => vi.getMockedSystemTime()?.getTime() ?? NaN

let runningTimers: () => readonly string[]
beforeEach(() => {
  runningTimers = useOwnTimers()
})
afterEach(() => void vi.useRealTimers())

/** A turn of the event loop, whatever the clock says. */
const realImmediate = globalThis.setImmediate
const turn = () => new Promise<void>((resolve) => realImmediate(resolve))

/**
 * Moves the clock by a millisecond until the work is over, and no further. A file that ran before
 * in the same process may have left something that waits no time, again and again: it gets one
 * turn in each millisecond, and does not keep the clock where it is.
 */
async function run<T>(work: Promise<T>): Promise<T> {
  const state = { isOver: false }
  const end = (): void => {
    state.isOver = true
  }
  work.then(end, end)

  await turn()
  while (!state.isOver) {
    vi.advanceTimersByTime(1)
    await turn()
  }
  return work
}

describe('executeBatch', () => {
  test('executeBatch runs calls in parallel and reports each result as soon as it is done', async () => {
    const sleep = tool('sleep', async (args) => {
      const { ms } = args as { ms: number }
      await wait(ms)
      return { ms }
    })
    const started = now()
    const { answers, error } = await run(
      batch(
        [
          call('a', 'sleep', { ms: 300 }),
          call('b', 'sleep', { ms: 100 }),
          call('c', 'sleep', { ms: 200 }),
        ],
        [sleep],
      ),
    )
    expect(error).toBeUndefined()
    expect(answers.map(({ id }) => id)).toEqual(['b', 'c', 'a'])
    expect(now() - started).toBe(300)
    expect(answers[0]).toEqual({
      id: 'b',
      result: { callId: 'b', content: '{"ms":100}' },
      outcome: { status: 'ok', value: { ms: 100 }, latencyMs: expect.closeTo(100, -1) },
    })
  })

  test('executeBatch runs no more calls at once than the concurrency, in call order', async () => {
    let running = 0
    let most = 0
    const order: string[] = []
    const count = tool('count', async (_, { callId }) => {
      order.push(callId)
      most = Math.max(most, ++running)
      await wait(10)
      running--
    })
    const calls = Array.from({ length: 1000 }, (_, index) => call(`c${index}`, 'count'))
    const { answers } = await run(batch(calls, [count]))
    expect([most, answers.length]).toEqual([8, 1000])
    expect(order).toEqual(calls.map(({ id }) => id))
    most = 0
    await run(batch(calls.slice(0, 5), [count], { concurrency: 1 }))
    expect(most).toBe(1)
  })

  test('an exclusive tool is alone, and order is kept around it', async () => {
    const log: string[] = []
    const make = (name: string, exclusive: boolean) =>
      tool(
        name,
        async (_, { callId }) => {
          log.push(`+${callId}`)
          await wait(10)
          log.push(`-${callId}`)
        },
        { exclusive },
      )
    await run(
      batch(
        [
          call('r1', 'read'),
          call('r2', 'read'),
          call('w', 'write'),
          call('r3', 'read'),
          call('r4', 'read'),
        ],
        [make('read', false), make('write', true)],
      ),
    )
    expect(log).toEqual(['+r1', '+r2', '-r1', '-r2', '+w', '-w', '+r3', '+r4', '-r3', '-r4'])
  })

  test('the model sees each failure, and the other calls continue', async () => {
    const tools = [
      tool('breaks', () => {
        throw new LlmError('not-found', 'no such file: a.txt')
      }),
      tool('throws', () => {
        throw 'text' as unknown as Error
      }),
      tool('shows', () => {
        throw new ToolFailure([
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } },
        ])
      }),
      defineTool({
        name: 'adds',
        description: '',
        parameters: z.object({ a: z.number(), b: z.number() }),
        execute: ({ a, b }) => a + b,
      }),
    ]
    const { answers, started, error } = await run(
      batch(
        [
          call('1', 'breaks'),
          call('2', 'throws'),
          call('3', 'shows'),
          call('4', 'adds', { a: 1, b: 'x' }),
          call('5', 'nothing'),
          call('6', 'adds', { a: 1, b: 2 }),
          call(
            '7',
            'adds',
            {},
            { argumentsText: '{"a":', error: 'the arguments are not valid JSON: {"a":' },
          ),
        ],
        tools,
      ),
    )
    expect(error).toBeUndefined()
    expect(started).toEqual(['1', '2', '3', '6'])
    const told = Object.fromEntries(
      answers.map(({ id, result, outcome }) => [
        id,
        [outcome.status, result.isError, result.content],
      ]),
    )
    expect(told).toEqual({
      1: ['failed', true, 'The tool "breaks" failed: no such file: a.txt'],
      2: ['failed', true, 'The tool "throws" failed: text'],
      3: [
        'failed',
        true,
        [{ type: 'text', text: 'see' }, expect.objectContaining({ type: 'image' })],
      ],
      4: [
        'invalid-arguments',
        true,
        expect.stringMatching(
          /^The arguments for the tool "adds" are not valid and it was not executed: b: .*expected number[^]*\nExpected: \{"type":"object"/,
        ),
      ],
      5: [
        'unknown-tool',
        true,
        'There is no tool "nothing". The tools are: breaks, throws, shows, adds.',
      ],
      6: ['ok', undefined, '3'],
      7: ['invalid-arguments', true, expect.stringContaining('not valid JSON: {"a":')],
    })
  })

  test('a tool that never settles gets a result in time, and an event reports it', async () => {
    let reason: unknown
    const hangs = tool(
      'hangs',
      (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason))),
    )
    const started = now()
    const { statuses, answers } = await run(
      batch([call('a', 'hangs'), call('b', 'hangs')], [{ ...hangs, timeoutMs: 50 }]),
    )
    expect(statuses).toEqual({ a: 'timeout', b: 'timeout' })
    expect(answers[0]?.result).toEqual({
      callId: 'a',
      isError: true,
      content: 'The tool "hangs" did not answer within 50 ms; whether it had an effect is unknown.',
    })
    expect(isLlmError(reason, 'timeout')).toBe(true)
    expect(now() - started).toBe(50)
    await run(batch([call('a', 'hangs')], [hangs]))
    expect(now() - started).toBe(120_050)
    expect((await run(batch([call('a', 'hangs')], [hangs], { timeoutMs: 7 }))).statuses).toEqual({
      a: 'timeout',
    })
    expect(runningTimers()).toEqual([])
  })

  test('a late result changes nothing', async () => {
    const late = tool(
      'late',
      async () => {
        await wait(100)
        throw new Error('too late')
      },
      { timeoutMs: 10 },
    )
    const { answers } = await run(batch([call('a', 'late')], [late]))
    await vi.runAllTimersAsync()
    expect(answers).toHaveLength(1)
  })

  test('an abort gives every call one result, keeps finished results, and rejects with the reason', async () => {
    const controller = new AbortController()
    const tools = [
      tool('quick', async () => wait(10).then(() => 'done')),
      tool(
        'polite',
        (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve('saved half'))),
      ),
      tool('deaf', () => new Promise(() => undefined)),
      tool(
        'obeys',
        (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          ),
      ),
      tool(
        'fetches',
        (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () =>
              reject(new DOMException('aborted', 'AbortError')),
            ),
          ),
      ),
      tool(
        'reports',
        (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('half a file is left'))),
          ),
      ),
    ]
    const reason = new Error('stop')
    setTimeout(() => controller.abort(reason), 50)
    const calls = [call('a', 'quick'), call('b', 'polite'), call('c', 'deaf'), call('d', 'quick')]
    const { answers, statuses, started, error } = await run(
      batch(calls, tools, { signal: controller.signal, concurrency: 2 }),
    )
    expect(error).toBe(reason)
    expect(started).toEqual(['a', 'b', 'c'])
    expect(statuses).toEqual({ a: 'ok', b: 'ok', c: 'cancelled', d: 'cancelled' })
    expect(answers.slice(2).map(({ result }) => result)).toEqual([
      {
        callId: 'c',
        isError: true,
        content:
          'The run was cancelled while this call was running: whether it had an effect is unknown.',
      },
      {
        callId: 'd',
        isError: true,
        content: 'The run was cancelled before this call was started: it had no effect.',
      },
    ])
    expect(runningTimers()).toEqual([])
    const second = new AbortController()
    setTimeout(() => second.abort(reason), 50)
    const errors = await run(
      batch([call('a', 'obeys'), call('b', 'fetches'), call('c', 'reports')], tools, {
        signal: second.signal,
      }),
    )
    expect(errors.statuses).toEqual({ a: 'cancelled', b: 'cancelled', c: 'failed' })
    expect(errors.answers[2]?.result.content).toBe('The tool "reports" failed: half a file is left')
  })

  test('executeBatch starts nothing if it is aborted before it begins', async () => {
    const reason = new Error('stop')
    const { statuses, started, error } = await run(
      batch([call('a', 'x'), call('b', 'x')], [tool('x', () => 1)], {
        signal: AbortSignal.abort(reason),
      }),
    )
    expect([statuses, started, error]).toEqual([{ a: 'cancelled', b: 'cancelled' }, [], reason])
    expect((await run(batch([], [], { signal: AbortSignal.abort(reason) }))).error).toBe(reason)
    expect((await run(batch([], []))).error).toBeUndefined()
  })

  test('a hundred batches on one signal leave nothing on it', async () => {
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    for (let index = 0; index < 100; index++)
      await run(batch([call('a', 'x')], [tool('x', () => 1)], { signal: controller.signal }))
    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([100, 100])
  })

  test('an onStart that throws refuses the call; every call still gets a result', async () => {
    const spent = new LlmError('budget-exceeded', 'no tool calls left')
    let executed = 0
    let left = 1
    const { statuses, error, answers } = await run(
      batch([call('a', 'x'), call('b', 'x'), call('c', 'x')], [tool('x', () => ++executed)], {
        onStart: () => {
          if (left-- <= 0) throw spent
        },
      }),
    )
    expect(statuses).toEqual({ a: 'ok', b: 'refused', c: 'refused' })
    expect([executed, error, answers[1]?.result.content]).toEqual([1, spent, 'no tool calls left'])
  })

  test('an onResult that throws loses no other result', async () => {
    const bug = new Error('bug')
    const seen: string[] = []
    const { error } = await run(
      batch([call('a', 'x'), call('b', 'x')], [tool('x', () => 1)], {
        onResult: ({ id }) => {
          seen.push(id)
          throw bug
        },
      }),
    )
    expect([error, seen]).toEqual([bug, ['a', 'b']])
  })

  test('a tool cannot change the transcript through its arguments', async () => {
    const args = { list: [1] }
    await run(
      batch(
        [call('a', 'x', args)],
        [tool('x', (value) => (value as { list: number[] }).list.push(2))],
      ),
    )
    expect(args).toEqual({ list: [1] })
  })

  test('nonsense is refused', async () => {
    for (const options of [
      { concurrency: 0 },
      { concurrency: Number.NaN },
      { timeoutMs: 0 },
      { remainingMs: Number.NaN },
    ]) {
      expect(isLlmError((await batch([], [], options)).error, 'config')).toBe(true)
    }
  })
})

describe('toToolContent', () => {
  const image = {
    type: 'image',
    source: { type: 'base64', data: 'AA==', mediaType: 'image/png' },
  } as const
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  test.each([
    ['plain', 'plain'],
    ['', ''],
    [undefined, 'null'],
    [null, 'null'],
    [0, '0'],
    [false, 'false'],
    [{ a: [1, 'é'] }, '{"a":[1,"é"]}'],
    [[], '[]'],
    [[1], '[1]'],
    [image, [image]],
    [
      [{ type: 'text', text: 'a' }, image],
      [{ type: 'text', text: 'a' }, image],
    ],
    [{ type: 'text', text: 1 }, '{"type":"text","text":1}'],
    [[image, 1], expect.stringContaining('"image/png"')],
    [{ type: 'image' }, '{"type":"image"}'],
    [10n, '"10"'],
    [new Map([['a', 1]]), '[["a",1]]'],
    [new Set([1]), '[1]'],
    [Number.NaN, '"NaN"'],
    [new Uint8Array(3), '"(3 bytes)"'],
    [{ error: new TypeError('bad') }, '{"error":{"name":"TypeError","message":"bad"}}'],
    [() => 1, 'null'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [circle, expect.stringMatching(/^\(the result cannot be written as JSON: /)],
    [
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
      '(the result cannot be written as JSON: no)',
    ],
  ])('toToolContent makes content of %o', (value, content) => {
    expect(toToolContent(value)).toEqual(content)
  })
})
