import { LlmError, type Provider, ProviderError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import {
  type BudgetCharge,
  BudgetExceededError,
  infer,
  type SharedBudgets,
  type SharedLimits,
} from '@modelport/runtime'
import { expect } from 'vitest'

/** A case that every store of shared budgets passes. */
export interface BudgetCase {
  readonly title: string
  run(budgets: SharedBudgets): Promise<void>
}

let count = 0

const chargeOf = (
  owner: string,
  limits: SharedLimits | readonly SharedLimits[],
  amounts: Partial<BudgetCharge['amounts']> = {},
  waitMs = 0,
): BudgetCharge => ({
  id: `charge ${++count}`,
  owners: [{ owner, limits: [limits].flat() }],
  amounts: { calls: 1, tokens: 10, cost: 0, ...amounts },
  waitMs,
})

const refusalOf = async (work: Promise<unknown>): Promise<BudgetExceededError> => {
  const error: unknown = await work.then(
    () => 'it was not refused',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BudgetExceededError)
  return error as BudgetExceededError
}

const modelOf = (): Provider =>
  createMock({ defaultResponse: 'Hi', usage: { inputTokens: 10, outputTokens: 5 } })

const prices = { input: 1000, output: 1000 }

export const budgetCases: readonly BudgetCase[] = [
  {
    title: 'a call takes its room, and gives back what it did not use',
    run: async (budgets) => {
      const charge = chargeOf('ada', { maxTokens: 100 }, { tokens: 60 })
      await budgets.reserve(charge)
      const [before] = await budgets.list('ada')
      expect(before).toMatchObject({ used: { tokens: 60, calls: 1 }, reserved: { tokens: 60 } })
      await budgets.settle({ id: charge.id, amounts: { calls: 1, tokens: 25 } })
      const [after] = await budgets.list('ada')
      expect(after).toMatchObject({ used: { tokens: 25, calls: 1 }, reserved: { tokens: 0 } })
      // Once: a second settlement changes nothing.
      await budgets.settle({ id: charge.id, amounts: { calls: 0, tokens: 0 } })
      expect(await budgets.list('ada')).toEqual([after])
    },
  },
  {
    title: 'exactly the limit may be used, and what does not fit is refused by name',
    run: async (budgets) => {
      const limits = { window: 'day', timeZone: 'Europe/Rome', maxCalls: 2 } as const
      for (const _ of [1, 2]) {
        const charge = chargeOf('bob', limits)
        await budgets.reserve(charge)
        await budgets.settle({ id: charge.id, amounts: charge.amounts })
      }
      const { decision, message } = await refusalOf(budgets.reserve(chargeOf('bob', limits)))
      expect(decision).toMatchObject({
        limit: 'maxCalls',
        observed: 3,
        maximum: 2,
        budget: { owner: 'bob', window: 'day' },
      })
      expect(message).toMatch(
        /^the budget of "bob" for a day: maxCalls would be 3, the limit is 2; its window ends at \d{4}-/,
      )
    },
  },
  {
    title: 'a budget of several windows takes from all of them or from none',
    run: async (budgets) => {
      const limits = [
        { window: 'hour', maxTokens: 1000 },
        { window: 'month', maxTokens: 50 },
      ] as const
      await refusalOf(budgets.reserve(chargeOf('cleo', limits, { tokens: 60 })))
      const states = await budgets.list('cleo')
      expect(states.map(({ used }) => used.tokens)).toEqual([0, 0])
    },
  },
  {
    title: 'a call that only others keep out waits for them, and is told apart if they do not end',
    run: async (budgets) => {
      const limits = { maxCalls: 1 }
      const first = chargeOf('dan', limits)
      await budgets.reserve(first)
      const { decision } = await refusalOf(budgets.reserve(chargeOf('dan', limits, {}, 20)))
      expect(decision.budget).toMatchObject({ owner: 'dan', reserved: 1 })

      const waiting = budgets.reserve(chargeOf('dan', limits, {}, 60_000))
      await budgets.settle({ id: first.id, amounts: { calls: 0, tokens: 0 } })
      await waiting
    },
  },
  {
    title: 'calls that wait are served in their order',
    run: async (budgets) => {
      const limits = { maxCalls: 1 }
      const first = chargeOf('eve', limits)
      await budgets.reserve(first)
      const order: number[] = []
      const work = async (index: number): Promise<void> => {
        const charge = chargeOf('eve', limits, {}, 60_000)
        await budgets.reserve(charge)
        order.push(index)
        await budgets.settle({ id: charge.id, amounts: { calls: 0, tokens: 0 } })
      }
      const all: Promise<void>[] = []
      for (const index of [1, 2, 3, 4]) {
        all.push(work(index))
        // Each has its place before the next asks.
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      await budgets.settle({ id: first.id, amounts: { calls: 0, tokens: 0 } })
      await Promise.all(all)
      expect(order).toEqual([1, 2, 3, 4])
    },
  },
  {
    title: 'a signal ends the wait, and leaves no place behind',
    run: async (budgets) => {
      const limits = { maxCalls: 1 }
      const first = chargeOf('finn', limits)
      await budgets.reserve(first)
      const controller = new AbortController()
      const waiting = budgets.reserve(chargeOf('finn', limits, {}, 60_000), controller.signal)
      controller.abort(new Error('enough'))
      await expect(waiting).rejects.toThrow('enough')
      await budgets.settle({ id: first.id, amounts: { calls: 0, tokens: 0 } })
      await budgets.reserve(chargeOf('finn', limits))
    },
  },
  {
    title: 'limits of an operator hold instead of those of the program, until they are removed',
    run: async (budgets) => {
      await budgets.reserve(chargeOf('gil', { window: 'day', maxCalls: 10 }))
      expect(await budgets.list('gil')).toMatchObject([{ setBy: 'program', maxCalls: 10 }])
      await budgets.set('gil', { window: 'day', maxCalls: 1 })
      expect(await budgets.list('gil')).toMatchObject([
        { setBy: 'operator', maxCalls: 1, used: { calls: 1 } },
      ])
      await refusalOf(budgets.reserve(chargeOf('gil', { window: 'day', maxCalls: 10 })))
      await budgets.topUp('gil', 'day', { calls: 1 })
      await budgets.reserve(chargeOf('gil', { window: 'day', maxCalls: 10 }))
      await refusalOf(budgets.reserve(chargeOf('gil', { window: 'day', maxCalls: 10 })))
      await budgets.remove('gil', 'day')
      await budgets.reserve(chargeOf('gil', { window: 'day', maxCalls: 10 }))
      expect(await budgets.list('gil')).toMatchObject([{ setBy: 'program', used: { calls: 1 } }])
    },
  },
  {
    title:
      'limits of everybody hold for each owner without own limits of an operator, until they are removed',
    run: async (budgets) => {
      const window = 'day'
      await budgets.set('*', { window, maxCalls: 1 })
      await budgets.set('vip', { window, maxCalls: 2 })
      const call = async (owner: string, limits: readonly SharedLimits[] = []) => {
        const charge = chargeOf(owner, limits)
        await budgets.reserve(charge)
        await budgets.settle({ id: charge.id, amounts: charge.amounts })
      }
      // Each of them has one call, whatever the program allows.
      await call('one')
      await call('two', [{ window, maxCalls: 9 }])
      const refusal = await refusalOf(call('two', [{ window, maxCalls: 9 }]))
      expect(refusal.decision).toMatchObject({ limit: 'maxCalls', budget: { owner: 'two' } })
      await call('vip')
      await call('vip')
      expect(await budgets.list()).toMatchObject([
        { owner: '*', setBy: 'operator', maxCalls: 1, used: { calls: 0 } },
        { owner: 'one', setBy: 'default', maxCalls: 1, used: { calls: 1 } },
        { owner: 'two', setBy: 'default', maxCalls: 1, used: { calls: 1 } },
        { owner: 'vip', setBy: 'operator', maxCalls: 2, used: { calls: 2 } },
      ])

      await budgets.set('*', { window, maxCalls: 2 })
      await call('one')
      await budgets.remove('*', window)
      await call('one')
      expect((await budgets.list('one'))[0]).toMatchObject({ setBy: 'program', used: { calls: 3 } })
      await call('two', [{ window, maxCalls: 2 }])
      expect((await budgets.list('two'))[0]).toMatchObject({ setBy: 'program', maxCalls: 2 })
      expect(() => budgets.of('*')).toThrow('"*" names the limits of all owners')
      await expect(budgets.topUp('*', window, { calls: 1 })).rejects.toThrow('top up an owner')
    },
  },
  {
    title: 'a reply is made no longer than what is left, and what is left can be asked for',
    run: async (budgets) => {
      const sent: (number | undefined)[] = []
      const provider = createMock({
        defaultResponse: ({ options }) => {
          sent.push(options.maxTokens)
          return 'Hi'
        },
        usage: { inputTokens: 10, outputTokens: 20 },
      })
      const budget = budgets.of('short', { maxTokens: 100, maxCost: 1 }, { waitMs: 0 })
      expect(budget.remaining()).toMatchObject({ outputTokens: Infinity, cost: Infinity })
      const limits = { budget, profile: { prices } }
      const ask = () => infer(provider, { query: 'Hello', limits, options: { maxTokens: 4000 } })
      expect(await ask()).toMatchObject({ status: 'final' })
      expect(await ask()).toMatchObject({ status: 'final' })
      const [first = 0, second = 0] = sent
      // All but the estimate of the prompt.
      expect(first).toBeGreaterThan(50)
      expect(first).toBeLessThan(100)
      // The first call used 30.
      expect(first - second).toBe(30)
      expect(budget.remaining()).toMatchObject({ outputTokens: 70, calls: Infinity, cost: 0.97 })
      const last = await infer(provider, { query: 'Hello '.repeat(100), limits })
      expect(last).toMatchObject({ status: 'budget', decision: { budget: { owner: 'short' } } })
    },
  },
  {
    title: 'a program that changes its limits changes the budget, and keeps what was used',
    run: async (budgets) => {
      await budgets.reserve(chargeOf('hal', { maxCalls: 2 }))
      await budgets.reserve(chargeOf('hal', { maxCalls: 5 }))
      expect(await budgets.list('hal')).toMatchObject([{ maxCalls: 5, used: { calls: 2 } }])
    },
  },
  {
    title: 'money is counted in whole billionths, so that sums are exact',
    run: async (budgets) => {
      for (let call = 0; call < 10; call++)
        await budgets.reserve(chargeOf('ida', { maxCost: 1 }, { cost: 100_000_000 }))
      expect(await budgets.list('ida')).toMatchObject([{ used: { cost: 1 }, maxCost: 1 }])
      await refusalOf(budgets.reserve(chargeOf('ida', { maxCost: 1 }, { cost: 1 })))
    },
  },
  {
    title: 'a call without a known price is refused where money is limited, and says what to write',
    run: async (budgets) => {
      const { cost: _, ...amounts } = chargeOf('jo', {}).amounts
      const charge = { ...chargeOf('jo', { maxCost: 1 }), amounts }
      await expect(budgets.reserve(charge)).rejects.toThrow(
        'the budget of "jo" limits money, and the call has no known price in US dollars; give a profile with prices',
      )
    },
  },
  {
    title: 'many calls at once never take more than the limit, and all of it is used',
    run: async (budgets) => {
      const limits = { maxCalls: 20 }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, () => budgets.reserve(chargeOf('kim', limits))),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
      expect(await budgets.list('kim')).toMatchObject([{ used: { calls: 20 } }])
    },
  },
  {
    title: 'infer takes a ledger of an owner, and ends as budget when it is spent',
    run: async (budgets) => {
      const provider = modelOf()
      const ask = () =>
        infer(provider, {
          query: 'Hello',
          options: { maxTokens: 10 },
          limits: {
            budget: budgets.of('lee', { window: 'day', maxCalls: 2 }),
            profile: { prices },
          },
        })
      expect(await ask()).toMatchObject({ status: 'final', text: 'Hi' })
      expect(await budgets.list('lee')).toMatchObject([
        { used: { calls: 1, tokens: 15, cost: 0.015 }, reserved: { calls: 0 } },
      ])
      expect((await ask()).status).toBe('final')
      expect(await ask()).toMatchObject({
        status: 'budget',
        decision: { limit: 'maxCalls', budget: { owner: 'lee', window: 'day' } },
        message: expect.stringContaining('the budget of "lee" for a day') as string,
      })
    },
  },
  {
    title: 'a child of the ledger has limits of its own besides',
    run: async (budgets) => {
      const ledger = budgets.of(
        { issuer: 'https://login.example', subject: 'mia' },
        { maxCalls: 9 },
      )
      const limits = { budget: ledger.child({ maxCalls: 0 }) }
      const result = await infer(modelOf(), { query: 'Hello', limits })
      expect(result).toMatchObject({ status: 'budget', decision: { maximum: 0 } })
      await infer(modelOf(), { query: 'Hello', limits: { budget: ledger.child() } })
      expect(await budgets.list()).toMatchObject([
        { owner: '["https://login.example","mia"]', used: { calls: 1 } },
      ])
    },
  },
  {
    title: 'a call that never started is given back, and each retry is paid for',
    run: async (budgets) => {
      const limits = { maxCalls: 10 }
      const provider = createMock({
        responses: [
          { error: new ProviderError('server', 'busy', { provider: 'mock', status: 500 }) },
          'Hi',
        ],
        defaults: { retry: { attempts: 2 } },
      })
      await infer(provider, { query: 'Hello', limits: { budget: budgets.of('nia', limits) } })
      expect(await budgets.list('nia')).toMatchObject([
        { used: { calls: 2 }, reserved: { calls: 0 } },
      ])
      const refusing = createMock({
        responses: [{ error: new LlmError('unsupported', 'the API has no such option') }],
      })
      const refused = { budget: budgets.of('oli', limits) }
      expect(await infer(refusing, { query: 'Hello', limits: refused })).toMatchObject({
        status: 'failed',
      })
      expect(await budgets.list('oli')).toMatchObject([{ used: { calls: 0, tokens: 0 } }])
    },
  },
  {
    title: 'bad input is refused by name before anything is stored',
    run: async (budgets) => {
      expect(() => budgets.of('', { maxCalls: 1 })).toThrow(
        'the owner must be a principal or a text',
      )
      expect(() => budgets.of('a', { maxCalls: -1 })).toThrow('maxCalls must be a number from 0 to')
      expect(() => budgets.of('a', { maxCost: Number.NaN })).toThrow('maxCost must be a number')
      expect(() => budgets.of('a', { window: 'week' as 'day' })).toThrow(
        'there is no window "week"; it is one of minute, hour, day, month, none',
      )
      expect(() => budgets.of('a', { timeZone: 'Mars/Base' })).toThrow(
        'there is no time zone "Mars/Base"',
      )
      expect(() => budgets.of('a', { maxCall: 1 } as object)).toThrow('maxCall')
      await expect(budgets.set('', { maxCalls: 1 })).rejects.toThrow('the owner must be')
      await expect(budgets.topUp('nobody', 'day', { calls: 1 })).rejects.toThrow(
        '"nobody" has no budget with the window day',
      )
      expect(await budgets.list()).toEqual([])
    },
  },
]
