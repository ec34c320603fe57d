// Cancels of tasks that were delegated to another server: two hosts on one store, and a remote
// agent behind real HTTP.
import {
  AgentHost,
  createAgent,
  createMemoryStore,
  createMessage,
  type HostOptions,
  systemEntropy,
  toAgentTarget,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const hour = 3_600_000

/** A bank that asks before it pays. */
const bank = createAgent({
  card: { name: 'bank', description: 'Pays' },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: {} },
      execute: () => 'paid',
    }),
  ],
  policy: { default: 'require-approval' },
  provider: createMock({
    defaultResponse: ({ messages: asked }) =>
      asked.some(({ role }) => role === 'tool')
        ? 'Paid.'
        : { toolCalls: [{ id: 'p1', name: 'pay' }] },
  }),
})

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let remote: ListeningServer
    let port: number
    const remoteStore = createMemoryStore()
    const hosts: AgentHost[] = []
    let errors: unknown[]
    const startRemote = async (more: object = {}): Promise<void> => {
      remote = await serve([bank], { port, store: remoteStore, ...more })
      port = remote.port
    }
    const hostOf = (more: HostOptions = {}): AgentHost => {
      const client = createAgentClient(`http://127.0.0.1:${port}`, { maxReconnects: 0 })
      const assistant = createAgent({
        card: { name: 'assistant', description: 'Runs errands' },
        agents: [toAgentTarget(client, { name: 'bank', description: 'Pays' })],
        provider: createMock({
          defaultResponse: {
            toolCalls: [
              { id: 'd1', name: 'delegate_to_agent', arguments: { agent: 'bank', prompt: 'Pay' } },
            ],
          },
        }),
      })
      const own = errors // a host of an earlier test may still report that its store was closed
      const onError = (error: unknown) => own.push(error)
      const made = new AgentHost([assistant], {
        store: createDurableStore(database, { leaseMs: 15_000 }),
        onError,
        ...more,
      })
      hosts.push(made)
      return made
    }
    /** A task whose child waits for an approval at the bank. */
    const leaveWaiting = async (host: AgentHost): Promise<string> => {
      const { task, before } = await host.send({
        agent: 'assistant',
        principal,
        message: createMessage('user', 'Pay'),
      })
      expect((await host.settled({ principal, id: task.id }, before)).state).toBe('input-required')
      return task.id
    }
    const children = async () => {
      const { heads } = await remoteStore.tasks.list({
        principal: 'anonymous',
        agent: 'bank',
        limit: 100,
      })
      return heads
    }
    const childState = async () => (await children())[0]?.state
    /** As if the process had died right after it stored that it cancels. */
    const requestCancel = (id: string, taskId: string) =>
      store.cancels.put({
        key: { principal, id },
        agent: 'assistant',
        target: 'bank',
        taskId,
        attempts: 0,
        dueAt: Date.now(),
        giveUpAt: Date.now() + hour,
      })
    const waitingRows = () => store.cancels.nextDueAt(['assistant'])

    beforeEach(async () => {
      for (const { record } of await children())
        await remoteStore.tasks.delete({ principal: 'anonymous', id: record.id })
      port = 0
      errors = []
      database = await open()
      store = createDurableStore(database, { leaseMs: 15_000 })
      await startRemote()
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await remote.close(100)
      await store.close()
    })

    test('a cancel reaches the task that was delegated', async () => {
      const host = hostOf()
      const id = await leaveWaiting(host)
      await host.cancel({ principal, id }, 'not needed')
      // The regular look of the host may be the one that sends it.
      await expect.poll(childState).toBe('cancelled')
      await expect.poll(waitingRows).toBeUndefined()
    })

    test('a cancel that could not be sent is sent by another host once the remote agent is back', async () => {
      const one = hostOf()
      const id = await leaveWaiting(one)
      await remote.close(100)
      await one.cancel({ principal, id })
      expect((await one.get({ principal, id })).task.state).toBe('cancelled')
      expect(await waitingRows()).toBeDefined()
      await one.drain(0)
      await startRemote()
      expect(await childState()).toBe('input-required')
      hostOf()
      await expect.poll(childState).toBe('cancelled')
      await expect.poll(waitingRows).toBeUndefined()
    })

    test('a cancel that was stored before its process died is sent once the task is over, and not before', async () => {
      const one = hostOf()
      const id = await leaveWaiting(one)
      const [child] = await children()
      await requestCancel(id, child!.record.id)
      await one.drain(0)
      const two = hostOf()
      await expect
        .poll(async () => (await database.read('SELECT tries FROM outbox'))[0]?.['tries'] ?? 0)
        .toBeGreaterThan(2)
      expect(await childState()).toBe('input-required')
      const { head } = await two.get({ principal, id })
      const at = new Date().toISOString()
      await store.tasks.append({ principal, id }, head.seq, [
        { type: 'status', state: 'cancelled', at, attempt: 1 },
      ])
      await expect.poll(childState).toBe('cancelled')
    })

    test('a remote agent whose task is over already is asked once', async () => {
      const host = hostOf()
      const id = await leaveWaiting(host)
      const [child] = await children()
      const at = new Date().toISOString()
      await remoteStore.tasks.append({ principal: 'anonymous', id: child!.record.id }, child!.seq, [
        { type: 'status', state: 'failed', at, attempt: 1 },
      ])
      await host.cancel({ principal, id })
      expect([await waitingRows(), await store.cancels.dead(), errors]).toEqual([undefined, [], []])
    })

    test('a remote agent that refuses is asked once, and its refusal is reported', async () => {
      const host = hostOf()
      const id = await leaveWaiting(host)
      await remote.close(100)
      await startRemote({
        authentication: [{ type: 'bearer', tokens: [{ token: 'secret', principal: 'bob' }] }],
      })
      await host.cancel({ principal, id })
      expect(await waitingRows()).toBeUndefined()
      expect(await store.cancels.dead()).toMatchObject([{ target: 'bank', key: { id } }])
      expect(errors).toMatchObject([{ code: 'auth' }])
    })

    test('a cancel of a remote agent that stays unreachable is given up after an hour, with its error', async () => {
      const one = hostOf()
      const id = await leaveWaiting(one)
      await remote.close(100)
      await one.cancel({ principal, id })
      await one.drain(0)
      errors = []
      hostOf({ entropy: { ...systemEntropy, now: () => Date.now() + 2 * hour } })
      await expect.poll(async () => (await store.cancels.dead()).length).toBe(1)
      expect(errors).toMatchObject([{ code: 'network' }])
      await startRemote()
    })

    test('an agent that the new version of a program no longer has is reported', async () => {
      const host = hostOf()
      const id = await leaveWaiting(host)
      await host.cancel({ principal, id })
      await store.cancels.put({
        key: { principal, id },
        agent: 'assistant',
        target: 'broker',
        taskId: 'task_x',
        attempts: 0,
        dueAt: 0,
        giveUpAt: Date.now() + hour,
      })
      await expect.poll(async () => (await store.cancels.dead()).length).toBe(1)
      expect(String(errors[0])).toContain('does not know "broker" any more')
    })
  })
