// What a caller permits survives the process that accepted its task: a host that recovers the task
// keeps to it.
import {
  type AgentHandler,
  AgentHost,
  type AgentRunContext,
  type AgentStore,
  createAgent,
  createMemoryStore,
  createMessage,
  type ForeignContext,
  systemEntropy,
  type Task,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const card = { name: 'payer', description: 'Pays' }
const minute = 60_000

interface Place {
  readonly name: string
  readonly isMissing: boolean
  /** Opens a store; `abandon` does to a task what the death of its process does. */
  open(): Promise<{ store: AgentStore; abandon(id: string): Promise<void>; close(): Promise<void> }>
}

const places: readonly Place[] = [
  {
    name: 'memory',
    isMissing: false,
    open: () =>
      Promise.resolve({
        store: createMemoryStore(),
        abandon: () => Promise.resolve(),
        close: () => Promise.resolve(),
      }),
  },
  ...emptyDatabases().map(({ name, isMissing, open }) => ({
    name,
    isMissing,
    open: async () => {
      const database = await open()
      return {
        // A lease that no slow machine misses: `abandon` ends it at once.
        store: createDurableStore(database, { leaseMs: 10 * minute }),
        abandon: (id: string) => abandonTask(database, id),
        close: () => database.close(),
      }
    },
  })),
]

async function abandonTask(database: Database, id: string): Promise<void> {
  await database.write([
    { sql: 'UPDATE runs SET epoch = epoch + 1, due = 0 WHERE id = ?', params: [`task:${id}`] },
  ])
}

for (const { name, isMissing, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let place: Awaited<ReturnType<Place['open']>>
    const hosts: AgentHost[] = []
    let payments: number
    let seen: AgentRunContext | undefined
    beforeEach(async () => {
      place = await open()
      payments = 0
      seen = undefined
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await place.close()
    })
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: {} },
      execute: () => `payment ${++payments}`,
    })
    const modelAgent = () =>
      createAgent({
        card,
        tools: [pay],
        provider: createMock({
          defaultResponse: ({ messages: asked }) =>
            asked.some(({ role }) => role === 'tool')
              ? 'Done.'
              : { text: 'I pay.', toolCalls: [{ id: 'c1', name: 'pay' }] },
        }),
      })
    const hostOf = (agent: ReturnType<typeof createAgent>, now?: () => number): AgentHost => {
      const host = new AgentHost([agent], {
        store: place.store,
        ...(now && { entropy: { ...systemEntropy, now } }),
      })
      hosts.push(host)
      return host
    }
    /** Starts a task in one host whose handler never returns, and abandons it there. */
    const leaveBehind = async (context: ForeignContext): Promise<string> => {
      let started = (): void => undefined
      const isStarted = new Promise<void>((resolve) => (started = resolve))
      const stuck: AgentHandler = () => {
        started()
        return new Promise(() => undefined)
      }
      const host = hostOf(createAgent({ card, tools: [pay], handler: stuck }))
      const { task } = await host.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
        context,
      })
      await isStarted
      await place.abandon(task.id)
      return task.id
    }
    const recoverIn = async (host: AgentHost, id: string): Promise<Task> => {
      await host.recover([{ principal, id }])
      return host.settled({ principal, id }, 0)
    }

    test('a recovered task calls the tool that its caller allowed', async () => {
      const id = await leaveBehind({ chain: [], permissions: ['tool.pay'] })
      expect((await recoverIn(hostOf(modelAgent()), id)).state).toBe('completed')
      expect(payments).toBe(1)
    })

    test('a recovered task cannot call a tool that its caller did not allow', async () => {
      const id = await leaveBehind({ chain: [], permissions: ['tool.look'] })
      await recoverIn(hostOf(modelAgent()), id)
      expect(payments).toBe(0)
    })

    test('a recovered task whose permissions are damaged calls no tool at all', async () => {
      const id = await leaveBehind({
        chain: [],
        permissions: 'tool.pay' as unknown as readonly string[],
      })
      await recoverIn(hostOf(modelAgent()), id)
      expect(payments).toBe(0)
    })

    test("a task that is recovered after its caller's deadline fails and calls nothing", async () => {
      const id = await leaveBehind({ chain: [], deadline: Date.now() + 30 * minute })
      const late = hostOf(modelAgent(), () => Date.now() + 60 * minute)
      const task = await recoverIn(late, id)
      expect(task).toMatchObject({
        state: 'failed',
        metadata: { error: expect.stringContaining('deadline') },
      })
      expect(payments).toBe(0)
    })

    test('a recovered task keeps its chain of agents, deadline, cost limit and trace', async () => {
      const context: ForeignContext = {
        chain: ['boss', 'clerk'],
        permissions: ['tool.look'],
        deadline: Date.now() + 30 * minute,
        limits: { maxCalls: 3, maxCost: 2 },
        traceId: 'trace-1',
        parentTaskId: 'task-1',
      }
      const id = await leaveBehind(context)
      const handler: AgentHandler = ({ run }) => {
        seen = run
        return 'Done.'
      }
      await recoverIn(hostOf(createAgent({ card, tools: [pay], handler })), id)
      expect(seen).toMatchObject({ ...context, chain: ['boss', 'clerk', 'payer'] })
    })
  })
