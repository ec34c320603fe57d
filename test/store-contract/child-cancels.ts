import type { ChildCancel } from '@modelport/agent'
import type { StoreContractCase } from './case.js'
import { keyOf, same } from './tools.js'

const rowOf = (taskId: string, fields: Partial<ChildCancel> = {}): ChildCancel => ({
  key: keyOf('t'),
  agent: 'a',
  target: 'bank',
  taskId,
  attempts: 0,
  dueAt: 0,
  giveUpAt: 1_000,
  ...fields,
})

/** Rules of {@link ChildCancels}. */
export const contractOfChildCancels: readonly StoreContractCase[] = [
  {
    title:
      'a cancel of a delegated task is claimed once, by a process that serves the agent, until it is settled',
    run: async ({ cancels }) => {
      await cancels.put(rowOf('c'))
      await cancels.put(rowOf('c', { dueAt: 50 }))
      await cancels.put(rowOf('d', { agent: 'b' }))
      same(await cancels.claim([], 10, 9, 100), [], 'rows of no agent')
      same(await cancels.claim(['a'], 10, 9, 100), [rowOf('c')], 'rows')
      same(await cancels.claim(['a'], 10, 9, 100), [], 'rows during the lease')
      same(await cancels.claim(['a'], 111, 9, 100), [rowOf('c')], 'rows after the lease')
      await cancels.settle(rowOf('c'), 'done')
      same(await cancels.nextDueAt(['a']), undefined, 'when the next row is due')
      same(await cancels.nextDueAt(['a', 'b']), 0, 'when the row of the other agent is due')
      same(await cancels.dead(), [], 'dead rows')
    },
  },
  {
    title:
      'a cancel that failed is due later with one more attempt, and one that was given up is kept',
    run: async ({ cancels }) => {
      await cancels.put(rowOf('c'))
      await cancels.claim(['a'], 0, 9, 100)
      await cancels.settle(rowOf('c'), { retryAt: 500 })
      same(await cancels.nextDueAt(['a']), 500, 'when it is due')
      same(await cancels.claim(['a'], 499, 9, 100), [], 'rows before it is due')
      const again = rowOf('c', { attempts: 1, dueAt: 500 })
      same(await cancels.claim(['a'], 500, 9, 100), [again], 'rows when it is due')
      await cancels.settle(again, 'dead')
      same(await cancels.dead(), [again], 'dead rows')
      same(await cancels.claim(['a'], 5_000, 9, 100), [], 'rows after it was given up')
    },
  },
]
