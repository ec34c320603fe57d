// Work that continues elsewhere: who delivers its result to a task, and what looks for it.
import {
  AgentHost,
  type AgentSettings,
  type AgentStore,
  createAgent,
  createMemoryStore,
  createMessage,
  createPart,
  requestsOf,
  type Task,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, OutcomeUnknown, pending } from '@modelport/runtime'
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
      const [request] = requestsOf(task)
      expect([task.state, request?.reason]).toEqual([
        'input-required',
        expect.stringContaining('The work continues elsewhere, as "job-1".'),
      ])
      const part = createPart.request({
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
      const host = start({ decisions: { mayDeliver } })
      await expect(host.deliver(key, { result: 'x' }, { by: 'bob' })).rejects.toMatchObject({
        reason: 'forbidden',
      })
      await host.deliver(key, { failure: 'no paper' }, byPrinter)
      await until(host, task, 'completed')
      expect([seen, read]).toEqual([['bob', 'printer'], expect.stringContaining('no paper')])
      await host.deliver(key, { failure: 'no paper' })
      await expect(host.deliver(key, { result: 'x' })).rejects.toMatchObject({ reason: 'conflict' })
    })

    test('a task takes one of two results that come at once, and refuses the other', async () => {
      const host = start()
      const task = await send(host)
      const key = { principal, id: task.id }
      const all = await Promise.allSettled(
        ['a', 'b', 'a'].map((result) => host.deliver(key, { result })),
      )
      await until(host, task, 'completed')
      const winner = String(read).includes('a') ? 'a' : 'b'
      expect(all.map((one) => (one.status === 'fulfilled' ? 'taken' : one.reason))).toEqual(
        ['a', 'b', 'a'].map((one) =>
          one === winner ? 'taken' : expect.objectContaining({ reason: 'conflict' }),
        ),
      )
    })

    test('a handler that gave work to somebody else runs again with the result', async () => {
      const tokens: string[] = []
      const jobs: string[] = []
      const said: unknown[] = []
      const host = start({
        handler: async (context) => {
          const result = await context.effect('print', async ({ idempotencyKey, webhook }) => {
            tokens.push((await webhook()).token)
            jobs.push(idempotencyKey)
            return pending('job-1')
          })
          said.push(result)
          return `It says: ${JSON.stringify(result)}`
        },
      })
      const task = await send(host)
      expect([task.state, requestsOf(task)]).toEqual([
        'input-required',
        [
          expect.objectContaining({
            uncertain: true,
            reason: expect.stringContaining('"job-1"') as string,
          }),
        ],
      ])
      const [token = ''] = tokens
      await host.deliver({ token }, { result: '3 pages' })
      await until(host, task, 'completed')
      await host.deliver({ token }, { result: '3 pages' })
      await expect(host.deliver({ token }, { result: '4 pages' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      expect([jobs.length, said]).toEqual([1, ['3 pages']])
    })

    test('work that failed elsewhere is an error of the effect, also if it failed at once', async () => {
      const errors: string[] = []
      const host = start({
        handler: async (context) => {
          try {
            await context.effect('print', async ({ webhook }) => {
              await host.deliver({ token: (await webhook()).token }, { failure: 'no paper' })
              return pending('job-1')
            })
          } catch (error) {
            errors.push((error as Error).message)
          }
          return 'over'
        },
      })
      const task = await send(host)
      await until(host, task, 'completed')
      // The first run reads that the task waits.
      expect(errors.at(-1)).toContain('no paper')
    })

    test('an effect of a handler has no time at which somebody looks', async () => {
      const errors: unknown[] = []
      const host = start({
        handler: async (context) => {
          await context
            .effect('print', () => pending('job-1', { until: 0 }))
            .catch((error: unknown) => errors.push(error))
          return 'over'
        },
      })
      await send(host)
      expect(errors).toEqual([expect.objectContaining({ reason: 'unsupported-operation' })])
    })

    /** A tool that gives its work to somebody else, and what it gave them. */
    const sendOut = (tokens: string[], work: () => unknown = () => pending('job-1')) =>
      defineTool({
        name: 'print',
        description: 'Prints',
        parameters: { type: 'object', properties: {} },
        execute: async (_, { run }) => {
          tokens.push((await run.webhook?.())?.token ?? '')
          return work()
        },
      })

    test('whoever has the secret of a call delivers its result: once, and again without effect', async () => {
      const tokens: string[] = []
      const seen: string[] = []
      const mayDeliver = (who: string): boolean => {
        seen.push(who)
        return false
      }
      const host = start({ tools: [sendOut(tokens)], decisions: { mayDeliver } })
      const task = await send(host)
      const [token = ''] = tokens
      expect([task.state, token]).toEqual(['input-required', expect.stringMatching(/^[\w-]{43}$/)])
      const wrong = { token: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` }
      await expect(host.deliver(wrong, { result: 'x' })).rejects.toMatchObject({
        reason: 'not-found',
      })
      await host.deliver({ token }, { result: 'printed' })
      await host.deliver({ token }, { result: 'printed' })
      await expect(host.deliver({ token }, { result: 'x' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      await until(host, task, 'completed')
      await host.deliver({ token }, { result: 'printed' })
      await expect(host.deliver({ token }, { failure: 'printed' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      const { task: after } = await host.get({ principal, id: task.id })
      const decisions = after.messages.filter(({ parts }) => parts[0]?.type === 'request')
      expect([read, seen, decisions.length]).toEqual([expect.stringContaining('printed'), [], 1])
    })

    test('a secret takes one of two results that come at once, and refuses the other', async () => {
      const tokens: string[] = []
      const host = start({ tools: [sendOut(tokens)] })
      const task = await send(host)
      const [token = ''] = tokens
      const all = await Promise.allSettled(
        ['a', 'b', 'a'].map((result) => host.deliver({ token }, { result })),
      )
      await until(host, task, 'completed')
      const winner = String(read).includes('a') ? 'a' : 'b'
      expect(all.map(({ status }) => status)).toEqual(
        ['a', 'b', 'a'].map((one) => (one === winner ? 'fulfilled' : 'rejected')),
      )
    })

    test('a result that comes before the tool has returned waits for the task', async () => {
      const tokens: string[] = []
      const host = start({
        tools: [
          sendOut(tokens, async () => {
            await host.deliver({ token: tokens[0]! }, { failure: 'no paper' })
            return pending('job-1')
          }),
        ],
      })
      const task = await send(host)
      await until(host, task, 'completed')
      expect(read).toContain('no paper')
    })

    test('a secret is good for its own call only, also if the model uses the id of a call again', async () => {
      const tokens: string[] = []
      let asked = 0
      const host = start({
        tools: [sendOut(tokens)],
        provider: createMock({
          defaultResponse: () =>
            ++asked < 3
              ? { toolCalls: [{ id: 'c1', name: 'print', arguments: { page: asked } }] }
              : 'Done.',
        }),
      })
      const task = await send(host)
      const key = { principal, id: task.id }
      await host.deliver(key, { result: 'one' })
      await expect.poll(() => tokens.length).toBe(2)
      await until(host, task, 'input-required')
      await expect(host.deliver({ token: tokens[0]! }, { result: 'two' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      await host.deliver({ token: tokens[1]! }, { result: 'two' })
      await until(host, task, 'completed')
    })

    test('a result settles the call of a process that died before it said that it waits', async () => {
      const tokens: string[] = []
      const made: string[] = []
      const host = start({
        tools: [
          sendOut(tokens, () => {
            made.push('job')
            // What the death of a process leaves: the call began, and nobody knows its outcome.
            throw new OutcomeUnknown('the process is gone')
          }),
        ].map((tool) => ({ ...tool, once: true })),
      })
      const task = await send(host)
      expect(requestsOf(task)).toMatchObject([{ uncertain: true }])
      await host.deliver({ token: tokens[0]! }, { failure: 'no paper' })
      await until(host, task, 'completed')
      expect([made, read]).toEqual([['job'], expect.stringContaining('no paper')])
    })

    test.skipIf(name === 'memory')(
      'a result that came while the process of its call died settles the call in the next process',
      async () => {
        const tokens: string[] = []
        const began: PromiseWithResolvers<void> = Promise.withResolvers()
        const first = start({
          tools: [
            sendOut(tokens, () => {
              began.resolve()
              return new Promise<never>(() => undefined)
            }),
          ],
        })
        const message = createMessage('user', 'Print it')
        const { task } = await first.send({ agent: 'desk', principal, message })
        await began.promise
        const [token = ''] = tokens
        await first.deliver({ token }, { failure: 'no paper' })
        await database!.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0' }])
        const second = start({ tools: [sendOut(tokens)] })
        await until(second, task, 'completed')
        await second.deliver({ token }, { failure: 'no paper' })
        // The call is not made again, and what it read is the failure.
        expect([tokens.length, read]).toEqual([1, expect.stringContaining('no paper')])
      },
    )

    test('a result for a task that is over, or was removed, is refused', async () => {
      const tokens: string[] = []
      const host = start({ tools: [sendOut(tokens)] })
      const task = await send(host)
      const [token = ''] = tokens
      await host.cancel({ principal, id: task.id })
      await expect(host.deliver({ token }, { result: 'x' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      await store.tasks.delete({ principal, id: task.id })
      await expect(host.deliver({ token }, { result: 'x' })).rejects.toMatchObject({
        reason: 'not-found',
      })
    })

    test.skipIf(name === 'memory')(
      'the store has the digest of a secret, not the secret',
      async () => {
        const tokens: string[] = []
        await send(start({ tools: [sendOut(tokens)] }))
        const rows = await database!.read('SELECT * FROM documents')
        const entries = await database!.read('SELECT * FROM entries')
        expect(rows.map((row) => row['kind'])).toContain('grant')
        expect(JSON.stringify([rows, entries])).not.toContain(tokens[0])
      },
    )

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
