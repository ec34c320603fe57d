// Somebody who can write the store, and has not its key: a body that is moved to another row, an
// older one that is put back, and one that is not encrypted are damaged, and nothing is executed.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type RunResult } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database, SqlValue } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const encryptionKey = new Uint8Array(32).fill(7)
const damaged = {
  reason: 'damaged',
  message: expect.stringContaining(
    'it was changed, is that of another row or an older one',
  ) as string,
}

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let paid: number[]
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, { encryptionKey })
      paid = []
    })
    afterEach(() => store.close())

    const read = async (sql: string, ...params: readonly SqlValue[]): Promise<SqlValue> =>
      Object.values((await database.read(sql, params))[0] ?? {})[0] ?? null
    const write = (sql: string, ...params: readonly SqlValue[]) =>
      database.write([{ sql, params, expect: 1 }])

    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: { amount: { type: 'number' } } },
      execute: ({ amount }: { amount: number }) => {
        paid.push(amount)
        return `paid ${amount}`
      },
    })

    /** A run that asks before it pays each of these amounts, one in a step. */
    const run = (id: string, ...amounts: readonly number[]): Promise<RunResult> =>
      store.runs.run(id, (durable) =>
        infer(
          createMock({
            defaultResponse: ({ messages }) => {
              const done = messages.filter(({ role }) => role === 'tool').length
              const amount = amounts[done]
              return amount === undefined
                ? 'done'
                : { toolCalls: [{ id: `c${done}`, name: 'pay', arguments: { amount } }] }
            },
          }),
          durable.request({
            query: 'pay',
            tools: [pay],
            authorize: () => ({ effect: 'require-approval' }),
          }),
        ),
      )

    const approve = async (id: string): Promise<void> => {
      const [item] = (await store.runs.get(id)).checkpoint?.pending ?? []
      if (item?.type !== 'approval') throw new Error('nothing to approve')
      await store.runs.decide(id, { type: 'approve', id: item.id, digest: item.digest, by: 'Ida' })
    }

    test('the checkpoint of another run is damaged, and the run pays nothing', async () => {
      await run('small', 1)
      await run('large', 5000)
      const body = await read(`SELECT checkpoint FROM runs WHERE id = 'large'`)
      await write(`UPDATE runs SET checkpoint = ? WHERE id = 'small'`, body)
      await expect(store.runs.get('small')).rejects.toMatchObject(damaged)
      await expect(approve('small')).rejects.toMatchObject(damaged)
      expect(paid).toEqual([])
    })

    test('an older checkpoint of the same run is damaged, and the run pays nothing twice', async () => {
      await run('a', 1, 2)
      const older = await read(`SELECT checkpoint FROM runs WHERE id = 'a'`)
      await approve('a')
      await run('a', 1, 2)
      expect(paid).toEqual([1])
      await write(`UPDATE runs SET checkpoint = ? WHERE id = 'a'`, older)
      await expect(store.runs.get('a')).rejects.toMatchObject(damaged)
      expect(paid).toEqual([1])
    })

    test('a checkpoint that is not encrypted is damaged in a store with a key', async () => {
      await run('a', 1)
      const { checkpoint } = await store.runs.get('a')
      const forged = JSON.stringify({ ...checkpoint, pending: [] })
      await write(`UPDATE runs SET checkpoint = ? WHERE id = 'a'`, forged)
      await expect(store.runs.get('a')).rejects.toMatchObject(damaged)
    })

    test('an approval of one run approves no other one', async () => {
      await run('small', 1)
      await run('large', 5000)
      await approve('small')
      const { checks } = (await database.read(`SELECT checks FROM runs WHERE id = 'large'`))[0]!
      const id = JSON.stringify(['large', Number(checks), 'c0'])
      await write(`UPDATE inbox SET run = 'large', id = ? WHERE run = 'small'`, id)
      await write(`UPDATE runs SET mail = 1, status = 'ready', due = 0 WHERE id = 'large'`)
      await expect(run('large', 5000)).rejects.toMatchObject(damaged)
      expect(paid).toEqual([])
    })

    test('entries of the journal that are moved to another run or number are damaged', async () => {
      await run('a', 1)
      await approve('a')
      await run('a', 1)
      await run('b', 1)
      await approve('b')
      await run('b', 1)
      const last = Number(await read(`SELECT max(seq) FROM entries WHERE log = 'journal:a'`))
      const body = await read(`SELECT body FROM entries WHERE log = 'journal:b' AND seq = ?`, last)
      await write(`UPDATE entries SET body = ? WHERE log = 'journal:a' AND seq = ?`, body, last)
      await expect(store.runs.journal('a')).rejects.toMatchObject(damaged)
      await write(`DELETE FROM entries WHERE log = 'journal:b' AND seq = ?`, last)
      await write(`UPDATE entries SET seq = ? WHERE log = 'journal:b' AND seq = ?`, last, last - 1)
      await expect(store.runs.journal('b')).rejects.toMatchObject(damaged)
    })

    const payer = createAgent({
      card: { name: 'payer', description: 'Pays' },
      provider: createMock({
        defaultResponse: { toolCalls: [{ name: 'pay', arguments: { amount: 1 } }] },
      }),
      tools: [pay],
      policy: { rules: { 'tool.pay': 'require-approval' } },
    })

    /** A task of alice that waits for an approval. */
    const waiting = async (own: DurableStore): Promise<{ host: AgentHost; id: string }> => {
      const host = new AgentHost([payer], { store: own })
      const message = createMessage('user', 'Pay')
      const { task, before } = await host.send({ agent: 'payer', principal: 'alice', message })
      await host.settled({ principal: 'alice', id: task.id }, before)
      await host.drain(1_000)
      return { host, id: task.id }
    }

    test('a task that is given to another principal is damaged, also in a store without a key', async () => {
      const plain = await open()
      const own = createDurableStore(plain, {})
      const { host, id } = await waiting(own)
      await plain.write([{ sql: `UPDATE tasks SET principal = 'mallory'` }])
      const moved = { reason: 'damaged', message: expect.stringContaining('was moved') as string }
      await expect(host.get({ principal: 'mallory', id })).rejects.toMatchObject(moved)
      await own.close()
    })

    test('a task whose state is changed back is damaged', async () => {
      const { host, id } = await waiting(store)
      await write(`UPDATE tasks SET state = 'working'`)
      await expect(host.get({ principal: 'alice', id })).rejects.toMatchObject(damaged)
    })
  })
