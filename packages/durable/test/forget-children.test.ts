// A person who is forgotten, at the agents that were called for her as well: each has a server, a
// store and callers of its own. A canary in all that was said is looked for in every file, page and
// log afterwards.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Agent,
  AgentHost,
  type AgentStore,
  createAgent,
  createMessage,
  toAgentTarget,
} from '@modelport/agent'
import { textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import type { AgentTarget } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { chatRoutes } from '../src/chat/chat.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import type { DurableStore } from '../src/store/durable-store.js'

const canary = 'canary-7f3a91'
const cleanup: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end()
})

/** An agent that repeats each message, after it has sent it to the agents below it. */
const agentOf = (name: string, agents: readonly AgentTarget[] = []): Agent =>
  createAgent({
    card: { name, description: 'Repeats' },
    agents,
    provider: createMock({
      defaultResponse: ({ messages }) => {
        const said = textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
        const results = messages.filter(({ role }) => role === 'tool').length
        const next = agents[results]
        if (!next) return `${name} heard ${said}`
        const call = { agent: next.name, prompt: `Tell ${said}` }
        return { toolCalls: [{ id: `c${results}`, name: 'delegate_to_agent', arguments: call }] }
      },
    }),
  })

/** The files of a folder that have the canary in their bytes. */
const filesWithCanary = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'latin1').includes(canary))

const untilGone = (folder: string): Promise<void> =>
  expect.poll(() => filesWithCanary(folder), { timeout: 60_000 }).toEqual([])

const targetOf = (name: string, url: string, token: string): AgentTarget =>
  toAgentTarget(createAgentClient(url, { auth: { type: 'bearer', token }, maxReconnects: 0 }), {
    name,
    description: 'Repeats',
  })

async function serveOne(agent: Agent, store: AgentStore, port = 0): Promise<ListeningServer> {
  const tokens = [{ token: 'desk-token', principal: 'desk' }]
  const server = await serve([agent], {
    port,
    store,
    authentication: [{ type: 'bearer', tokens }],
  })
  cleanup.push(() => server.close(0).catch(() => undefined))
  return server
}

async function openStore(path: string): Promise<DurableStore> {
  const store = await openSqliteStore(path)
  cleanup.push(() => store.close())
  return store
}

async function tell(host: AgentHost, principal: string, sessionId = 's1'): Promise<void> {
  const message = createMessage('user', `I am ${principal}`)
  const { task, before } = await host.send({ agent: 'desk', principal, message, sessionId })
  expect((await host.settled({ principal, id: task.id }, before)).state).toBe('completed')
}

const hostOf = (agents: readonly AgentTarget[], store: DurableStore, log: unknown[] = []) => {
  const host = new AgentHost([agentOf('desk', agents)], {
    store,
    onError: (error) => log.push(String(error)),
  })
  cleanup.push(() => host.drain(100))
  return host
}

test('a person is forgotten by the agents that were called for her, and by those that these called, in every file, page and log', async () => {
  const folder = temporaryFolder('forget')
  const vaultStore = await openStore(join(folder, 'vault.db'))
  const bankStore = await openStore(join(folder, 'bank.db'))
  const deskStore = await openStore(join(folder, 'desk.db'))
  const vault = await serveOne(agentOf('vault'), vaultStore)
  const bank = await serveOne(
    agentOf('bank', [targetOf('vault', vault.url, 'desk-token')]),
    bankStore,
  )
  const log: unknown[] = []
  const host = hostOf([targetOf('bank', bank.url, 'desk-token')], deskStore, log)
  const chat = chatRoutes({
    agent: host.agentOf('desk'),
    store: deskStore,
    work: false,
    authorize: () => ({ subject: canary }),
  })
  cleanup.push(() => chat.close())
  const page = async () => (await chat.fetch(new Request('http://localhost/api/chat/s1'))).text()
  await tell(host, canary)
  await tell(host, 'bob')
  expect(await page()).toContain(canary)
  for (const name of ['vault.db', 'bank.db', 'desk.db'])
    expect(readFileSync(join(folder, `${name}-wal`), 'latin1')).toContain(canary)

  const removed: string[] = []
  const report = await deskStore.operations.forget(canary, {
    also: (ids) => Promise.resolve(void removed.push(...ids)),
  })
  expect(report).toEqual({ tasks: 1, sessions: 1, agents: ['bank'], unreached: [] })
  expect(removed).toHaveLength(1)
  await untilGone(folder)
  expect(await page()).not.toContain(canary)
  expect(log.join('\n')).not.toContain(canary)
  // What was said for somebody else stays, at every one of them.
  for (const [store, agent, principal] of [
    [deskStore, 'desk', 'bob'],
    [bankStore, 'bank', 'desk'],
    [vaultStore, 'vault', 'desk'],
  ] as const)
    expect((await store.tasks.list({ principal, agent, limit: 10 })).total).toBe(1)
})

test('an agent that is away is asked to forget until it is back, and the report says so until then', async () => {
  const folder = temporaryFolder('forget')
  const bankStore = await openStore(join(folder, 'bank.db'))
  const deskStore = await openStore(join(folder, 'desk.db'))
  const bank = await serveOne(agentOf('bank'), bankStore)
  await tell(hostOf([targetOf('bank', bank.url, 'desk-token')], deskStore), canary)
  await bank.close(0)

  const { unreached, agents } = await deskStore.operations.forget(canary)
  expect(agents).toEqual([])
  expect(unreached).toMatchObject([{ agent: 'bank', caller: 'desk', state: 'waiting' }])
  expect(unreached[0]?.reason).toMatch(/cannot be reached.*asked again until/)
  expect(filesWithCanary(folder)).not.toEqual([])

  await serveOne(agentOf('bank'), bankStore, bank.port)
  await untilGone(folder)
  await expect.poll(async () => (await deskStore.operations.forget(canary)).unreached).toEqual([])
})

test('an agent that refuses to forget is listed with what to do, also at the next look', async () => {
  const folder = temporaryFolder('forget')
  const deskStore = await openStore(join(folder, 'desk.db'))
  const bank = await serveOne(agentOf('bank'), await openStore(join(folder, 'bank.db')))
  const first = hostOf([targetOf('bank', bank.url, 'desk-token')], deskStore)
  await tell(first, canary)
  await first.drain(0)
  hostOf([targetOf('bank', bank.url, 'another-token')], deskStore)

  const { unreached } = await deskStore.operations.forget(canary)
  expect(unreached).toMatchObject([{ agent: 'bank', caller: 'desk', state: 'refused' }])
  expect(unreached[0]?.tasks).toHaveLength(1)
  expect(unreached[0]?.reason).toContain('ask whoever operates it')
  expect((await deskStore.operations.forget(canary)).unreached).toEqual(unreached)
})

test('agents that no process can ask are listed, and asked once a process serves their caller', async () => {
  const folder = temporaryFolder('forget')
  const deskStore = await openStore(join(folder, 'desk.db'))
  const bank = await serveOne(agentOf('bank'), await openStore(join(folder, 'bank.db')))
  const agents = [targetOf('bank', bank.url, 'desk-token')]
  const first = hostOf(agents, deskStore)
  await tell(first, canary)
  await first.drain(0)

  const { unreached } = await deskStore.operations.forget(canary, { waitMs: 0 })
  expect(unreached[0]?.reason).toBe('no process that serves "desk" has asked it yet; start one')
  hostOf(agents, deskStore)
  await untilGone(folder)
})

test('tasks stay if another place cannot remove what it knows of them', async () => {
  const store = await openStore(join(temporaryFolder('forget'), 'desk.db'))
  await tell(hostOf([], store), canary)
  const also = () => Promise.reject(new Error('the disk is gone'))
  await expect(store.operations.forget(canary, { also })).rejects.toThrow('the disk is gone')
  expect(await store.operations.forget(canary)).toMatchObject({ tasks: 1, sessions: 1 })
})
