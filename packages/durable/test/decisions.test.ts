// Decisions that reach a run while clocks differ, or while somebody works on it.

import type { ResumeDecision, RunResult } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BodyCodec } from '../src/database/body-codec.js'
import type { Database } from '../src/database/database.js'
import type { DurableRun } from '../src/index.js'
import { RunTable } from '../src/runs/run-table.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { work } from './kill/adapter/script.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult } from './support/journal-entries.js'

/** The database as a process sees it whose clock is behind. */
const behind = (database: Database, ms: number): Database =>
  new Proxy(database, {
    get: (target, name) => {
      if (name === 'now') return () => target.now() - ms
      const value = target[name as keyof Database] as unknown
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    beforeAll(async () => {
      database = await open()
      store = createDurableStore(database, {})
    })
    afterAll(() => database.close())

    test('the next run applies a decision, although its clock is behind that of the process that stored it', async () => {
      const late = createDurableStore(behind(database, 500), {})
      const run = () =>
        late.runs.run('late', (held) =>
          work(held, 'late [["pay"]]', () => Promise.resolve('paid'), 1),
        )
      expect(await run()).toMatchObject({ status: 'suspended', pending: [{ id: 'pay-0' }] })
      await store.operations.decide('late', { type: 'approve' })
      expect(await run()).toMatchObject({ status: 'final' })
    })

    test('a decision that comes while another one is applied is applied next', async () => {
      const prompt = 'both [["pay","refused"]]'
      let decide: Promise<void> | undefined
      const run = () =>
        store.runs.run('both', (held) =>
          work(
            held,
            prompt,
            async () => {
              decide = store.operations.decide(
                'both',
                { type: 'deny', reason: 'not this one' },
                'refused-0',
              )
              await decide
              return 'paid'
            },
            1,
          ),
        )
      expect(await run()).toMatchObject({
        status: 'suspended',
        pending: [{ id: 'pay-0' }, { id: 'refused-0' }],
      })
      await store.operations.decide('both', { type: 'approve' }, 'pay-0')
      expect(await run()).toMatchObject({ status: 'final' })
      expect(decide).toBeDefined()
    })

    /** Suspends a run that asks for one approval. */
    const asks = async ({ id, journal }: DurableRun): Promise<RunResult> => {
      const action = { type: 'tool_call', tool: 'pay', args: {} } as const
      const at = checkpoint(id, 1, [{ type: 'approval', id: 'c', action, digest: 'right' }])
      await journal.writeCheckpoint(at, { keep: 0, add: [{ role: 'user', content: 'Pay' }] })
      return {
        status: 'suspended',
        pending: at.pending,
        checkpoint: at,
        transcript: [],
        text: '',
      } as unknown as RunResult
    }
    const wrong = { type: 'approve', id: 'c', digest: 'wrong' } as const
    const refused: readonly (readonly [string, object, string])[] = [
      ['another digest', wrong, 'the digest is not that of the pending call'],
      ['no digest', { type: 'approve', id: 'c' }, 'the digest is not that of the pending call'],
      [
        'a result',
        { type: 'result', id: 'c', result: 'I did it' },
        'it is pending as approval, which takes approve, deny',
      ],
      ['a repetition', { type: 'repeat', id: 'c' }, 'it is pending as approval'],
      [
        'a mistyped kind',
        { type: 'aprove', id: 'c', digest: 'right' },
        'it is pending as approval',
      ],
      ['another id', { ...wrong, id: 'd' }, 'does not wait for "d"; it waits for: c'],
    ]

    test('a decision that the pending call does not take is refused and not stored, and the right one is taken then', async () => {
      await store.runs.run('picky', asks)
      for (const [, decision, message] of refused) {
        const decided = store.runs.decide('picky', decision as ResumeDecision)
        await expect(decided).rejects.toMatchObject({ name: 'DurableError', reason: 'conflict' })
        await expect(decided).rejects.toThrow(message)
      }
      expect((await store.runs.get('picky')).status).toBe('suspended')
      const right = { type: 'approve', id: 'c', digest: 'right' } as const
      await store.runs.decide('picky', right)
      await store.runs.run('picky', ({ decisions }) => {
        expect(decisions).toEqual([right])
        return Promise.resolve(finalResult('done'))
      })
    })

    test('cancel ends a run that an earlier version gave a decision that no process can apply', async () => {
      const table = new RunTable(database, new BodyCodec())
      for (const [id, cancel] of [
        ['a', store.runs],
        ['b', store.operations],
      ] as const) {
        await store.runs.run(id, asks)
        await table.decide(await table.get(id), wrong)
        await expect(
          store.runs.run(id, () => Promise.reject(new Error('the digest is not that'))),
        ).rejects.toThrow('digest')
        await cancel.cancel(id)
        expect(await store.runs.run(id, asks)).toMatchObject({ status: 'cancelled' })
      }
    })
  })
