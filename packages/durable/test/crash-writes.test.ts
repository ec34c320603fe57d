// The process ends at each write of a run in turn, before or after its commit; another process continues, and nothing is lost or doubled.
import type { ChatMessage } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type InferRequest, type ResumeDecision, type RunResult } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import type { RunFunction } from '../src/index.js'
import { openSqliteDatabase } from '../src/sqlite/sqlite.js'
import { emptyDatabases } from './support/databases.js'
import { dyingDatabase } from './support/dying-database.js'

/** How often each effect happened, by its idempotency key. */
type World = Map<string, number>

const happen = (world: World, key: string): string => {
  world.set(key, (world.get(key) ?? 0) + 1)
  return `done ${key}`
}

const toolOf = (world: World, name: string, idempotent = false) => ({
  ...defineTool({
    name,
    description: 'Has an effect',
    parameters: { type: 'object', properties: {} },
    execute: (_args, { run }) => happen(world, `${name} ${run.idempotencyKey}`),
  }),
  idempotent,
})

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
      tools: [toolOf(world, 'once'), toolOf(world, 'again', true), toolOf(world, 'pay')],
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
          call: (_request, { run }) => Promise.resolve(happen(world, `clerk ${run.idempotencyKey}`)),
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
      const { id: callId } = item
      const happened = item.type === 'uncertain' && [...world.keys()].some((key) => key.endsWith(item.idempotencyKey))
      const decision: ResumeDecision =
        item.type === 'approval'
          ? { type: 'approve', id: callId, digest: item.digest }
          : happened
            ? { type: 'result', id: callId, result: 'seen' }
            : { type: 'repeat', id: callId }
      await store.runs.decide(id, decision).catch((error: unknown) => {
        // The process before this one decided it.
        if (!String(error).includes('was decided before')) throw error
      })
    }
  }
}

interface Place {
  readonly name: string
  readonly isMissing: boolean
  /** Every how many writes the process is cut, at the size of every commit. */
  readonly every: number
  open(): Promise<Database>
}

const strides: Readonly<Record<string, number>> = { SQLite: 5, PostgreSQL: 9 }
const places: readonly Place[] = [
  { name: 'memory', isMissing: false, every: 1, open: () => openSqliteDatabase(':memory:') },
  ...emptyDatabases().map((place) => ({ ...place, every: atSize(strides[place.name] ?? 1, 1) })),
]

for (const { name, isMissing, every, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let inner: Database
    beforeAll(async () => {
      inner = await open()
    })
    afterAll(() => inner.close())

    const rows = Object.entries(scenarios).flatMap(([title, scenario]) =>
      [true, false].map((commits) => ({ title, scenario, commits })),
    )
    test.each(rows)('$title: cut at each write (committed: $commits)', async ({ title, scenario, commits }) => {
      let cuts = 0
      for (let at = 1; ; at += every) {
        const world: World = new Map()
        const execute = functionOf(scenario, world)
        const id = `${title}-${String(commits)}-${at}`
        const { database, isDead } = dyingDatabase(inner, { at, commits })
        const first = await complete(createDurableStore(database, {}), id, execute, world).catch(() => undefined)
        if (!isDead()) {
          expect(first?.status).toBe('final')
          break
        }
        cuts++
        // The lease of the dead process ends.
        const [row] = await inner.read('SELECT queue, engine FROM runs WHERE id = ?', [id])
        if (row && row['engine'] !== '') await inner.engine.cancel(String(row['queue']), String(row['engine']))
        const result = await complete(createDurableStore(inner, {}), id, execute, world)
        expect([at, result.status, result.text]).toEqual([at, 'final', 'Done.'])
        expect([at, world.size]).toEqual([at, scenario.effects])
        const doubled = [...world].filter(([key, count]) => count > 1 && !key.startsWith('again'))
        expect([at, doubled]).toEqual([at, []])
      }
      expect(cuts).toBeGreaterThan(20 / every)
    })
  })
