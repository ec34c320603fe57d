// Two processes in a row end at each of their writes in turn, before or after its commit; a third one continues, and nothing is lost or doubled.
import { type ChatMessage, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { infer, type InferRequest, type RunResult } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import type { RunFunction } from '../src/runs/execute-run.js'
import { openSqliteDatabase } from '../src/sqlite/sqlite.js'
import { forEachCut, World } from './cuts/world.js'
import { emptyDatabases } from './support/databases.js'
import { dyingDatabase } from './support/dying-database.js'

const replies = (messages: readonly ChatMessage[]): number => messages.filter(({ role }) => role === 'assistant').length
const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({
  id: `call-${name}`,
  name,
  arguments: args,
})

interface Scenario {
  /** The replies of the model, in order; then it is done. */
  readonly script: readonly (readonly ReturnType<typeof call>[])[]
  /** Effects in an uncut run. */
  readonly effects: number
  request(world: World): InferRequest
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'two parallel tools, then an approval': {
    script: [[call('once'), call('again')], [call('pay')]],
    effects: 3,
    request: (world) => ({
      query: 'Go.',
      tools: [world.tool('once'), world.tool('again', true), world.tool('pay')],
      authorize: (action) =>
        action.type === 'tool_call' && action.tool === 'pay' ? { effect: 'require-approval' } : { effect: 'allow' },
    }),
  },
  'a compaction, then a sub-agent': {
    script: [[call('delegate_to_agent', { agent: 'clerk', prompt: 'file it' })]],
    effects: 1,
    request: (world) => ({
      messages: Array.from({ length: 30 }, (_, index): ChatMessage => ({ role: 'user', content: `Wish ${index}` })),
      compaction: { strategy: 'recent', maxMessages: 8 },
      agents: [
        {
          name: 'clerk',
          description: 'Files things',
          call: (_request, { run }) => Promise.resolve(world.happen(`clerk ${run.idempotencyKey}`)),
        },
      ],
    }),
  },
}

const functionOf =
  ({ script, request }: Scenario, world: World): RunFunction =>
  (run) => {
    const model = createMock({
      defaultResponse: ({ messages }) => {
        if (messages.length > 20) return { error: 'context-length' }
        const toolCalls = script[replies(messages)]
        return toolCalls ? { toolCalls } : 'Done.'
      },
    })
    return infer(model, run.request(request(world)))
  }

/** Runs to the end; approves what waits, and says of uncertain calls what the world has seen. */
async function complete(store: DurableStore, id: string, execute: RunFunction, world: World): Promise<RunResult> {
  for (;;) {
    const result = await store.runs.run(id, execute)
    if (result.status !== 'suspended') return result
    for (const item of result.pending) {
      if (item.type === 'uncertain') world.report(item.idempotencyKey)
      await store.runs.decide(id, world.decide(item)).catch((error: unknown) => {
        // The process ended after it had stored the decision.
        if (!String(error).includes('was decided before')) throw error
      })
    }
  }
}

interface Place {
  readonly name: string
  readonly isMissing: boolean
  /** Every how many pairs, at the size of every commit. */
  readonly every: number
  open(): Promise<Database>
}

const strides: Readonly<Record<string, number>> = { SQLite: 40, PostgreSQL: 40 }
const places: readonly Place[] = [
  { name: 'memory', isMissing: false, every: atSize(15, 1), open: () => openSqliteDatabase(':memory:') },
  ...emptyDatabases().map((place) => ({ ...place, every: atSize(strides[place.name] ?? 1, 1) })),
]

for (const { name, isMissing, every, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let inner: Database
    beforeAll(async () => {
      inner = await open()
    })
    afterAll(() => inner.close())
    const endLease = (id: string) =>
      inner.write([
        { sql: `UPDATE runs SET due = 0, crashes = 0 WHERE id = ? AND status IN ('running', 'ready')`, params: [id] },
      ])

    test.each(Object.entries(scenarios))(
      '%s: two cuts in a row, after each pair of writes',
      async (title, scenario) => {
        const pairs = await forEachCut(every, atSize(name === 'PostgreSQL' ? 3 : 1, 1), async (cuts) => {
          const world = new World()
          const execute = functionOf(scenario, world)
          const id = `${title} ${JSON.stringify(cuts)}`
          const reached: boolean[] = []
          for (const [index, at] of [cuts.first, cuts.second].entries()) {
            const { database, isDead } = dyingDatabase(inner, { at, commits: cuts.commits[index]! })
            await complete(createDurableStore(database, {}), id, execute, world).catch(() => undefined)
            reached.push(isDead())
            await endLease(id)
          }
          const store = createDurableStore(inner, {})
          const result = await complete(store, id, execute, world)
          expect([id, result.status, result.text]).toEqual([id, 'final', 'Done.'])
          expect([id, world.doubled, world.effects.size]).toEqual([id, [], scenario.effects])
          // Each cut leaves at most one outcome unknown, and each is asked about once more only if the question was cut off.
          expect([id, [...world.reported].filter(([, count]) => count > 3)]).toEqual([id, []])
          await expectWhole(inner, id)
          expect([id, results(result).filter((text) => !/^(?:done|seen)/.test(text))]).toEqual([id, []])
          return { first: reached[0]!, second: reached[1]! }
        })
        expect(pairs).toBeGreaterThan(10)
      },
    )
  })

/** What the model reads of its calls. */
const results = ({ transcript }: RunResult): readonly string[] =>
  transcript.flatMap((message) => (message.role === 'tool' ? [textOf(message.content)] : []))

/** Events are numbered without a gap, and none is stored twice. */
async function expectWhole(database: Database, id: string): Promise<void> {
  const rows = await database.read('SELECT seq, body FROM entries WHERE log = ? ORDER BY seq', [`run:${id}`])
  expect([id, rows.map(({ seq }) => Number(seq))]).toEqual([id, rows.map((_, index) => index + 1)])
  const own = rows.map(({ body }) => (JSON.parse(String(body)) as { seq: number }).seq)
  expect([id, own]).toEqual([id, [...own].sort((a, b) => a - b)])
  expect([id, new Set(own).size]).toEqual([id, own.length])
}
