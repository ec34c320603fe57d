// A task that waits for work at an MCP server is cancelled: so is its task at the server.

import {
  AgentHost,
  type AgentStore,
  createAgent,
  createMemoryStore,
  createMessage,
} from '@modelport/agent'
import { type McpSource, mcpTools } from '@modelport/mcp'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { ReportServer } from './support/report-server.js'

const principal = 'alice'

const places = [
  { name: 'memory', isMissing: false, open: () => Promise.resolve(undefined) },
  ...emptyDatabases(),
]

for (const { name, isMissing, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let database: Database | undefined
    let store: AgentStore
    let server: ReportServer
    let errors: unknown[]
    const hosts: AgentHost[] = []
    const sources: McpSource[] = []

    beforeEach(async () => {
      server = new ReportServer()
      errors = []
      database = await open()
      store = database ? createDurableStore(database, {}) : createMemoryStore()
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await Promise.all(sources.splice(0).map((source) => source.close()))
      await database?.close()
    })

    /** A process that serves the agent. */
    const start = async (more: readonly Tool[] = []): Promise<AgentHost> => {
      const transport = { apiHosts: [], create: server.connect }
      const source = mcpTools({ name: 'reports', transport, timeoutMs: 1 })
      sources.push(source)
      const names = ['report', ...more.map(({ definition }) => definition.name)]
      const agent = createAgent({
        card: { name: 'desk', description: 'Works' },
        tools: [...(await source.tools()), ...more],
        provider: createMock({
          defaultResponse: {
            toolCalls: names.map((tool, index) => ({ id: `c${index}`, name: tool })),
          },
        }),
      })
      const own = errors
      const host = new AgentHost([agent], { store, onError: (error) => own.push(error) })
      hosts.push(host)
      return host
    }
    const ask = (host: AgentHost) =>
      host.send({ agent: 'desk', principal, message: createMessage('user', 'Report.') })
    const leaveWaiting = async (host: AgentHost) => {
      const { task, before } = await ask(host)
      const { id } = task
      const left = await host.settled({ principal, id }, before)
      expect([left.state, await server.states()]).toEqual(['input-required', ['working']])
      return { principal, id }
    }
    const openCancels = () => store.cancels.nextDueAt(['desk'])

    test('cancelling a task cancels the work at the MCP server that it waits for', async () => {
      const host = await start()
      await host.cancel(await leaveWaiting(host))
      await expect.poll(() => server.states()).toEqual(['cancelled'])
      await expect.poll(openCancels).toBeUndefined()
    })

    test('cancelling a task cancels work that was left pending while another call still works', async () => {
      let begin = (): void => undefined
      const hasBegun = new Promise<void>((resolve) => (begin = resolve))
      const slow = defineTool({
        name: 'slow',
        description: 'Takes long',
        execute: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error))
            begin()
          }),
      })
      const host = await start([slow])
      const { task } = await ask(host)
      await hasBegun
      await expect.poll(() => server.states()).toEqual(['working'])
      await host.cancel({ principal, id: task.id })
      await expect.poll(() => server.states()).toEqual(['cancelled'])
    })

    test('work that is over at the MCP server leaves no request and no error', async () => {
      const host = await start()
      const key = await leaveWaiting(host)
      await server.finish()
      await host.cancel(key)
      await expect.poll(openCancels).toBeUndefined()
      expect([await server.states(), errors, await store.cancels.dead()]).toEqual([
        ['completed'],
        [],
        [],
      ])
    })

    test('a tool that does not cancel its work leaves no request and no error', async () => {
      const host = await start()
      const key = await leaveWaiting(host)
      const [tool] = hosts[0]?.agents[0]?.settings.tools ?? []
      Object.assign(tool ?? {}, { cancelPending: undefined })
      await host.cancel(key)
      await expect.poll(openCancels).toBeUndefined()
      expect([await server.states(), errors]).toEqual([['working'], []])
    })
  })

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(`${name}, after the death of the process`, () => {
    let store: DurableStore
    let server: ReportServer
    const hosts: AgentHost[] = []
    const sources: McpSource[] = []

    beforeEach(async () => {
      server = new ReportServer()
      store = createDurableStore(await open(), {})
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await Promise.all(sources.splice(0).map((source) => source.close()))
      await store.close()
    })

    /** A process of its own: a connection and a host that share only the store. */
    const start = async (tools = 1): Promise<AgentHost> => {
      const transport = { apiHosts: [], create: server.connect }
      const source = mcpTools({ name: 'reports', transport, timeoutMs: 1 })
      sources.push(source)
      const agent = createAgent({
        card: { name: 'desk', description: 'Works' },
        tools: (await source.tools()).slice(0, tools),
        provider: createMock({ defaultResponse: { toolCalls: [{ id: 'c', name: 'report' }] } }),
      })
      const host = new AgentHost([agent], { store, onError: () => undefined })
      hosts.push(host)
      return host
    }
    const dieWaiting = async (): Promise<{ readonly principal: string; readonly id: string }> => {
      const host = await start()
      const message = createMessage('user', 'Report.')
      const { task, before } = await host.send({ agent: 'desk', principal, message })
      const key = { principal, id: task.id }
      expect((await host.settled(key, before)).state).toBe('input-required')
      hosts.length = 0
      await host.drain(0)
      for (const source of sources.splice(0)) await source.close()
      return key
    }

    test('an operator cancels a task, and the process that serves its agent next cancels the work', async () => {
      const { id } = await dieWaiting()
      await store.operations.cancel(id)
      expect(await server.states()).toEqual(['working'])
      await start()
      await expect.poll(() => server.states()).toEqual(['cancelled'])
      await expect.poll(() => store.cancels.nextDueAt(['desk'])).toBeUndefined()
    })

    test('a cancel that an MCP server was away for reaches it once it is back', async () => {
      const key = await dieWaiting()
      const host = await start()
      await server.goAway()
      await host.cancel(key)
      await host.drain(0)
      server.comeBack()
      expect(await server.states()).toEqual(['working'])
      await start()
      await expect.poll(() => server.states()).toEqual(['cancelled'])
    })

    test('an agent that has lost the tool reports the work that nobody can cancel', async () => {
      const { id } = await dieWaiting()
      await store.operations.cancel(id)
      await start(0)
      await expect.poll(async () => (await store.cancels.dead()).length).toBe(1)
      expect((await store.cancels.dead())[0]?.reason).toBe(
        `Work "${server.begun[0]}" cannot be cancelled: agent "desk" has no tool "report" any more`,
      )
    })
  })
