import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { atSize } from '../../../test/support/faults.js'
import {
  BudgetLedger,
  createMemoryJournal,
  defineTool,
  infer,
  JournalError,
  type RunEvent,
  type RunJournal,
} from '../src/index.js'
import {
  continueRun,
  cutJournal,
  providerOf,
  runWithCut,
  type Scenario,
  World,
} from './cut-journal.js'
import { calls, ended, loaded, run, weather } from './weather-run.js'

describe('a journal', () => {
  test('J1: a journal has an intent before each effect and a receipt after it, and a checkpoint after each step', async () => {
    const order: string[] = []
    const memory = createMemoryJournal()
    const journal = {
      ...memory,
      writeIntent: (entry: Parameters<typeof memory.writeIntent>[0]) => {
        order.push(`intent ${entry.kind}`)
        return memory.writeIntent(entry)
      },
      writeReceipt: (entry: Parameters<typeof memory.writeReceipt>[0]) => {
        order.push(`receipt ${entry.kind}`)
        return memory.writeReceipt(entry)
      },
      writeCheckpoint: (...given: Parameters<typeof memory.writeCheckpoint>) => {
        order.push(`checkpoint ${given[0].step}`)
        return memory.writeCheckpoint(...given)
      },
    }
    const tools = [weather(() => order.push('effect'))]
    const onEvent = ({ type }: RunEvent) => {
      if (type === 'tool-result') order.push(type)
    }
    await run([calls('Rome'), 'Warm.'], {
      durable: { journal },
      tools,
      observe: { onEvent },
      authorize: () => ({ effect: 'allow' }),
    })
    expect(order).toEqual([
      'checkpoint 0',
      'intent model',
      'receipt model',
      'intent authorization',
      'receipt authorization',
      'intent tool',
      'effect',
      'receipt tool',
      'tool-result',
      'checkpoint 1',
      'intent model',
      'receipt model',
    ])
  })

  test('J2: a journal that rejects stops the run before the next effect, and nothing starts that is not recorded', async () => {
    for (let at = 1; at <= 9; at++) {
      const memory = createMemoryJournal()
      const world = new World()
      const { journal } = cutJournal(memory, { at, stores: false })
      const tools = [
        defineTool({
          name: 'get_weather',
          description: 'Weather',
          parameters: { type: 'object' },
          execute: (_args, context) => world.happen(context.run.idempotencyKey, 'warm'),
        }),
      ]
      const { result, provider } = await run([calls('Rome', 'Oslo'), 'Warm.'], {
        durable: { journal, runId: 'r' },
        tools,
      })
      const { error } = ended(result, 'failed')
      expect(error).toBeInstanceOf(JournalError)
      expect(error.cause).toMatchObject({ message: 'the process ended here' })
      const intents = memory.entries('r').filter(({ entry }) => entry === 'intent')
      const started = intents.flatMap((intent) =>
        'idempotencyKey' in intent ? [intent.idempotencyKey] : [],
      )
      for (const key of world.effects.keys()) expect(started).toContain(key)
      expect(provider.requests.length).toBeLessThanOrEqual(
        intents.filter(({ kind }) => kind === 'model').length,
      )
    }
  })

  test('a journal gives tools the run, the session and a key that stays the same when the model is asked again', async () => {
    const seen: unknown[] = []
    const tools = [weather()].map((tool) => ({
      ...tool,
      execute: (_value: unknown, context: { readonly run: unknown }) => {
        seen.push(context.run)
        return 'warm'
      },
    }))
    const scope = { sessionId: 's1', traceId: 't1', keyPrefix: 'task_1' }
    await run([calls('Rome', 'Oslo'), 'x'], {
      tools,
      durable: { scope, runId: 'r' },
      limits: { budget: { maxRuntimeMs: 60_000 } },
    })
    expect(seen).toEqual(
      ['ca11b27292497cdf', 'a42af91e5cba3ab8'].map((digest) => ({
        runId: 'r',
        sessionId: 's1',
        traceId: 't1',
        deadline: expect.any(Number) as number,
        idempotencyKey: `task_1/get_weather/${digest}/0`,
      })),
    )
  })

  test('J5: a model call without a receipt is made again with a higher attempt, and the lost one is charged in full', async () => {
    const scenario: Scenario = {
      reply: () => 'Done.',
      request: () => ({ query: 'Hi', limits: { budget: { maxCalls: 5 } } }),
    }
    const world = new World()
    const memory = createMemoryJournal()
    const { journal } = cutJournal(memory, { at: 3, stores: false })
    const first = await infer(providerOf(scenario, world), {
      ...scenario.request(world),
      durable: { runId: 'r', journal },
    })
    ended(first, 'failed')
    const events: RunEvent[] = []
    const ledger = new BudgetLedger({ maxCalls: 5 })
    const result = await infer(providerOf(scenario, world), {
      ...loaded(memory),
      limits: { budget: ledger },
      observe: { onEvent: (event) => void events.push(event) },
    })
    ended(result, 'final')
    expect(ledger.spent.calls).toBe(2)
    expect(events.find(({ type }) => type === 'model-retry')).toMatchObject({ errorType: 'lost' })
    expect(events.find(({ type }) => type === 'model-call-start')).toMatchObject({ attempt: 101 })
    expect(
      memory.entries('r').filter(({ kind, entry }) => kind === 'model' && entry === 'intent'),
    ).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
  })

  test('J6: a call of unknown outcome is reported, and never repeated by itself', async () => {
    const scenario: Scenario = {
      reply: (messages) =>
        messages.length > 1
          ? 'Done.'
          : { toolCalls: [{ id: 'c1', name: 'get_weather', arguments: { city: 'Rome' } }] },
      request: (world) => ({
        query: 'Hi',
        tools: [
          {
            ...weather(),
            execute: (_value, { run: { idempotencyKey } }) => world.happen(idempotencyKey, 'warm'),
          },
        ],
      }),
    }
    const { uncertain, world, result } = await runWithCut(scenario, { at: 5, stores: false })
    expect(uncertain).toEqual([expect.stringMatching(/^run_1\/get_weather\/[0-9a-f]{16}\/0$/)])
    expect([...world.effects.values()]).toEqual([1])
    expect(result.status).toBe('final')
  })

  test('J6: a decision to repeat permits one more start, also when the process ends after it', async () => {
    const memory = createMemoryJournal()
    let effects = 0
    const request = { tools: [{ ...weather(), execute: () => `warm ${++effects}` }] }
    const provider = createMock({ responses: [calls('Rome'), 'Warm.'] })
    const endAt = (entry: 'intent' | 'receipt'): RunJournal => ({
      ...memory,
      writeIntent: async (intent) => {
        await memory.writeIntent(intent)
        if (entry === 'intent' && intent.kind === 'tool') throw new Error('the process ended here')
      },
      writeReceipt: (receipt) => {
        if (entry === 'receipt' && receipt.kind === 'tool')
          throw new Error('the process ended here')
        return memory.writeReceipt(receipt)
      },
    })
    ended(
      await infer(provider, {
        ...request,
        query: 'Weather?',
        durable: { runId: 'r', journal: endAt('intent') },
      }),
      'failed',
    )
    const asked = ended(await infer(provider, { ...request, ...loaded(memory) }), 'suspended')
    const decisions = asked.pending.map(({ id }) => ({ type: 'repeat', id }) as const)
    expect(decisions).toHaveLength(1)
    ended(
      await infer(provider, {
        ...request,
        ...loaded(memory, { decisions, journal: endAt('receipt') }),
      }),
      'failed',
    )
    expect(effects).toBe(1)
    const again = await infer(provider, { ...request, ...loaded(memory, { decisions }) })
    expect(ended(again, 'suspended').pending).toMatchObject([{ type: 'uncertain' }])
    expect(effects).toBe(1)
    const result = await infer(provider, { ...request, ...loaded(memory, { decisions }) })
    ended(result, 'final')
    expect(effects).toBe(2)
  })

  test('J6: an approval says nothing about the outcome of the call that it permitted', async () => {
    const memory = createMemoryJournal()
    let effects = 0
    const request = {
      tools: [{ ...weather(), execute: () => `warm ${++effects}` }],
      authorize: () => ({ effect: 'require-approval' }) as const,
    }
    const provider = createMock({ responses: [calls('Rome'), 'Warm.'] })
    const asked = ended(
      await infer(provider, {
        ...request,
        query: 'Weather?',
        durable: { runId: 'r', journal: memory },
      }),
      'suspended',
    )
    const decisions = asked.pending.flatMap((item) =>
      item.type === 'approval'
        ? { type: 'approve' as const, id: item.id, digest: item.digest }
        : [],
    )
    const journal: RunJournal = {
      ...memory,
      writeReceipt: (receipt) => {
        if (receipt.kind === 'tool') throw new Error('the process ended here')
        return memory.writeReceipt(receipt)
      },
    }
    ended(
      await infer(provider, { ...request, ...loaded(memory, { decisions, journal }) }),
      'failed',
    )
    const again = await infer(provider, { ...request, ...loaded(memory, { decisions }) })
    expect(ended(again, 'suspended').pending).toMatchObject([{ type: 'uncertain' }])
    expect(effects).toBe(1)
  })

  test('J11: events of a recorded effect are not handed out again', async () => {
    const memory = createMemoryJournal()
    const { journal } = cutJournal(memory, { at: 6, stores: true })
    const seen: RunEvent[] = []
    const onEvent = (event: RunEvent) => void seen.push(event)
    const request = { tools: [weather()], observe: { onEvent } }
    const provider = createMock({ responses: [calls('Rome'), 'Warm.'] })
    ended(
      await infer(provider, { ...request, query: 'Weather?', durable: { runId: 'r', journal } }),
      'failed',
    )
    const known = memory.load('r')?.resume.seq ?? 0
    seen.length = 0
    ended(await infer(provider, { ...request, ...loaded(memory) }), 'final')
    expect(Math.min(...seen.map(({ seq }) => seq))).toBe(known + 1)
    expect(seen.filter(({ type }) => type === 'tool-start')).toHaveLength(0)
  })
})

describe('checkpoints', () => {
  test('J3: checkpoints stay flat in size over hundreds of steps, but for 21 bytes for each call that may have an effect', async () => {
    const sizes: number[] = []
    const memory = createMemoryJournal()
    const journal = {
      ...memory,
      writeCheckpoint: (...[checkpoint, change]: Parameters<typeof memory.writeCheckpoint>) => {
        sizes.push(JSON.stringify(checkpoint).length)
        expect(change.add.length).toBeLessThan(4)
      },
    }
    let city = 0
    const provider = createMock({
      defaultResponse: () => ({
        toolCalls: [{ name: 'get_weather', arguments: { city: `City ${city++}` } }],
      }),
    })
    const maxSteps = atSize(300, 1000)
    const limits = { maxSteps }
    const result = await infer(provider, {
      query: 'Weather?',
      tools: [weather()],
      limits,
      durable: { journal },
    })
    expect(ended(result, 'limit').limit).toBe('steps')
    expect(sizes.length).toBeGreaterThan(maxSteps - 1)
    const bytesOf = (steps: number): number => 21 * steps
    expect(Math.max(...sizes)).toBeLessThan(6000 + bytesOf(maxSteps))
    const growth = (sizes[maxSteps - 1] ?? 0) - (sizes[150] ?? 0)
    expect(growth - bytesOf(maxSteps - 151)).toBeLessThan(200)
  })
})

describe('any schedule of cuts', () => {
  const seats = fc.array(fc.constantFrom('1A', '2B', '3C'), { minLength: 1, maxLength: 3 })
  const plan = fc.record({
    steps: fc.array(seats, { minLength: 1, maxLength: 3 }),
    cuts: fc.array(fc.record({ at: fc.integer({ min: 1, max: 14 }), stores: fc.boolean() }), {
      maxLength: 4,
    }),
    approve: fc.boolean(),
    isNative: fc.boolean(),
    kind: fc.constantFrom('once', 'idempotent', 'readOnly'),
  })

  test('J4, J6: any schedule of cuts ends with every effect of an uncut run: once, or reported, or declared to be repeatable', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ steps, cuts, approve, isNative, kind }) => {
        const scenario = toScenario(steps, approve, isNative, kind)
        const whole = await runWithCut(scenario, { at: Infinity, stores: true })
        const world = new World()
        const memory = createMemoryJournal()
        let first = await infer(providerOf(scenario, world), {
          ...scenario.request(world),
          durable: {
            runId: 'run_1',
            journal: cutJournal(memory, cuts[0] ?? { at: Infinity, stores: true }).journal,
          },
        })
        for (const cut of cuts.slice(1)) {
          const stored = memory.load('run_1')
          if (first.status === 'final' || !stored) break
          const { query: _query, ...rest } = scenario.request(world)
          const { journal } = cutJournal(memory, cut)
          const next = await infer(providerOf(scenario, world), {
            ...rest,
            messages: stored.messages,
            durable: { resume: stored.resume, journal },
          })
          first = next
        }
        const { result, uncertain } = await continueRun(scenario, world, memory, 'run_1', first)
        expect(result).toMatchObject({ status: whole.result.status, steps: whole.result.steps })
        expect(JSON.stringify(result.transcript)).toBe(JSON.stringify(whole.result.transcript))
        expect([...world.effects.keys()].sort()).toEqual([...whole.world.effects.keys()].sort())
        if (kind === 'once')
          expect([...world.effects.values()].every((count) => count === 1)).toBe(true)
        else expect(uncertain).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  function toScenario(
    steps: readonly (readonly string[])[],
    approve: boolean,
    isNative: boolean,
    kind: string,
  ): Scenario {
    const script: MockResponse[] = steps.map((seats, step) =>
      isNative
        ? {
            toolCalls: seats.map((seat, at) => ({
              id: `c${step}_${at}`,
              name: 'book',
              arguments: { seat, step, at },
            })),
          }
        : JSON.stringify({ type: 'tool_call', tool: 'book', args: { seat: seats[0], step } }),
    )
    return {
      reply: (messages) =>
        (script[messages.filter(({ role }) => role === 'assistant').length] as
          | string
          | undefined) ?? (isNative ? 'Done.' : '{"type": "final", "content": "Done."}'),
      request: (world) => ({
        query: 'Book.',
        mode: isNative ? 'native' : 'json',
        tools: [
          {
            ...defineTool({
              name: 'book',
              description: 'Books a seat',
              parameters: { type: 'object' },
              execute: ({ seat }, context) =>
                world.happen(context.run.idempotencyKey, `booked ${String(seat)}`),
            }),
            ...(kind === 'idempotent' && { idempotent: true }),
            ...(kind === 'readOnly' && { readOnly: true }),
          },
        ],
        ...(approve && {
          authorize: (asked) =>
            asked.type === 'tool_call' && asked.args['seat'] === '2B'
              ? { effect: 'require-approval' as const }
              : { effect: 'allow' as const },
        }),
      }),
    }
  }
})

describe('an awaited sink', () => {
  test('an awaited sink holds the stream of the model back until it has stored what it was given', async () => {
    let open = 0
    let most = 0
    const sink = {
      write: async () => {
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 1))
        open--
      },
    }
    const { result, of } = await run(['a text of several pieces, one after the other'], {
      observe: { sink },
    })
    ended(result, 'final')
    expect(of('text-delta').length).toBeGreaterThan(10)
    // The events before the first piece come at once; pieces come one by one.
    expect(most).toBeLessThan(5)
  })

  test('J2: an awaited sink that fails stops the run before the next effect', async () => {
    const executed: unknown[] = []
    const sink = {
      write: ({ type }: RunEvent) => {
        if (type === 'action-requested') throw new Error('disk full')
      },
    }
    const { result } = await run([calls('Rome'), 'x'], {
      observe: { sink },
      tools: [weather(({ city }) => executed.push(city))],
    })
    expect(ended(result, 'failed').error.message).toContain('disk full')
    expect(executed).toEqual([])
  })
})

describe('a budget over a resume', () => {
  test('J12: a budget over a resume continues with what was spent, and does not count the time between', () => {
    const clock = { ms: 0 }
    const now = (): number => clock.ms
    const ledger = new BudgetLedger({ maxRuntimeMs: 1000, maxSteps: 5 }, { now })
    ledger.reserveStep()
    ledger.reserveStep()
    clock.ms = 400
    const snapshot = JSON.parse(JSON.stringify(ledger.snapshot())) as ReturnType<
      BudgetLedger['snapshot']
    >
    clock.ms = 1_000_000
    const restored = new BudgetLedger(
      { maxRuntimeMs: 1000, maxSteps: 5 },
      { now, restored: snapshot },
    )
    expect(restored.remaining()).toMatchObject({ steps: 3, runtimeMs: 600 })
    clock.ms += 601
    expect(() => restored.checkTime()).toThrow('maxRuntimeMs')
  })
})
