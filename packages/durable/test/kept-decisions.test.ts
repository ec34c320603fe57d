// Decisions that come while something else is worked on, or while the agent that they are for is
// away: none is lost, and none ends a task.
import {
  type AgentClient,
  AgentHost,
  type AgentSettings,
  type AgentStore,
  createAgent,
  createLocalClient,
  createMemoryStore,
  createMessage,
  createPart,
  requestsOf,
  type Task,
  toAgentTarget,
} from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

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
    let done: string[]
    let holds: PromiseWithResolvers<void> | undefined
    const hosts: AgentHost[] = []
    beforeEach(async () => {
      done = []
      holds = undefined
      database = await open()
      store = database ? createDurableStore(database, {}) : createMemoryStore()
    })
    afterEach(async () => {
      holds?.resolve()
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await database?.close()
    })

    const toolOf = (tool: string) =>
      defineTool({
        name: tool,
        description: `Does ${tool}`,
        parameters: { type: 'object', properties: {} },
        execute: async () => {
          if (tool === 'pay') await holds?.promise
          done.push(tool)
          return `${tool} done`
        },
      })
    const calls = (...names: readonly string[]) =>
      createMock({
        defaultResponse: ({ messages }) =>
          messages.some(({ role }) => role === 'tool')
            ? 'Done.'
            : { toolCalls: names.map((one, index) => ({ id: `c${index}`, name: one })) },
      })
    const start = (settings: Partial<AgentSettings> = {}, agentName = 'desk'): AgentHost => {
      const agent = createAgent({
        card: { name: agentName, description: 'Works' },
        tools: [toolOf('pay'), toolOf('mail')],
        provider: calls('pay', 'mail'),
        policy: { default: 'require-approval' },
        ...settings,
      })
      const host = new AgentHost([agent], { store })
      hosts.push(host)
      return host
    }
    const send = async (host: AgentHost, text = 'Do it', agent = 'desk'): Promise<string> => {
      const message = createMessage('user', text)
      return (await host.send({ agent, principal, message })).task.id
    }
    const read = async (host: AgentHost, id: string): Promise<Task> =>
      (await host.get({ principal, id })).task
    const until = (host: AgentHost, id: string, state: Task['state']) =>
      expect.poll(async () => (await read(host, id)).state).toBe(state)
    /** Approves what the task asked as it was then. */
    const approve = async (host: AgentHost, task: Task, which: number): Promise<void> => {
      const { requestId, digest } = requestsOf(task)[which]!
      const part = createPart.request({
        requestId,
        approved: true,
        ...(digest !== undefined && { digest }),
      })
      const message = createMessage('user', [part])
      await host.send({ agent: 'desk', principal, taskId: task.id, message })
    }

    test('a decision that comes while another call works is kept for its own call', async () => {
      holds = Promise.withResolvers()
      const host = start()
      const id = await send(host)
      await until(host, id, 'input-required')
      const asked = await read(host, id)
      await approve(host, asked, 0)
      await until(host, id, 'working')
      await approve(host, asked, 1)
      holds.resolve()
      await until(host, id, 'completed')
      expect(done).toEqual(['pay', 'mail'])
    })

    test('a message that only decides does nothing else: its task continues with its own work', async () => {
      holds = Promise.withResolvers()
      const host = start({ policy: {}, provider: calls('pay') })
      const id = await send(host)
      await until(host, id, 'working')
      const part = createPart.request({ requestId: 'nothing', approved: true })
      const message = createMessage('user', [part])
      await host.send({ agent: 'desk', principal, taskId: id, message })
      holds.resolve()
      const ended = await host.settled({ principal, id }, 0)
      expect(ended).toMatchObject({ state: 'completed', messages: [{}, { role: 'agent' }] })
      const alone = await host.send({
        agent: 'desk',
        principal,
        message: createMessage('user', [part]),
      })
      expect((await host.settled({ principal, id: alone.task.id }, 0)).state).toBe('rejected')
    })

    /** A desk that delegates to a bank, which asks before it pays. */
    const startBoth = async (settings: Partial<AgentSettings> = {}) => {
      const bankAgent = createAgent({
        card: { name: 'bank', description: 'Pays' },
        tools: [toolOf('pay')],
        provider: calls('pay'),
        policy: { default: 'require-approval' },
      })
      const bank = createLocalClient(bankAgent)
      let awayFor = 0
      /** Tries that found the bank away. */
      let missed = 0
      const away: AgentClient = new Proxy(bank, {
        get: (target, field: keyof AgentClient) => {
          const call = target[field]
          if (field !== 'get' && field !== 'decide') return call.bind(target)
          return (...args: unknown[]) => {
            if (awayFor-- > 0) {
              missed++
              return Promise.reject(new LlmError('network', 'the bank cannot be reached'))
            }
            return (call as (...all: unknown[]) => unknown).apply(target, args)
          }
        },
      })
      const target = toAgentTarget(away, { name: 'bank', description: 'Pays' })
      const desk = start({
        tools: [],
        agents: [target],
        policy: {},
        provider: createMock({
          defaultResponse: ({ messages }) =>
            messages.some(({ role }) => role === 'tool')
              ? 'The bank answered.'
              : {
                  toolCalls: [
                    {
                      id: 'c1',
                      name: 'delegate_to_agent',
                      arguments: { agent: 'bank', prompt: 'Pay' },
                    },
                  ],
                },
        }),
        ...settings,
      })
      const id = await send(desk)
      await until(desk, id, 'input-required')
      return {
        desk,
        id,
        bank,
        goAway: (tries: number) => (awayFor = tries),
        missed: () => missed,
      }
    }

    test('an agent that is away when its request is decided is asked again', async () => {
      const { desk, id, goAway, missed } = await startBoth()
      goAway(2)
      await approve(desk, await read(desk, id), 0)
      await until(desk, id, 'completed')
      expect([missed(), done]).toEqual([2, ['pay']])
    })

    test('an agent that stays away gives the decision back, and no task fails', async () => {
      const { desk, id, goAway } = await startBoth({ timeoutMs: 2_000 })
      goAway(1_000)
      await approve(desk, await read(desk, id), 0)
      await until(desk, id, 'working')
      await until(desk, id, 'input-required')
      const waiting = await read(desk, id)
      expect(requestsOf(waiting)[0]?.reason).toContain('cannot be reached')
      goAway(0)
      await approve(desk, waiting, 0)
      await until(desk, id, 'completed')
      expect(done).toEqual(['pay'])
    })

    test('a task learns that the agent which asked is over', async () => {
      const { desk, id, bank } = await startBoth()
      const { tasks } = await bank.list()
      await bank.cancel(tasks[0]!.id, 'not today')
      await until(desk, id, 'completed')
      expect(done).toEqual([])
    })

    test.skipIf(name === 'memory')(
      'who decided is known after a death, and an operator is named',
      async () => {
        const host = start({ provider: calls('pay'), tools: [toolOf('pay')] })
        const decidedBy = async (id: string): Promise<readonly unknown[]> => {
          const events = await store.tasks.read({ principal, id }, 1)
          return events.flatMap((event) =>
            event.type === 'run' && event.event.type === 'approval-decision'
              ? [event.event.by]
              : [],
          )
        }
        const first = await send(host)
        await until(host, first, 'input-required')
        await (store as ReturnType<typeof createDurableStore>).operations.decide(first, {
          type: 'approve',
        })
        await until(host, first, 'completed')
        expect(await decidedBy(first)).toEqual(['operator'])
        const second = await send(host)
        await until(host, second, 'input-required')
        await host.drain(100)
        // What a process stores that dies right after it.
        const { requestId, digest } = requestsOf(await read(host, second))[0]!
        const at = new Date().toISOString()
        const part = createPart.request({ requestId, approved: true, digest: digest! })
        const { seq } = (await store.tasks.head({ principal, id: second }))!
        await store.tasks.append({ principal, id: second }, seq, [
          {
            type: 'message',
            message: createMessage('user', [part]),
            by: principal,
            at,
            attempt: 1,
          },
          { type: 'status', state: 'working', at, attempt: 1 },
        ])
        await until(start({ provider: calls('pay'), tools: [toolOf('pay')] }), second, 'completed')
        expect(await decidedBy(second)).toEqual([principal])
      },
    )
  })
