// Two versions of an agent on one store, as two hosts: what a rolling deployment does to tasks that
// wait.
import {
  AgentHost,
  type AgentSettings,
  createAgent,
  createMessage,
  createPart,
  requestsOf,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let paidBy: string[]
    const hosts: AgentHost[] = []
    const start = (version: string, changes: Partial<AgentSettings> = {}, note = ''): AgentHost => {
      const pay = defineTool({
        name: 'pay',
        description: `Pays${note}`,
        parameters: { type: 'object', properties: {} },
        execute: () => {
          paidBy.push(version)
          return 'paid'
        },
      })
      const agent = createAgent({
        card: { name: 'payer', description: 'Pays', version },
        tools: [pay],
        policy: { default: 'require-approval' },
        ...changes,
        provider: createMock({
          defaultResponse: ({ messages: asked }) =>
            asked.some(({ role }) => role === 'tool')
              ? 'Paid.'
              : { toolCalls: [{ id: 'c1', name: 'pay' }] },
        }),
      })
      const host = new AgentHost([agent], {
        store: createDurableStore(database, { leaseMs: 4000 }),
      })
      hosts.push(host)
      return host
    }
    const leaveWaiting = async (host: AgentHost): Promise<string> => {
      const { task, before } = await host.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      expect((await host.settled({ principal, id: task.id }, before)).state).toBe('input-required')
      return task.id
    }
    const approve = async (host: AgentHost, id: string): Promise<void> => {
      const { task } = await host.get({ principal, id })
      const [{ requestId, digest } = { requestId: '' }] = requestsOf(task)
      const approval = createPart.request({
        requestId,
        approved: true,
        ...(digest !== undefined && { digest }),
      })
      await host.send({
        agent: 'payer',
        principal,
        taskId: id,
        message: createMessage('user', [approval]),
      })
    }
    const isServed = (count: number) =>
      expect
        .poll(async () => {
          const rows = await database.read('SELECT queues FROM workers')
          return new Set(rows.map(({ queues }) => queues)).size
        })
        .toBe(count)
    const stateOf = async (host: AgentHost, id: string) =>
      (await host.get({ principal, id })).task.state

    beforeEach(async () => {
      database = await open()
      paidBy = []
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await database.close()
    })

    test('an approval that reaches the new version is applied by the old one, which asked, while it lives', async () => {
      const old = start('1')
      const id = await leaveWaiting(old)
      const young = start('2')
      await isServed(2)
      await approve(young, id)
      await expect.poll(() => stateOf(young, id)).toBe('completed')
      expect(paidBy).toEqual(['1'])
      const own = await leaveWaiting(young)
      await approve(old, own)
      await expect.poll(() => stateOf(old, own)).toBe('completed')
      expect(paidBy).toEqual(['1', '2'])
    })

    test('a task that waits is continued by the new version once no process has the old one', async () => {
      const old = start('1')
      const id = await leaveWaiting(old)
      await old.drain(100)
      const young = start('2')
      await isServed(2)
      await approve(young, id)
      await expect.poll(() => stateOf(young, id)).toBe('completed')
      expect(paidBy).toEqual(['2'])
    })

    /** Leaves a waiting task of version 1 to version 2, and approves it there. */
    const upgrade = async (
      changes: Partial<AgentSettings>,
      note = '',
    ): Promise<{ young: AgentHost; id: string }> => {
      const old = start('1', { onChange: changes.onChange })
      const id = await leaveWaiting(old)
      await old.drain(100)
      await database.write([{ sql: 'DELETE FROM workers' }])
      const young = start('2', changes, note)
      await approve(young, id)
      return { young, id }
    }
    const listed = async () => (await createDurableStore(database, {}).operations.list())[0]

    test('a changed prompt continues a task that waits', async () => {
      const { young, id } = await upgrade({ system: 'Be brief.' })
      await expect.poll(() => stateOf(young, id)).toBe('completed')
      expect(paidBy).toEqual(['2'])
    })

    test('a change of the tool that waits asks the operator, to whom the difference is shown, and continues after resume', async () => {
      const { young, id } = await upgrade({}, ' by transfer')
      await expect.poll(async () => (await listed())?.state).toBe('stopped')
      expect((await listed())?.reason).toContain('tool pay changed')
      expect([await stateOf(young, id), paidBy]).toEqual(['working', []])
      await createDurableStore(database, {}).operations.resume(id)
      // The approval was given for another tool.
      await expect.poll(() => stateOf(young, id)).toBe('input-required')
      await approve(young, id)
      await expect.poll(() => stateOf(young, id)).toBe('completed')
      expect(paidBy).toEqual(['2'])
    })

    test('onChange "ask" asks the operator about every change, and the operator may cancel the task', async () => {
      const { young, id } = await upgrade({ system: 'Be brief.', onChange: 'ask' })
      await expect.poll(async () => (await listed())?.state).toBe('stopped')
      await createDurableStore(database, {}).operations.cancel(id)
      expect([await stateOf(young, id), paidBy]).toEqual(['cancelled', []])
    })

    test('onChange "stop" fails the task with the difference', async () => {
      const { young, id } = await upgrade({ system: 'Be brief.', onChange: 'stop' })
      await expect.poll(() => stateOf(young, id)).toBe('failed')
      expect(JSON.stringify((await young.get({ principal, id })).task.metadata)).toContain(
        'prompt system changed',
      )
    })
  })
