// A conversation of many tasks: what is stored for each of them does not grow with it.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const future = Date.now() + 1e9

const count = async (database: Database, sql: string): Promise<number> =>
  Number((await database.read(sql))[0]?.['n'] ?? 0)

/** The event that ends a task is seen before its process has let go of it. */
const letGo = (database: Database) =>
  expect
    .poll(() => count(database, `SELECT count(*) AS n FROM runs WHERE status <> 'finished'`))
    .toBe(0)

/** Bytes that are stored for tasks; the conversation itself is stored once, in its own log. */
const bytesOfTasks = async (database: Database): Promise<number> =>
  (await count(
    database,
    `SELECT sum(length(body)) AS n FROM entries WHERE log NOT LIKE 'session:%'`,
  )) + (await count(database, 'SELECT sum(length(checkpoint)) AS n FROM runs'))

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    test('a task late in a conversation stores as much as an early one, and prune leaves nothing of it', {
      timeout: 1_800_000,
    }, async () => {
      const database = await open()
      const store = createDurableStore(database, {})
      const agent = createAgent({
        card: { name: 'talker', description: 'Talks' },
        provider: createMock({ defaultResponse: 'I see.' }),
      })
      const host = new AgentHost([agent], { store })
      const talk = async (tasks: number): Promise<number> => {
        await letGo(database)
        const bytes = await bytesOfTasks(database)
        for (let task = 0; task < tasks; task++) {
          const message = createMessage('user', 'And then?')
          const sent = await host.send({ agent: 'talker', principal, sessionId: 's', message })
          const done = await host.settled({ principal, id: sent.task.id }, sent.before)
          expect(done.state).toBe('completed')
        }
        await letGo(database)
        return ((await bytesOfTasks(database)) - bytes) / tasks
      }
      await talk(20) // from here on, more messages came before than a task lists
      const early = await talk(5)
      await talk(atSize(10, 970))
      const late = await talk(5)
      expect(late).toBeLessThan(early * 1.02)
      await host.drain(5000)
      await store.operations.prune({ before: future })
      for (const table of ['tasks', 'runs'])
        expect([table, await count(database, `SELECT count(*) AS n FROM ${table}`)]).toEqual([
          table,
          0,
        ])
      await store.close()
    })

    test('a task that was cancelled while it waited leaves nothing after prune', async () => {
      const database = await open()
      const store = createDurableStore(database, {})
      const agent = createAgent({
        card: { name: 'asker', description: 'Asks' },
        handler: () => ({ state: 'input-required', message: 'Which one?' }),
      })
      const host = new AgentHost([agent], { store })
      const ask = async (): Promise<string> => {
        const { task, before } = await host.send({
          agent: 'asker',
          principal,
          message: createMessage('user', 'Go'),
        })
        await host.settled({ principal, id: task.id }, before)
        return task.id
      }
      await host.cancel({ principal, id: await ask() })
      const deleted = await ask()
      await host.drain(5000)
      await store.tasks.delete({ principal, id: deleted })
      await store.operations.prune({ before: future })
      for (const table of ['tasks', 'runs'])
        expect([table, await count(database, `SELECT count(*) AS n FROM ${table}`)]).toEqual([
          table,
          0,
        ])
      await store.close()
    })
  })
