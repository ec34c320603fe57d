// Agents over a durable store, in two "processes": two hosts, of which the first one is cut.
import { AgentHost, createAgent, createMessage, createPart, type Task } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
// No slow machine misses it; the tests end leases themselves.
const leaseMs = 15_000
const card = { name: 'payer', description: 'Pays' }

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    const hosts: AgentHost[] = []
    let calls: string[]
    let pay: () => Promise<string>
    const store = (): DurableStore => createDurableStore(database, { leaseMs })
    const provider = () =>
      createMock({
        defaultResponse: ({ messages: asked }) =>
          asked.some(({ role }) => role === 'tool')
            ? 'Paid.'
            : { text: 'I pay.', toolCalls: [{ id: 'c1', name: 'pay' }] },
      })
    const host = (policy: 'allow' | 'require-approval' = 'allow'): AgentHost => {
      const tool = defineTool({
        name: 'pay',
        description: 'Pays',
        parameters: { type: 'object', properties: {} },
        execute: (_args, { run }) => {
          calls.push(run.idempotencyKey)
          return pay()
        },
      })
      const made = new AgentHost(
        [createAgent({ card, provider: provider(), tools: [tool], policy: { default: policy } })],
        {
          store: store(),
        },
      )
      hosts.push(made)
      return made
    }
    beforeEach(async () => {
      database = await open()
      calls = []
      pay = () => Promise.resolve('receipt 1')
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((one) => one.drain(100)))
      await database.close()
    })
    /** What kill -9 does to a process: nothing it does later counts. */
    const kill = () => database.write([{ sql: `UPDATE runs SET epoch = epoch + 1, due = 0` }])
    const forget = (id: string) =>
      database.write([{ sql: 'UPDATE runs SET due = 0 WHERE id = ?', params: [`task:${id}`] }])
    const until = (one: AgentHost, id: string, state: Task['state']) =>
      expect
        .poll(async () => (await one.get({ principal, id })).task.state, { timeout: 120_000 })
        .toBe(state)

    test('a task ends as it does without a durable store', async () => {
      const one = host()
      const { task, before } = await one.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      const done = await one.settled({ principal, id: task.id }, before)
      expect(done.state).toBe('completed')
      expect(calls).toHaveLength(1)
    })

    test('a tool call that was cut off is not repeated: a person is asked, and settles it', async () => {
      const one = host()
      let started = (): void => undefined
      const isStarted = new Promise<void>((resolve) => (started = resolve))
      pay = () => {
        started()
        return new Promise(() => undefined) // the process is killed here
      }
      const { task } = await one.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      await isStarted
      await kill()
      await forget(task.id)
      pay = () => Promise.resolve('receipt 2')
      const two = host()
      await until(two, task.id, 'input-required')
      const waiting = (await two.get({ principal, id: task.id })).task
      const request = waiting.statusMessage!.parts.find((part) => part.type === 'request')!
        .content as {
        requestId: string
        reason: string
      }
      expect(request.reason).toContain('its outcome is unknown')
      expect(calls).toHaveLength(1)
      const answer = createMessage('user', [
        createPart.request({
          requestId: request.requestId,
          outcome: 'happened',
          result: 'receipt 1',
        }),
      ])
      await two.send({ agent: 'payer', principal, message: answer, taskId: task.id })
      await until(two, task.id, 'completed')
      expect(calls).toHaveLength(1)
    })

    test('an approval survives its process, and is applied by another one', async () => {
      const one = host('require-approval')
      const { task } = await one.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      await until(one, task.id, 'input-required')
      await one.drain(100)
      const two = host('require-approval')
      const waiting = (await two.get({ principal, id: task.id })).task
      const { requestId, digest } = waiting.statusMessage!.parts.find(
        (part) => part.type === 'request',
      )!.content as {
        requestId: string
        digest: string
      }
      const answer = createMessage('user', [
        createPart.request({ requestId, digest, approved: true }),
      ])
      await two.send({ agent: 'payer', principal, message: answer, taskId: task.id })
      await until(two, task.id, 'completed')
      expect(calls).toHaveLength(1)
    })

    test('a task that was accepted and never begun is begun by another process', async () => {
      const at = '2026-01-01T00:00:00.000Z'
      const record = {
        id: 'task_1',
        agent: 'payer',
        principal,
        sessionId: 's',
        createdAt: at,
        metadata: {},
        flowState: {},
      }
      await store().tasks.create(record, [
        { type: 'status', state: 'submitted', at, attempt: 1 },
        { type: 'message', message: createMessage('user', 'Pay'), at, attempt: 1 },
      ])
      const one = host()
      await until(one, 'task_1', 'completed')
    })

    test('a cancel in another process stops the work, and nothing of it is stored afterwards', async () => {
      const one = host()
      let started = (): void => undefined
      let finish = (): void => undefined
      const isStarted = new Promise<void>((resolve) => (started = resolve))
      pay = () => {
        started()
        return new Promise((resolve) => (finish = () => resolve('too late')))
      }
      const { task } = await one.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      await isStarted
      const two = host()
      await two.cancel({ principal, id: task.id }, 'not needed')
      finish()
      await one.drain(30_000)
      const { task: after } = await two.get({ principal, id: task.id })
      expect(after).toMatchObject({ state: 'cancelled', metadata: { cancel_reason: 'not needed' } })
    })
  })
