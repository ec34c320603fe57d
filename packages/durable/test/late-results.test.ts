// Work that continues elsewhere: who delivers its result to a task, and what looks for it.
import {
  AgentHost,
  type AgentSettings,
  type AgentStore,
  approvalsOf,
  createAgent,
  createMemoryStore,
  createMessage,
  createPart,
  type Task,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, pending } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { finalResult } from './support/journal-entries.js'

const principal = 'alice'

interface Place {
  readonly name: string
  readonly isMissing: boolean
  open(): Promise<Database | undefined>
}
const places: readonly Place[] = [
  { name: 'memory', isMissing: false, open: () => Promise.resolve(undefined) },
  ...emptyDatabases(),
]

for (const { name, isMissing, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let database: Database | undefined
    let store: AgentStore
    let looks: number
    /** What the model reads of the call. */
    let read: unknown
    const hosts: AgentHost[] = []
    beforeEach(async () => {
      looks = 0
      read = undefined
      database = await open()
      store = database ? createDurableStore(database, {}) : createMemoryStore()
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await database?.close()
    })

    const provider = () =>
      createMock({
        defaultResponse: ({ messages }) => {
          const result = messages.findLast(({ role }) => role === 'tool')
          read = result?.content
          return result ? 'Done.' : { toolCalls: [{ id: 'c1', name: 'print' }] }
        },
      })
    const print = (looksAtOnce = false) =>
      defineTool({
        name: 'print',
        description: 'Prints',
        parameters: { type: 'object', properties: {} },
        execute: () => pending('job-1', looksAtOnce ? { until: Date.now() } : {}),
        reconcile: () =>
          ++looks < 2 ? { outcome: 'unknown' } : { outcome: 'executed', result: 'printed by now' },
      })
    const start = (settings: Partial<AgentSettings> = {}): AgentHost => {
      const agent = createAgent({
        card: { name: 'desk', description: 'Works' },
        tools: [print()],
        provider: provider(),
        ...settings,
      })
      const host = new AgentHost([agent], { store })
      hosts.push(host)
      return host
    }
    const send = async (host: AgentHost): Promise<Task> => {
      const message = createMessage('user', 'Print it')
      const { task, before } = await host.send({ agent: 'desk', principal, message })
      return host.settled({ principal, id: task.id }, before)
    }
    const until = (host: AgentHost, { id }: Task, state: Task['state']) =>
      expect.poll(async () => (await host.get({ principal, id })).task.state).toBe(state)

    test('the owner of a task delivers the result of work that it waits for', async () => {
      const host = start()
      const task = await send(host)
      const [request] = approvalsOf(task)
      expect([task.state, request?.reason]).toEqual([
        'input-required',
        expect.stringContaining('The work continues elsewhere, as "job-1".'),
      ])
      const part = createPart.approval({
        requestId: request!.requestId,
        outcome: 'happened',
        result: 'printed',
      })
      const message = createMessage('user', [part])
      await host.send({ agent: 'desk', principal, taskId: task.id, message })
      await until(host, task, 'completed')
      expect(read).toContain('printed')
    })

    test('another principal delivers a result only if the agent allows it', async () => {
      const refused = start()
      const task = await send(refused)
      const key = { principal, id: task.id }
      const byPrinter = { by: 'printer' }
      await expect(refused.deliver(key, { result: 'x' }, byPrinter)).rejects.toMatchObject({
        reason: 'forbidden',
      })
      const seen: string[] = []
      const mayDeliver = (who: string): boolean => {
        seen.push(who)
        return who === 'printer'
      }
      const host = start({ approvals: { mayDeliver } })
      await expect(host.deliver(key, { result: 'x' }, { by: 'bob' })).rejects.toMatchObject({
        reason: 'forbidden',
      })
      await host.deliver(key, { failure: 'no paper' }, byPrinter)
      await until(host, task, 'completed')
      expect([seen, read]).toEqual([['bob', 'printer'], expect.stringContaining('no paper')])
      await expect(host.deliver(key, { result: 'x' })).rejects.toMatchObject({ reason: 'conflict' })
    })

    test('the tool is asked whether the work is over once it is to be looked at, again and again', async () => {
      const host = start({ tools: [print(true)] })
      const task = await send(host)
      await until(host, task, 'completed')
      expect([looks, read]).toEqual([2, expect.stringContaining('printed by now')])
    })

    test.skipIf(name === 'memory')(
      'an operator sees what a task waits for, and delivers it',
      async () => {
        const { operations } = store as DurableStore
        const host = start()
        const task = await send(host)
        expect(await operations.list()).toMatchObject([
          { id: task.id, waitsFor: [{ kind: 'work', action: { tool: 'print' } }] },
        ])
        await operations.decide(task.id, { type: 'happened', result: 'printed' })
        await until(host, task, 'completed')
        expect(read).toContain('printed')
      },
    )

    test.skipIf(name === 'memory')(
      'runs that look for late work in vain do not keep new ones from beginning',
      async () => {
        const { runs } = store as DurableStore
        const slow = defineTool({
          name: 'print',
          description: 'Prints',
          parameters: { type: 'object', properties: {} },
          execute: () => pending('job-1', { until: 1 }),
        })
        const late = {
          name: 'late',
          fingerprint: {},
          execute: (run: Parameters<Parameters<typeof runs.run>[1]>[0]) =>
            infer(provider(), run.request({ query: 'Print it', tools: [slow] })),
        }
        const ids = Array.from({ length: 5 }, (_, index) => `late-${index}`)
        const worker = runs.work([late], { concurrency: 1 })
        for (const id of ids) await runs.start(id, late)
        for (const id of ids) expect((await runs.result(id)).status).toBe('suspended')
        await worker.stop()
        const finished: string[] = []
        const both = {
          ...late,
          execute: (run: Parameters<Parameters<typeof runs.run>[1]>[0]) => {
            if (run.id.startsWith('late')) return late.execute(run)
            finished.push(run.id)
            return Promise.resolve(finalResult('done'))
          },
        }
        // All are due, and stay due: as if each look took as long as the time to the next one.
        for (let index = 0; index < 3; index++) await runs.start(`new-${index}`, both)
        await database!.write([{ sql: `UPDATE runs SET due = 0 WHERE status = 'suspended'` }])
        const second = runs.work([both], { concurrency: 1 })
        await expect.poll(() => finished.length).toBe(3)
        await second.stop()
        for (const id of ids) expect((await runs.get(id)).due).toBeGreaterThan(Date.now() - 60_000)
      },
    )
  })
