import type { TaskState } from '@modelport/agent'
import { createMemoryStore } from '@modelport/agent'
import { expect, it } from 'vitest'
import { recordOf, statusAt } from '../../../../test/store-contract/tools.js'
import { fc } from '../../../../test/support/fast-check.js'

const states = ['submitted', 'working', 'input-required', 'completed'] as const
/** What may follow what, of the states that the test uses. */
const next: Readonly<Record<string, readonly (typeof states)[number][]>> = {
  submitted: ['working'],
  working: ['input-required', 'completed', 'working'],
  'input-required': ['working'],
  completed: [],
}

interface Model {
  readonly id: string
  readonly principal: string
  readonly agent: string
  readonly sessionId: string
  readonly state: TaskState
  readonly at: string
  readonly order: number
}

const write = fc.record({
  task: fc.nat(11),
  second: fc.nat(59),
  pick: fc.nat(3),
  isDelete: fc.boolean(),
})
const queries = fc.record(
  {
    agent: fc.constantFrom('a', 'b'),
    sessionId: fc.constantFrom('s', 't'),
    state: fc.constantFrom(...states),
    statusAfter: fc.nat(59).map((second) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`),
  },
  { requiredKeys: [] },
)

it('an index lists the same pages as sorting and filtering all tasks would, after any writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 80 }),
      fc.array(queries, { minLength: 4 }),
      async (writes, asked) => {
        const { tasks } = createMemoryStore()
        const model = new Map<string, Model>()
        let order = 0
        for (const { task, second, pick, isDelete } of writes) {
          const id = `t${task}`
          const principal = task % 3 ? 'alice' : 'bob'
          const record = recordOf(id, {
            principal,
            agent: task % 2 ? 'a' : 'b',
            sessionId: task % 5 ? 's' : 't',
          })
          const known = model.get(id)
          if (known && isDelete && pick === 0) {
            await tasks.delete({ principal, id })
            model.delete(id)
            continue
          }
          const choices = known ? (next[known.state] ?? []) : (['submitted'] as const)
          const state = choices[pick % Math.max(1, choices.length)]
          if (!state) continue
          const event = statusAt(state, second)
          const head = await tasks.head({ principal, id })
          if (head) await tasks.append({ principal, id }, head.seq, [event])
          else await tasks.create(record, [event])
          model.set(id, { ...record, state, at: event.at, order: ++order })
        }
        for (const query of asked) {
          const expected = [...model.values()]
            .filter(({ principal, agent, sessionId, state, at }) => {
              const isSince =
                query.statusAfter === undefined || Date.parse(at) >= Date.parse(query.statusAfter)
              const isNamed =
                (agent === query.agent || !query.agent) &&
                (sessionId === query.sessionId || !query.sessionId)
              return (
                principal === 'alice' &&
                isNamed &&
                isSince &&
                (query.state === undefined || state === query.state)
              )
            })
            .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.order - a.order))
            .map(({ id }) => id)
          const seen: string[] = []
          let cursor: string | undefined
          do {
            const page = await tasks.list({ ...query, principal: 'alice', limit: 2, cursor })
            seen.push(...page.heads.map(({ record }) => record.id))
            expect(page.total).toBe(expected.length)
            cursor = page.next
          } while (cursor !== undefined)
          expect(seen).toEqual(expected)
        }
      },
    ),
    { numRuns: 150 },
  )
})

it('an index reads no more tasks than a page has, whatever the query', async () => {
  const { tasks } = createMemoryStore()
  let reads = 0
  for (let index = 0; index < 2_000; index++) {
    const record = recordOf(`t${index}`, { sessionId: `s${index % 7}` })
    // The store builds the head of each task that it lists from the record.
    const watched = new Proxy(record, {
      get: (target, name) => {
        reads++
        return Reflect.get(target, name) as unknown
      },
    })
    await tasks.create(watched, [statusAt('submitted', index % 60)])
    for (const state of ['working', 'completed'] as const)
      await tasks.append({ principal: 'alice', id: `t${index}` }, state === 'working' ? 1 : 2, [
        statusAt(state, index % 60),
      ])
  }
  // The first list also moves the tasks that were written since the last one.
  await tasks.list({ principal: 'alice', limit: 1 })
  for (const query of [
    {},
    { agent: 'a' },
    { agent: 'a', sessionId: 's3' },
    { state: 'completed' as const },
    { state: 'working' as const },
  ]) {
    reads = 0
    const { heads } = await tasks.list({ principal: 'alice', limit: 10, ...query })
    expect(heads).toHaveLength('state' in query && query.state === 'working' ? 0 : 10)
    expect(reads).toBeLessThan(50)
  }
})
