import type { AgentStore, InboxItemBody, OutboxRow, PushConfig } from '@modelport/agent'
import type { StoreContractCase } from './case.js'
import { keyOf, recordOf, same } from './tools.js'

const at = '2026-01-01T00:00:00.000Z'
const rowOf = (seq: number, fields: Partial<OutboxRow> = {}): OutboxRow => ({
  key: keyOf('t'),
  configId: 'c',
  seq,
  payload: '{}',
  attempts: 0,
  dueAt: 0,
  ...fields,
})
const config: PushConfig = {
  id: 'c',
  taskId: 't',
  url: 'https://example.com/',
  token: 'a token',
  authentication: { scheme: 'Bearer', credentials: 'a secret' },
}

const withTask = async ({ tasks, pushConfigs }: AgentStore): Promise<void> => {
  await tasks.create(recordOf('t'), [])
  await pushConfigs.put(keyOf('t'), config)
}

/** Rules of {@link Inbox}, {@link Outbox} and {@link PushConfigStore}. */
export const contractOfOutbox: readonly StoreContractCase[] = [
  {
    title: 'the inbox gives items in order until they are taken',
    run: async ({ tasks, inbox }) => {
      await tasks.create(recordOf('t'), [])
      const cancel: InboxItemBody = { type: 'cancel', principal: 'alice' }
      await inbox.put(keyOf('t'), { type: 'approval', requestId: 'r', approved: true, principal: 'alice' }, at)
      await inbox.put(keyOf('t'), cancel, at)
      const pending = await inbox.pending(keyOf('t'))
      same(
        pending.map(({ seq, type }) => [seq, type]),
        [
          [1, 'approval'],
          [2, 'cancel'],
        ],
        'items',
      )
      await inbox.take(keyOf('t'), 1)
      same(
        (await inbox.pending(keyOf('t'))).map(({ seq }) => seq),
        [2],
        'items that are left',
      )
      same(await inbox.pending(keyOf('t', 'bob')), [], 'items of another principal')
    },
  },
  {
    title: 'the first decision on an approval counts',
    run: async ({ tasks, inbox }) => {
      await tasks.create(recordOf('t'), [])
      const decide = (approved: boolean) =>
        inbox.put(keyOf('t'), { type: 'approval', requestId: 'r', approved, principal: 'alice' }, at)
      same([await decide(false), await decide(true)], [true, false], 'added decisions')
      await inbox.take(keyOf('t'), 1)
      same(await decide(true), false, 'a decision after the first was applied')
    },
  },
  {
    title: 'push configurations are kept per principal and task',
    run: async (store) => {
      await withTask(store)
      const { pushConfigs } = store
      same(await pushConfigs.get(keyOf('t'), 'c'), config, 'configuration')
      same(await pushConfigs.get(keyOf('t', 'bob'), 'c'), undefined, 'configuration of another principal')
      await pushConfigs.put(keyOf('t'), { ...config, url: 'https://example.com/2' })
      same((await pushConfigs.list(keyOf('t'))).length, 1, 'configurations after a replacement')
      await pushConfigs.delete(keyOf('t'), 'c')
      await pushConfigs.delete(keyOf('t'), 'c')
      same(await pushConfigs.list(keyOf('t')), [], 'configurations after delete')
    },
  },
  {
    title: 'the outbox gives the rows of a configuration one at a time, in order',
    run: async (store) => {
      await withTask(store)
      const { outbox } = store
      for (const seq of [2, 1, 2, 3]) await outbox.put(rowOf(seq))
      for (const seq of [1, 2, 3]) {
        const claimed = await outbox.claim(10, 9, 1_000)
        same(
          claimed.map((row) => row.seq),
          [seq],
          'claimed rows',
        )
        same(await outbox.claim(10, 9, 1_000), [], 'rows during the lease')
        for (const row of claimed) await outbox.settle(row, 'delivered')
      }
      same(await outbox.nextDueAt(), undefined, 'when the next row is due')
    },
  },
  {
    title: 'a row that failed is due later with one more attempt, and a lease that ran out is claimed again',
    run: async (store) => {
      await withTask(store)
      const { outbox } = store
      await outbox.put(rowOf(1))
      const [first] = await outbox.claim(0, 1, 100)
      same((await outbox.claim(101, 1, 100)).length, 1, 'rows after the lease')
      if (first) await outbox.settle(first, { retryAt: 500 })
      same(await outbox.nextDueAt(), 500, 'when it is due')
      same(await outbox.claim(499, 1, 100), [], 'rows before it is due')
      const [again] = await outbox.claim(500, 1, 100)
      same(again?.attempts, 1, 'attempts')
      if (again) await outbox.settle(again, 'dead')
      same(
        (await outbox.dead()).map(({ seq }) => seq),
        [1],
        'dead rows',
      )
    },
  },
  {
    title: 'deleting a configuration removes its undelivered notifications',
    run: async (store) => {
      await withTask(store)
      await store.outbox.put(rowOf(1))
      await store.pushConfigs.delete(keyOf('t'), 'c')
      same(await store.outbox.claim(10, 9, 100), [], 'rows')
    },
  },
]
