import { LlmError, ProviderError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  type BudgetDecision,
  BudgetExceededError,
  BudgetLedger,
  type RunBudget,
} from '../src/index.js'

const call = { inputTokens: 100, maxOutputTokens: 50 }
const prices = { prices: { input: 3, output: 15 } }
const watched = (budget: RunBudget, parent?: BudgetLedger) => {
  const decisions: BudgetDecision[] = []
  const clock = { ms: 0 }
  const ledger = new BudgetLedger(budget, {
    ...(parent && { parent }),
    onDecision: (decision) => decisions.push(decision),
    now: () => clock.ms,
  })
  return { ledger, decisions, clock }
}
const decisionOf = (act: () => unknown): BudgetDecision => {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(LlmError)
    if (error instanceof BudgetExceededError) return error.decision
  }
  throw new Error('nothing was refused')
}

describe('inventory 1B.5 and 5.9: budget semantics', () => {
  test('max_llm_calls 1: the first call warns and is allowed, the second is refused before it', () => {
    const { ledger, decisions } = watched({ maxCalls: 1 })
    ledger.reserveCall(call).settle({ reported: true, inputTokens: 1, outputTokens: 1 })
    expect(decisions).toEqual([{ limit: 'maxCalls', effect: 'warn', observed: 1, maximum: 1 }])
    expect(decisionOf(() => ledger.reserveCall(call))).toEqual({
      limit: 'maxCalls',
      effect: 'deny',
      observed: 2,
      maximum: 1,
    })
    expect(decisions).toHaveLength(2)
    expect(ledger.spent).toMatchObject({ calls: 1 })
  })

  test.each<[keyof RunBudget, (ledger: BudgetLedger) => void]>([
    [
      'maxCalls',
      (ledger) => {
        ledger.reserveCall({ inputTokens: 1, maxOutputTokens: 1 })
      },
    ],
    [
      'maxToolCalls',
      (ledger) => {
        ledger.reserveToolCall()
      },
    ],
    [
      'maxSteps',
      (ledger) => {
        ledger.reserveStep()
      },
    ],
    [
      'maxInputTokens',
      (ledger) => {
        ledger
          .reserveCall({ inputTokens: 1, maxOutputTokens: 1 })
          .settle({ reported: true, outputTokens: 0 })
      },
    ],
    [
      'maxOutputTokens',
      (ledger) => {
        ledger
          .reserveCall({ inputTokens: 1, maxOutputTokens: 1 })
          .settle({ reported: true, outputTokens: 1 })
      },
    ],
  ])('%s: equal to the limit is allowed, one more is not; warned once, at 80 %%', (limit, take) => {
    const { ledger, decisions } = watched({ [limit]: 10 })
    for (let count = 1; count <= 10; count++) {
      take(ledger)
      expect(decisions).toEqual(
        count < 8 ? [] : [{ limit, effect: 'warn', observed: 8, maximum: 10 }],
      )
    }
    expect(decisionOf(() => take(ledger))).toEqual({
      limit,
      effect: 'deny',
      observed: 11,
      maximum: 10,
    })
    expect(decisionOf(() => take(ledger))).toMatchObject({ limit })
  })

  test('max_runtime_seconds (maxRuntimeMs): equal is allowed; deadlineMs is what is left', () => {
    const { ledger, decisions, clock } = watched({ maxRuntimeMs: 1000 })
    expect(ledger.reserveCall(call).deadlineMs).toBe(1000)
    clock.ms = 850
    expect(ledger.reserveCall(call).deadlineMs).toBe(150)
    expect(decisions).toEqual([
      { limit: 'maxRuntimeMs', effect: 'warn', observed: 850, maximum: 1000 },
    ])
    clock.ms = 1000
    ledger.reserveStep()
    clock.ms = 1000.5
    for (const act of [
      () => ledger.reserveStep(),
      () => ledger.reserveToolCall(),
      () => ledger.reserveCall(call),
    ])
      expect(decisionOf(act)).toMatchObject({ limit: 'maxRuntimeMs' })
    expect(ledger.remaining().runtimeMs).toBe(0)
  })

  test('inventory 4.2 P12: reported input counts, and maxCost is a limit', () => {
    const { ledger } = watched({ maxInputTokens: 1000 })
    ledger.reserveCall(call).settle({ reported: true, inputTokens: 960, outputTokens: 1 })
    // 960 spent, and 100 estimated: the server counted 9.6 times the estimate, of which four times
    // is believed.
    expect(decisionOf(() => ledger.reserveCall(call))).toMatchObject({
      limit: 'maxInputTokens',
      observed: 1360,
    })
    const money = watched({ maxCost: 0.001 }).ledger
    const reservation = money.reserveCall({ ...call, maxOutputTokens: 4096, profile: prices })
    expect(reservation.maxOutputTokens).toBe(46) // (0.001 - 0.0003) / 0.000015
    reservation.settle({ reported: true, inputTokens: 100, outputTokens: 46 })
    expect(money.spent.cost).toBe(0.00099)
    expect(decisionOf(() => money.reserveCall({ ...call, profile: prices }))).toMatchObject({
      limit: 'maxCost',
      maximum: 0.001,
    })
  })

  test('a refused candidate is not committed', () => {
    const { ledger } = watched({ maxInputTokens: 100, maxToolCalls: 0 })
    expect(() => ledger.reserveCall({ ...call, inputTokens: 101 })).toThrow(BudgetExceededError)
    expect(() => ledger.reserveToolCall()).toThrow(BudgetExceededError)
    expect(ledger.spent).toMatchObject({ calls: 0, inputTokens: 0, toolCalls: 0 })
    expect(ledger.remaining()).toMatchObject({ inputTokens: 100, toolCalls: 0 })
  })

  test('the error is typed, and an observer that throws is not asked again', () => {
    let asked = 0
    const ledger = new BudgetLedger(
      { maxSteps: 1 },
      {
        onDecision: () => {
          asked++
          throw new Error('observer')
        },
      },
    )
    ledger.reserveStep()
    expect(() => ledger.reserveStep()).toThrow(
      expect.objectContaining({
        name: 'BudgetExceededError',
        code: 'budget-exceeded',
        retryable: false,
      }),
    )
    expect(asked).toBe(1)
  })
})

describe('reservations', () => {
  test('reservations lower maxOutputTokens to what is left, and parallel calls share it', () => {
    const { ledger } = watched({ maxOutputTokens: 120 })
    const [first, second, third] = [
      ledger.reserveCall(call),
      ledger.reserveCall(call),
      ledger.reserveCall(call),
    ]
    expect([first.maxOutputTokens, second.maxOutputTokens, third.maxOutputTokens]).toEqual([
      50, 50, 20,
    ])
    expect(decisionOf(() => ledger.reserveCall(call))).toMatchObject({ limit: 'maxOutputTokens' })
    first.settle({ reported: true, outputTokens: 10 })
    expect(ledger.reserveCall(call).maxOutputTokens).toBe(40)
    second.release()
    expect(ledger.remaining().outputTokens).toBe(50)
  })

  test('reservations hold as many attempts as there is room for', () => {
    expect(watched({ maxCalls: 2 }).ledger.reserveCall({ ...call, attempts: 3 }).attempts).toBe(2)
    expect(
      watched({ maxInputTokens: 150 }).ledger.reserveCall({ ...call, attempts: 3 }).attempts,
    ).toBe(1)
    expect(
      watched({ maxOutputTokens: 149 }).ledger.reserveCall({ ...call, attempts: 3 }),
    ).toMatchObject({
      attempts: 2,
      maxOutputTokens: 50,
    })
    expect(watched({}).ledger.reserveCall({ ...call, attempts: 3 }).attempts).toBe(3)
  })

  test.each([
    [
      'a server that was never reached',
      new ProviderError('network', 'x', { provider: 'p', reason: 'refused' }),
      { calls: 2, inputTokens: 100, outputTokens: 5 },
    ],
    [
      'a refusal',
      new ProviderError('overloaded', 'x', { provider: 'p', status: 529 }),
      { calls: 2, inputTokens: 200, outputTokens: 5 },
    ],
    [
      'a cut answer',
      new ProviderError('truncated', 'x', { provider: 'p' }),
      { calls: 2, inputTokens: 200, outputTokens: 55 },
    ],
    ['something unknown', undefined, { calls: 2, inputTokens: 200, outputTokens: 55 }],
  ])('an attempt that failed with %s costs what it may have cost', (_, error, expected) => {
    for (const attempts of [1, 3]) {
      const { ledger } = watched({})
      const reservation = ledger.reserveCall({ ...call, attempts })
      reservation.retried(error)
      reservation.settle({ reported: true, inputTokens: 100, outputTokens: 5 })
      expect(ledger.spent).toMatchObject(expected)
    }
  })

  test('a further attempt there is no room for is refused', () => {
    const { ledger } = watched({ maxCalls: 2 })
    const reservation = ledger.reserveCall(call)
    reservation.retried()
    expect(decisionOf(() => reservation.retried())).toMatchObject({
      limit: 'maxCalls',
      observed: 3,
    })
    reservation.settle({ reported: false })
    expect(ledger.spent).toMatchObject({ calls: 2, inputTokens: 200, outputTokens: 100 })
    expect(ledger.remaining()).toMatchObject({ calls: 0 })
  })

  test('attempts that were never reported count in full', () => {
    const { ledger } = watched({})
    ledger
      .reserveCall({ ...call, attempts: 3 })
      .settle({ reported: true, inputTokens: 100, outputTokens: 5, attempts: 3 })
    expect(ledger.spent).toMatchObject({ calls: 3, inputTokens: 300, outputTokens: 105 })
  })

  test('what a server counts is believed only where it is more', () => {
    const { ledger } = watched({})
    ledger.reserveCall(call).settle({ reported: true, inputTokens: 1, outputTokens: Number.NaN })
    ledger.reserveCall(call).settle({ reported: true, inputTokens: -5, outputTokens: Infinity })
    expect(ledger.spent).toMatchObject({ inputTokens: 200, outputTokens: 100 })
    ledger
      .reserveCall(call)
      .settle({ reported: true, inputTokens: 1_000_000, outputTokens: 1_000_000 })
    expect(ledger.spent).toMatchObject({ inputTokens: 1_000_200, outputTokens: 1_000_100 })
  })

  test.each([
    [
      'a refusal',
      new ProviderError('auth', 'x', { provider: 'p', status: 401 }),
      { inputTokens: 100, outputTokens: 0 },
    ],
    [
      'a cut after some text',
      new ProviderError('truncated', 'x', { provider: 'p' }),
      { inputTokens: 100, outputTokens: 50 },
    ],
    [
      'a server that was never reached',
      new ProviderError('network', 'x', { provider: 'p', reason: 'dns' }),
      { inputTokens: 0, outputTokens: 0 },
    ],
    ["an abort of the caller's own", new Error('enough'), { inputTokens: 100, outputTokens: 7 }],
  ])('a call that ended with %s costs what it may have cost', (_, error, expected) => {
    const { ledger } = watched({})
    ledger
      .reserveCall(call)
      .settle({ reported: false, outputTokens: expected.outputTokens === 0 ? 0 : 7, error })
    expect(ledger.spent).toMatchObject({ calls: 1, ...expected })
  })

  test('settling or releasing twice changes nothing', () => {
    const { ledger } = watched({ maxCalls: 5 })
    const reservation = ledger.reserveCall(call)
    reservation.settle({ reported: true, outputTokens: 1 })
    reservation.settle({ reported: true, outputTokens: 9 })
    reservation.release()
    reservation.retried()
    expect(reservation.admits(1)).toBe(false)
    expect(ledger.spent).toMatchObject({ calls: 1, outputTokens: 1 })
    expect(ledger.remaining().calls).toBe(4)
  })

  test('a reservation admits half as much again while there is room, and takes it', () => {
    const free = watched({}).ledger.reserveCall(call)
    expect([50, 51, 75, 76].map((tokens) => free.admits(tokens))).toEqual([true, true, true, false])
    const { ledger } = watched({ maxOutputTokens: 60 })
    const tight = ledger.reserveCall(call)
    expect([60, 61].map((tokens) => tight.admits(tokens))).toEqual([true, false])
    expect(ledger.remaining().outputTokens).toBe(0)
    tight.settle({ reported: false, outputTokens: 60 })
    expect(ledger.spent.outputTokens).toBe(60)
  })

  test('a reply that money cut short is refused with the limit of money, as no limit of tokens was set', () => {
    const { ledger } = watched({ maxCost: 0.0001 })
    const profile = { prices: { input: 0, output: 10 } }
    const reservation = ledger.reserveCall({ ...call, maxOutputTokens: 50, profile })
    expect([reservation.maxOutputTokens, reservation.admits(11)]).toEqual([10, false])
    expect(reservation.refusalOf(11)).toEqual({
      ...{ limit: 'maxCost', effect: 'deny', observed: 0.00011, maximum: 0.0001 },
    })
    const tokens = watched({ maxOutputTokens: 10 }).ledger.reserveCall(call)
    expect(tokens.refusalOf(11)).toMatchObject({ limit: 'maxOutputTokens', observed: 11 })
  })
})

describe('nested runs', () => {
  test('nested runs pay in every ledger above, and are refused by any of them', () => {
    const parent = watched({ maxCalls: 2, maxToolCalls: 1 })
    const child = watched({ maxCalls: 5 }, parent.ledger)
    child.ledger.reserveCall(call).settle({ reported: true, outputTokens: 1 })
    child.ledger.reserveToolCall()
    parent.ledger.reserveCall(call)
    expect(decisionOf(() => child.ledger.reserveCall(call))).toEqual({
      limit: 'maxCalls',
      effect: 'deny',
      observed: 3,
      maximum: 2,
    })
    expect(() => child.ledger.reserveToolCall()).toThrow(BudgetExceededError)
    expect([child.ledger.spent.calls, parent.ledger.spent.calls]).toEqual([1, 1])
    expect(child.ledger.remaining()).toMatchObject({ calls: 0, toolCalls: 0, steps: Infinity })
    // The parent's limit is reported to both, the child's warnings to the child only.
    expect(child.decisions.filter(({ effect }) => effect === 'deny')).toHaveLength(2)
    expect(parent.decisions.filter(({ effect }) => effect === 'deny')).toHaveLength(2)
  })

  test('nested runs take from all or from none', () => {
    const parent = new BudgetLedger({ maxInputTokens: 50 })
    const child = parent.child({ maxInputTokens: 1000 })
    expect(() => child.reserveCall(call)).toThrow(BudgetExceededError)
    expect(child.remaining().inputTokens).toBe(50)
    expect(new BudgetLedger({}, { parent: child }).remaining().inputTokens).toBe(50)
    expect(child.spent).toMatchObject({ calls: 0, inputTokens: 0 })
  })
})

describe('misuse is a config error that says what is wrong', () => {
  test.each<[string, () => unknown]>([
    ['maxCalls', () => new BudgetLedger({ maxCalls: -1 })],
    ['maxCost', () => new BudgetLedger({ maxCost: Number.NaN })],
    ['maxTokens', () => new BudgetLedger({ maxTokens: 5 } as RunBudget)],
    ['prices', () => new BudgetLedger({ maxCost: 1 }).reserveCall(call)],
    [
      'inputTokens',
      () => new BudgetLedger({}).reserveCall({ inputTokens: Number.NaN, maxOutputTokens: 1 }),
    ],
    [
      'maxOutputTokens',
      () => new BudgetLedger({}).reserveCall({ inputTokens: 1, maxOutputTokens: 0 }),
    ],
    [
      'EUR',
      () => {
        const ledger = new BudgetLedger({ maxCost: 1 })
        ledger.reserveCall({ ...call, profile: prices })
        ledger.reserveCall({ ...call, profile: { prices: { ...prices.prices, currency: 'EUR' } } })
      },
    ],
  ])('misuse is a config error that says what is wrong: %s', (named, act) => {
    expect(act).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining(named) as string,
      }),
    )
  })
})

test.each([-1e9, NaN, Infinity])(
  'a price of %d is refused: it would make a limit of cost endless',
  (price) => {
    const ledger = new BudgetLedger({ maxCost: 1 })
    const profile = { prices: { input: price, output: 1 } }
    expect(() => ledger.reserveCall({ ...call, profile })).toThrow(
      `profile.prices.input must be a number of at least 0, not ${price}`,
    )
  },
)

test.each([NaN, -1, Infinity, '5', undefined])(
  'a snapshot whose time is %s is refused',
  (elapsedMs) => {
    const restored = { spent: {}, elapsedMs: elapsedMs as number, warned: [] }
    expect(() => new BudgetLedger({ maxRuntimeMs: 1000 }, { restored })).toThrow(
      'restored must be a snapshot of a ledger',
    )
  },
)
