// A process that spends one budget until it is refused: plain runs, durable runs and a plain
// provider, one after the other, several at a time. Everything that reaches the vendor is counted
// by the probe.
import { randomUUID } from 'node:crypto'
import { createMock } from '@modelport/provider-mock'
import { BudgetExceededError, infer, withBudget } from '@modelport/runtime'
import { openPostgresStore } from '../../src/postgres/postgres.js'
import { openSqliteStore } from '../../src/sqlite/sqlite.js'

const [address = '', wire = '', owner = '', maxCost = ''] = process.argv.slice(2)
const store = address.startsWith('postgres')
  ? await openPostgresStore(address)
  : await openSqliteStore(address)

/** A vendor whose every request is counted elsewhere, and costs what that says. */
const provider = createMock({
  defaultResponse: async function* ({ options: { maxTokens = 0 } }) {
    const response = await fetch(`${wire}/call?max=${maxTokens}`)
    const usage = (await response.json()) as { inputTokens: number; outputTokens: number }
    yield { text: 'Hi', usage, finish: 'stop' as const }
  },
})
const profile = { prices: { input: 1, output: 1 } }
const ledgerOf = () =>
  store.budgets.of(owner, { window: 'none', maxCost: Number(maxCost) }, { waitMs: 500 })
const optionsOf = () => ({ maxTokens: 16 + Math.floor(Math.random() * 100) })

interface Outcome {
  readonly status: string
  readonly decision?: unknown
}

const doors: readonly (() => Promise<Outcome>)[] = [
  () =>
    infer(provider, {
      query: 'Hello',
      options: optionsOf(),
      limits: { budget: ledgerOf(), profile },
    }),
  () =>
    store.runs.run(randomUUID(), (run) =>
      infer(
        provider,
        run.request({
          query: 'Hello',
          options: optionsOf(),
          limits: { budget: ledgerOf(), profile },
        }),
      ),
    ),
  async () => {
    try {
      await withBudget(provider, ledgerOf(), { profile }).complete('Hello', optionsOf())
      return { status: 'final' }
    } catch (error) {
      if (error instanceof BudgetExceededError)
        return { status: 'budget', decision: error.decision }
      throw error
    }
  },
]

async function spend(from: number): Promise<void> {
  for (let call = from; ; call++) {
    const outcome = await doors[call % doors.length]?.()
    if (outcome?.status === 'final') continue
    await fetch(`${wire}/end`, { method: 'POST', body: JSON.stringify(outcome) })
    return
  }
}

await Promise.all([0, 1, 2, 3].map(spend))
await store.close()
process.exit(0)
