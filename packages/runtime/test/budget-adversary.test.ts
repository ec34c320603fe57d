import { isLlmError, LlmError, ProviderError } from '@modelport/core'
import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { randomBelow } from '../../../test/support/seed.js'
import type { CallReservation } from '../src/budget/call-reservation.js'
import { BudgetLedger, type RunBudget } from '../src/index.js'

/** What really happened, of a run and all it started: counted by the server, not by the ledger. */
interface Truth {
  calls: number
  inputTokens: number
  outputTokens: number
  toolCalls: number
  steps: number
  readonly parent?: Truth
}
const nothing = (parent?: Truth): Truth => ({
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  toolCalls: 0,
  steps: 0,
  ...(parent && { parent }),
})
const happened = (
  truth: Truth | undefined,
  name: Exclude<keyof Truth, 'parent'>,
  amount = 1,
): void => {
  for (let each = truth; each; each = each.parent) each[name] += amount
}

const profile = { prices: { input: 3, output: 15 } }
type Wait = () => Promise<void>

interface World {
  readonly random: (below: number) => number
  readonly wait: Wait
  readonly ends: Map<string, number>
}

/** Makes one token when it is read, as many as it likes; fails, hides, miscounts. */
function* answer(
  truth: Truth,
  maxTokens: number,
  { random }: World,
): Generator<void, { input: number; output: number; reported: boolean }> {
  const kind = random(6)
  const length = kind === 0 ? maxTokens + 1 + random(400) : random(maxTokens + 1)
  for (let token = 0; token < length; token++) {
    happened(truth, 'outputTokens')
    yield
  }
  if (kind === 1) return { input: 0, output: 0, reported: false }
  if (kind === 2) return { input: 1, output: 0, reported: true }
  if (kind === 3) return { input: random(5000), output: random(5000), reported: true }
  return { input: 0, output: length, reported: true }
}

/** Attempts until one answers, as the driver makes them. */
async function request(
  truth: Truth,
  input: number,
  reservation: CallReservation,
  world: World,
): Promise<ReturnType<typeof answer>> {
  for (let attempt = 1; ; attempt++) {
    await world.wait()
    const fate = world.random(8)
    const failure =
      fate === 0
        ? new ProviderError('network', 'x', { provider: 'p', reason: 'refused' })
        : fate === 1
          ? new ProviderError('overloaded', 'x', { provider: 'p', status: 529 })
          : fate === 2
            ? new ProviderError('truncated', 'x', { provider: 'p' })
            : undefined
    happened(truth, 'calls')
    if (fate !== 0) happened(truth, 'inputTokens', input)
    // Thought without a word, and lost the connection.
    if (fate === 2) happened(truth, 'outputTokens', world.random(reservation.maxOutputTokens + 1))
    if (!failure) return answer(truth, reservation.maxOutputTokens, world)
    reservation.retried(failure)
    if (attempt === 5) throw failure
  }
}

async function modelCall(ledger: BudgetLedger, truth: Truth, world: World): Promise<void> {
  const { random, wait } = world
  const input = 1 + random(300)
  // The estimate errs high, the prompt is as long as it is.
  const reservation = ledger.reserveCall({
    inputTokens: input + random(50),
    maxOutputTokens: 1 + random(120),
    attempts: 1 + random(3),
    profile,
  })
  let seen = 0
  try {
    const body = await request(truth, input, reservation, world)
    for (;;) {
      if (!reservation.admits(seen + 1)) {
        reservation.settle({ reported: false, outputTokens: seen })
        return
      }
      const { done, value } = body.next()
      if (random(20) === 0) await wait()
      if (done) {
        reservation.settle({
          reported: value.reported,
          inputTokens: value.input,
          outputTokens: Math.max(seen, value.output),
        })
        return
      }
      seen++
      if (random(300) === 0) throw new LlmError('network', 'cut in the middle')
    }
  } catch (error) {
    // Broken off: what was not seen may still have been made.
    reservation.settle({ reported: false, error, outputTokens: seen })
    throw error
  }
}

async function run(ledger: BudgetLedger, truth: Truth, depth: number, world: World): Promise<void> {
  const { random, wait, ends } = world
  for (let step = 0; step < 6; step++) {
    try {
      ledger.reserveStep()
      happened(truth, 'steps')
      await modelCall(ledger, truth, world)
      const calls = Array.from({ length: random(4) }, async () => {
        await wait()
        ledger.reserveToolCall()
        happened(truth, 'toolCalls')
        if (depth > 0 && random(2) === 0) await nested(ledger, truth, depth - 1, world)
      })
      await Promise.allSettled(calls)
    } catch (error) {
      const code = isLlmError(error) ? error.code : String(error)
      ends.set(code, (ends.get(code) ?? 0) + 1)
      if (code === 'budget-exceeded') return
    }
  }
}

async function nested(
  parent: BudgetLedger,
  truth: Truth,
  depth: number,
  world: World,
): Promise<void> {
  const budget: RunBudget = world.random(2)
    ? {}
    : { maxOutputTokens: 1 + world.random(300), maxCalls: 1 + world.random(4) }
  const own = nothing(truth)
  const ledger = parent.child(budget)
  await run(ledger, own, depth, world)
  expectWithin(budget, own)
  expect(own.outputTokens).toBeLessThanOrEqual(ledger.spent.outputTokens)
}

function expectWithin(budget: RunBudget, truth: Truth): void {
  expect(truth.calls).toBeLessThanOrEqual(budget.maxCalls ?? Infinity)
  expect(truth.inputTokens).toBeLessThanOrEqual(budget.maxInputTokens ?? Infinity)
  expect(truth.outputTokens).toBeLessThanOrEqual(budget.maxOutputTokens ?? Infinity)
  expect(truth.toolCalls).toBeLessThanOrEqual(budget.maxToolCalls ?? Infinity)
  expect(truth.steps).toBeLessThanOrEqual(budget.maxSteps ?? Infinity)
  expect((truth.inputTokens * 3 + truth.outputTokens * 15) / 1e6).toBeLessThanOrEqual(
    (budget.maxCost ?? Infinity) + 1e-12,
  )
}

const limit = (most: number) =>
  fc.option(fc.integer({ min: 0, max: most }), { nil: undefined, freq: 2 })

test('overshoot is 0 over 1,000 random schedules: no usage, lies, endless replies, retries, parallel tools, nested runs', async () => {
  const ends = new Map<string, number>()
  const totals = nothing()
  const used: number[] = []
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        maxCalls: limit(12),
        maxInputTokens: limit(3000),
        maxOutputTokens: limit(900),
        maxToolCalls: limit(10),
        maxSteps: limit(12),
        maxCost: fc.option(
          fc.integer({ min: 0, max: 20 }).map((thousandths) => thousandths / 1000),
          { nil: undefined, freq: 2 },
        ),
      }),
      fc.integer(),
      fc.scheduler(),
      async (limits, seed, scheduler) => {
        const budget = Object.fromEntries(
          Object.entries(limits).filter(([, value]) => value !== undefined),
        ) as RunBudget
        const ledger = new BudgetLedger(budget)
        const truth = nothing()
        const world: World = {
          random: randomBelow(seed),
          ends,
          wait: () => scheduler.schedule(Promise.resolve()),
        }
        // Two runs share one ledger, each starts others.
        await scheduler.waitFor(
          Promise.all([run(ledger, truth, 2, world), run(ledger, truth, 1, world)]),
        )
        expectWithin(budget, truth)
        for (const name of [
          'calls',
          'inputTokens',
          'outputTokens',
          'toolCalls',
          'steps',
        ] as const) {
          expect(truth[name]).toBeLessThanOrEqual(ledger.spent[name])
          totals[name] += truth[name]
        }
        if (budget.maxOutputTokens) used.push(truth.outputTokens / budget.maxOutputTokens)
        // Nothing stays held: what is left is what was not spent.
        if (budget.maxCalls !== undefined)
          expect(ledger.remaining().calls).toBe(budget.maxCalls - ledger.spent.calls)
      },
    ),
    { numRuns: 1000 },
  )
  // It was a fight: budgets did run out, and were used before.
  expect(ends.get('budget-exceeded')).toBeGreaterThan(1000)
  expect(totals.calls).toBeGreaterThan(3000)
  expect(used.filter((share) => share > 0.9).length).toBeGreaterThan(20)
})
