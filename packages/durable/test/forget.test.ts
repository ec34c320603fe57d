// A person who is forgotten: a canary in all that was said is looked for in every row, and in the
// bytes of the file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentHost, createAgent, createMessage, createPart } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { Database } from '../src/database/database.js'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const canary = 'canary-7f3a91'
const tables = ['logs', 'entries', 'runs', 'inbox', 'outbox', 'tasks', 'sessions', 'documents']

/** The tables that hold the canary. */
const found = async (database: Database): Promise<readonly string[]> => {
  const holding: string[] = []
  for (const table of tables)
    if (JSON.stringify(await database.read(`SELECT * FROM ${table}`)).includes(canary))
      holding.push(table)
  return holding
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  parameters: { type: 'object', properties: { to: { type: 'string' } } },
  execute: ({ to }) => `paid ${String(to)}`,
})
const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { what: { type: 'string' } } },
  execute: ({ what }) => `saw ${String(what)}`,
})

/** An agent that repeats the canary wherever it can, and stops in the middle of a HOLD. */
const agentOf = (gate: Promise<void>) =>
  createAgent({
    card: { name: 'parrot', description: 'Repeats' },
    tools: [pay, look],
    policy: { rules: { 'tool.pay': 'require-approval' } },
    provider: createMock({
      defaultResponse: async function* ({ messages }) {
        const asked = messages.findLast(({ role }) => role === 'user')?.content
        const text = typeof asked === 'string' ? asked : ''
        if (messages.at(-1)?.role === 'tool') yield { text: `It was ${canary}.` }
        else if (text.startsWith('PAY'))
          yield { text: canary, toolCalls: [{ id: 'c1', name: 'pay', arguments: { to: canary } }] }
        else if (text.startsWith('LOOK'))
          yield {
            text: canary,
            toolCalls: [{ id: 'c1', name: 'look', arguments: { what: canary } }],
          }
        else {
          yield { text: `${canary} begins` }
          if (text.startsWith('HOLD')) await gate
          yield { text: ' and ends' }
        }
      },
    }),
  })

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    const cleanup: (() => Promise<unknown>)[] = []
    afterEach(async () => {
      for (const end of cleanup.splice(0).reverse()) await end()
    })

    /** Tasks of two people: over, waiting for approval, and in the middle of a reply. */
    async function fill(database: Database) {
      const gate: PromiseWithResolvers<void> = Promise.withResolvers()
      const store = createDurableStore(database, {})
      const host = new AgentHost([agentOf(gate.promise)], { store })
      cleanup.push(async () => {
        gate.resolve()
        await host.drain(100)
      })
      const send = async (principal: string, text: string, sessionId: string) => {
        const message = createMessage('user', [createPart.text(`${text} ${principal}`)])
        const { task } = await host.send({ agent: 'parrot', principal, message, sessionId })
        return { principal, id: task.id }
      }
      const look1 = await send(canary, 'LOOK', 's1')
      await host.settled(look1, 0)
      await host.settled(await send(canary, 'PAY', 's2'), 0)
      await host.settled(await send('bob', 'PAY', 's1'), 0)
      const held = await send(canary, 'HOLD', 's3')
      await expect
        .poll(async () =>
          (await store.tasks.read(held, 1)).some(({ type }) => type === 'text-delta'),
        )
        .toBe(true)
      return { store, gate, held }
    }

    test('nothing of a principal is left in any row, and a reply that was being made is not written again', async () => {
      const database = await open()
      cleanup.push(() => database.close())
      const { store, gate, held } = await fill(database)
      expect(await found(database)).toContain('entries')

      expect(await store.operations.forget(canary)).toEqual({
        tasks: 3,
        sessions: 3,
        agents: [],
        unreached: [],
      })
      gate.resolve()
      await expect.poll(() => store.tasks.load(held)).toBeUndefined()
      const bob = await store.tasks.list({ principal: 'bob', limit: 10 })
      expect(bob.total).toBe(1)
      // What the model said to bob has the canary as well; nothing of hers has.
      for (const { record } of bob.heads)
        await store.tasks.delete({ principal: 'bob', id: record.id })
      await store.sessions.delete({ principal: 'bob', agent: 'parrot', id: 's1' })
      expect(await found(database)).toEqual([])
      expect(await store.operations.forget(canary)).toMatchObject({
        tasks: 0,
        sessions: 0,
      })
    })
  })

test('nothing of a principal is left in the bytes of a SQLite file and its log', async () => {
  const path = join(temporaryFolder('forget'), 'store.db')
  const database = await openSqliteDatabase(path)
  const store = createDurableStore(database, {})
  const host = new AgentHost([agentOf(Promise.resolve())], { store })
  for (let index = 0; index < 20; index++) {
    const message = createMessage('user', `LOOK ${canary} ${'text '.repeat(index * 100)}`)
    const { task } = await host.send({
      agent: 'parrot',
      principal: canary,
      message,
      sessionId: 's',
    })
    await host.settled({ principal: canary, id: task.id }, 0)
  }
  const bytes = (): string => readFileSync(path, 'latin1') + readFileSync(`${path}-wal`, 'latin1')
  expect(bytes()).toContain(canary)
  await host.drain(100)
  await store.operations.forget(canary)
  expect(bytes()).not.toContain(canary)
  await store.close()
})
