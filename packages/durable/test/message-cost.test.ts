// What a message of a session costs in transactions: a count, not a time.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const note = defineTool({
  name: 'note',
  description: 'Notes',
  parameters: { type: 'object', properties: {} },
  execute: () => 'noted',
})
const limits = { maxSteps: 99, maxRepeats: 99, maxIdleSteps: 99 }

/** A model that calls a tool in each step but the last one. */
function modelOf(steps: number) {
  let asked = 0
  return createMock({
    defaultResponse: () =>
      ++asked % steps === 0
        ? 'Done.'
        : { toolCalls: [{ id: `c${asked}`, name: 'note', arguments: { asked } }] },
  })
}

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let writes = 0
    let reads = 0
    beforeEach(async () => {
      database = await open()
    })
    afterEach(() => database.close())

    const openStore = () =>
      createDurableStore(
        {
          lockRows: database.lockRows,
          write: (statements) => {
            writes++
            return database.write(statements)
          },
          read: (sql, params) => {
            reads++
            return database.read(sql, params)
          },
          now: () => database.now(),
          notify: (key) => database.notify(key),
          watch: (key, onChange) => database.watch(key, onChange),
          close: () => database.close(),
        },
        {},
      )

    /** What nobody waits for is stored after 5 ms, and a slow machine may need longer: the best. */
    const best = async (count: (time: number) => Promise<number>): Promise<number> => {
      const counts: number[] = []
      for (let time = 0; time < 4; time++) counts.push(await count(time))
      return Math.min(...counts)
    }

    const ofRun = (steps: number): Promise<number> =>
      best(async (time) => {
        const before = writes
        await openStore().runs.run(`run-${steps}-${time}`, (durable) =>
          infer(modelOf(steps), durable.request({ query: 'Go.', tools: [note], limits })),
        )
        return writes - before
      })

    /** The second message of a session, and somebody who waits for its end. */
    const ofMessage = (steps: number, counted: () => number = () => writes): Promise<number> =>
      best(async (time) => {
        const card = { name: 'worker', description: 'Works' }
        const agent = createAgent({ card, provider: modelOf(steps), tools: [note], limits })
        const host = new AgentHost([agent], { store: openStore() })
        const say = async (text: string): Promise<void> => {
          const message = createMessage('user', text)
          const sessionId = `session-${steps}-${time}`
          const { task } = await host.send({ agent: 'worker', principal, message, sessionId })
          expect((await host.settled({ principal, id: task.id }, 0)).state).toBe('completed')
        }
        await say('First')
        const before = counted()
        await say('Second')
        const count = counted() - before
        await host.drain(1000)
        return count
      })

    test('a step is at most 2.3 transactions, and a message of a session two more than a run', async () => {
      const [shortRun, longRun] = [await ofRun(1), await ofRun(21)]
      const [short, long] = [await ofMessage(1), await ofMessage(21)]
      expect((longRun - shortRun) / 20).toBeLessThanOrEqual(2.3)
      expect((long - short) / 20).toBeLessThanOrEqual(2.3)
      expect(short - shortRun).toBeLessThanOrEqual(2)
      expect(long - longRun).toBeLessThanOrEqual(2)
    })

    test('a step reads nothing for its worker, and nothing for somebody who waits for the end', async () => {
      const [short, long] = [await ofMessage(1, () => reads), await ofMessage(21, () => reads)]
      // Whoever looks for tasks that others left reads a few times a second.
      expect((long - short) / 20).toBeLessThan(1.5)
    })
  })
