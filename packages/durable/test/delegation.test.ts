// A task that delegates work, in three "processes" over one store: the first two end in the middle
// of the child's call.
import { type AgentHost, createMessage } from '@modelport/agent'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { agentsOf, type Effects, promptOf } from './kill/adapter/script.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'anonymous'
const prompt = promptOf({ id: 'job', steps: [[{ name: 'child', effect: 'child' }]] })

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    const servers: ReturnType<typeof createAgentServer>[] = []
    beforeEach(async () => {
      database = await open()
    })
    afterEach(async () => {
      await Promise.all(servers.splice(0).map((server) => server.close(0)))
      await database.close()
    })
    const storeOf = () => createDurableStore(database, { leaseMs: 15_000 })

    /** A process that serves both agents. */
    const start = (effects: Effects): AgentHost => {
      const clerk = createAgentClient('http://127.0.0.1/a/clerk', {
        fetch: (input, init) => server.fetch(new Request(input, init)),
        maxReconnects: 0,
      })
      const server = createAgentServer(agentsOf(effects, 1, clerk), {
        store: storeOf(),
      })
      servers.push(server)
      return server.host
    }
    /** What kill -9 does to a process: nothing it does later counts. */
    const kill = () =>
      database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0 WHERE due IS NOT NULL' }])
    const waits = (host: AgentHost, id: string, kind?: string) =>
      expect
        .poll(async () => {
          const item = (await storeOf().operations.list()).find((one) => one.id === id)
          return [
            item?.state,
            ...(kind === undefined ? [] : (item?.waitsFor ?? []).map((call) => call.kind)),
          ]
        })
        .toEqual(['input-required', ...(kind === undefined ? [] : [kind])])

    test('a decision about a call of a delegated task settles one attempt of it, whichever processes end', async () => {
      let calls = 0
      const called = [Promise.withResolvers(), Promise.withResolvers()] as const
      const ends: Effects = () => {
        called[calls++]?.resolve(undefined)
        return new Promise(() => undefined)
      }
      const { task } = await start(ends).send({
        agent: 'worker',
        principal,
        message: createMessage('user', prompt),
      })
      await called[0].promise
      await kill()
      const two = start(ends)
      const child = (await storeOf().operations.list()).find((one) => one.name === 'clerk')!
      const keys = {
        task: { principal, id: task.id },
        child: { principal: child.principal!, id: child.id },
      }
      await two.recover([keys.child])
      await waits(two, child.id)
      await two.recover([keys.task])
      await waits(two, task.id, 'uncertain')
      await storeOf().operations.decide(task.id, { type: 'did-not-happen' })
      await two.recover([keys.task])
      await called[1].promise
      await kill()
      // It happened this time. Another process takes the child over first.
      const three = start(() => Promise.resolve(`call ${++calls}`))
      await three.recover([keys.child])
      await waits(three, child.id)
      await three.recover([keys.task])
      await waits(three, task.id, 'uncertain')
      expect(calls).toBe(2)
      await storeOf().operations.decide(task.id, { type: 'happened', result: 'Filed.' })
      await three.recover([keys.task])
      await expect.poll(async () => (await three.get(keys.task)).task.state).toBe('completed')
      expect(calls).toBe(2)
    })
  })
