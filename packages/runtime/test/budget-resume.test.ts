import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  BudgetLedger,
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  type RunJournal,
  type RunResult,
} from '../src/index.js'

type Suspended = Extract<RunResult, { status: 'suspended' }>

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill',
  parameters: { type: 'object', properties: { n: { type: 'number' } } },
  execute: () => 'paid',
})

/** A model that asks for one payment after the other, each of which waits for a person. */
function createShop() {
  let calls = 0
  const provider = createMock({
    defaultResponse: () => {
      calls++
      return { toolCalls: [{ name: 'pay', arguments: { n: calls } }] }
    },
  })
  const request = (budget: BudgetLedger): InferRequest => ({
    tools: [pay],
    authorize: () => ({ effect: 'require-approval' }),
    limits: { budget },
  })
  return {
    start: async (budget: BudgetLedger) =>
      infer(provider, { ...request(budget), query: 'Pay my bills' }),
    /** Approves what waits, as another process does: from JSON. */
    resume: async (run: Suspended, budget: BudgetLedger) => {
      const { transcript, checkpoint, pending } = JSON.parse(JSON.stringify(run)) as Suspended
      const decisions = pending.flatMap((item) =>
        item.type === 'approval'
          ? [{ type: 'approve' as const, id: item.id, digest: item.digest }]
          : [],
      )
      return infer(provider, {
        ...request(budget),
        messages: transcript,
        durable: { resume: checkpoint, decisions },
      })
    },
    get calls() {
      return calls
    },
  }
}

function suspended(result: RunResult): Suspended {
  if (result.status !== 'suspended') throw new Error(`the run ended as ${result.status}`)
  return result
}

type Spent = BudgetLedger['spent']

const counts = ({ calls, steps, toolCalls }: Spent): Partial<Spent> => ({
  calls,
  steps,
  toolCalls,
})

describe('a ledger given to a resumed run', () => {
  test('J12: a new ledger in each process counts on, and refuses what the run may not spend any more', async () => {
    const shop = createShop()
    const newLedger = (): BudgetLedger => new BudgetLedger({ maxCalls: 2 })
    const first = await shop.start(newLedger())
    const second = await shop.resume(suspended(first), newLedger())
    const third = await shop.resume(suspended(second), newLedger())
    expect(third).toMatchObject({
      status: 'budget',
      decision: { limit: 'maxCalls', observed: 3, maximum: 2 },
    })
    expect(shop.calls).toBe(2)
  })

  test('J12: the same ledger in the same process counts a resumed run once', async () => {
    const shop = createShop()
    const ledger = new BudgetLedger({ maxCalls: 10 })
    let run = await shop.start(ledger)
    for (let resumes = 0; resumes < 3; resumes++) run = await shop.resume(suspended(run), ledger)
    expect(counts(ledger.spent)).toEqual({ calls: 4, steps: 4, toolCalls: 3 })
    expect(shop.calls).toBe(4)
  })

  test('J12: a ledger above the given one counts a resumed run once too', async () => {
    const shop = createShop()
    const account = new BudgetLedger({ maxCalls: 10 })
    const first = await shop.start(account.child())
    await shop.resume(suspended(first), account.child({ maxCalls: 5 }))
    expect(counts(account.spent)).toEqual({ calls: 2, steps: 2, toolCalls: 1 })
  })

  test('J12: runs that share a ledger are each counted on in a new process', async () => {
    const shop = createShop()
    const before = new BudgetLedger({ maxCalls: 10 })
    const [one, other] = [await shop.start(before), await shop.start(before)]
    const ledger = new BudgetLedger({ maxCalls: 10 })
    await shop.resume(suspended(one), ledger)
    await shop.resume(suspended(other), ledger)
    expect(ledger.spent.calls).toBe(4)
  })

  test('J12: a ledger that was restored from the checkpoint, or from its own snapshot, counts nothing twice', async () => {
    const shop = createShop()
    const first = new BudgetLedger({ maxCalls: 10 })
    const run = suspended(await shop.start(first))
    for (const restored of [run.checkpoint.budget, first.snapshot()]) {
      const stored = JSON.parse(JSON.stringify(restored)) as typeof restored
      const ledger = new BudgetLedger({ maxCalls: 10 }, { restored: stored })
      await shop.resume(run, ledger)
      expect(ledger.spent.calls).toBe(2)
    }
  })

  test('J12: calls whose replies came from the journal are marked, so that sums over processes count them once', async () => {
    const journal = createMemoryJournal()
    let isCut = true
    const cut: RunJournal = {
      ...journal,
      writeIntent: (entry) => {
        if (isCut && entry.kind === 'tool') throw new Error('the process ended here')
        return journal.writeIntent(entry)
      },
    }
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'It is paid.'],
    })
    const budget = new BudgetLedger({ maxCalls: 10 })
    const request = { tools: [pay], limits: { budget } }
    const durable = { journal: cut, runId: 'r' }
    const first = await infer(provider, { ...request, query: 'Pay', durable })
    isCut = false
    const { messages, resume } = journal.load('r') ?? {}
    const second = await infer(provider, { ...request, messages, durable: { ...durable, resume } })
    expect([first.status, second.status]).toEqual(['failed', 'final'])
    const calls = [first, second].flatMap(({ metrics }) => metrics.calls)
    expect(calls.map(({ recorded }) => recorded)).toEqual([undefined, true, undefined])
    expect(provider.requests).toHaveLength(2)
    expect(budget.spent.calls).toBe(2)
  })

  test('a ledger keeps no account of a run that is over', async () => {
    const ledger = new BudgetLedger({ maxCalls: 10 })
    const provider = createMock({ defaultResponse: 'Hi' })
    await infer(provider, { query: 'Hi', limits: { budget: ledger } })
    expect(ledger.spent.calls).toBe(1)
    expect(ledger.snapshot()).not.toHaveProperty('runs')
  })
})
