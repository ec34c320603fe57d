// One bounded pass over a store, as a cron job or a function makes it.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { finalResult } from './support/journal-entries.js'

const principal = 'alice'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let answer: () => Promise<string>
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, {})
      answer = () => Promise.resolve('Done.')
    })
    afterEach(() => database.close())
    const agent = () =>
      createAgent({ card: { name: 'clerk', description: 'Files' }, handler: () => answer() })
    /** Accepts tasks without working on them, as a web server does. */
    const accept = async (count: number): Promise<readonly string[]> => {
      const at = new Date().toISOString()
      const ids = Array.from({ length: count }, (_, index) => `task-${index}`)
      for (const id of ids)
        await store.tasks.create(
          {
            id,
            agent: 'clerk',
            principal,
            sessionId: id,
            createdAt: at,
            metadata: {},
            flowState: {},
          },
          [
            { type: 'status', state: 'submitted', at, attempt: 1 },
            { type: 'message', message: createMessage('user', 'File it'), at, attempt: 1 },
          ],
        )
      await database.write([{ sql: 'UPDATE runs SET due = 0' }])
      return ids
    }
    const stateOf = async (id: string) => (await store.tasks.head({ principal, id }))?.state

    test('work runs everything that is due and returns; then there is nothing to do', async () => {
      const ids = await accept(3)
      const definition = {
        name: 'd',
        fingerprint: {},
        execute: () => Promise.resolve(finalResult('done')),
      }
      await store.runs.start('run', definition)
      expect(await store.work({ agents: [agent()], runs: [definition] })).toBe(4)
      expect(await Promise.all(ids.map(stateOf))).toEqual(['completed', 'completed', 'completed'])
      expect((await store.runs.result('run')).text).toBe('done')
      expect(await store.work({ agents: [agent()], runs: [definition] })).toBe(0)
    })

    test('work begins no more than maxTasks', async () => {
      const ids = await accept(5)
      expect(await store.work({ agents: [agent()], maxTasks: 2 })).toBe(2)
      const states = await Promise.all(ids.map(stateOf))
      expect(states.filter((state) => state === 'completed')).toHaveLength(2)
    })

    test('work gives back what is not done after maxMs, and the next pass continues it', async () => {
      const [id = ''] = await accept(1)
      const runTime = performance.now.bind(performance)
      let passedMs = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => runTime() + passedMs)
      onTestFinished(() => clock.mockRestore())
      // Ten seconds pass once the agent works, however long the database took until then.
      answer = () => {
        passedMs = 10_000
        return new Promise(() => undefined)
      }
      expect(await store.work({ agents: [agent()], maxMs: 10_000 })).toBe(1)
      expect(await stateOf(id)).toBe('working')
      answer = () => Promise.resolve('Later.')
      expect(await store.work({ agents: [agent()] })).toBe(1)
      expect(await stateOf(id)).toBe('completed')
    })

    test('a function that is killed at its time limit loses nothing: the next pass continues once its lease has ended', async () => {
      const [id = ''] = await accept(1)
      let started = (): void => undefined
      const isStarted = new Promise<void>((resolve) => (started = resolve))
      answer = () => {
        started()
        return new Promise(() => undefined)
      }
      // Never awaited: the platform ends the process, and with it everything that it would still
      // do.
      void store.work({ agents: [agent()] })
      await isStarted
      const other = createDurableStore(database, {})
      answer = () => Promise.resolve('Later.')
      expect(await other.work({ agents: [agent()] })).toBe(0)
      await database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0' }])
      expect(await other.work({ agents: [agent()] })).toBe(1)
      expect(await stateOf(id)).toBe('completed')
    })

    test('a message that was sent again after a kill is the same task, and nobody waits for it', async () => {
      const provider = createMock({ defaultResponse: 'Hi.' })
      const host = new AgentHost(
        [createAgent({ card: { name: 'talker', description: 'Talks' }, provider })],
        { store },
      )
      const message = createMessage('user', 'Hello')
      const sent = await Promise.all(
        [1, 2, 3].map(() => host.send({ agent: 'talker', principal, message })),
      )
      expect(new Set(sent.map(({ task }) => task.id)).size).toBe(1)
      await host.drain(5000)
    })
  })
