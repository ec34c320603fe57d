// What the killing test says about a second decision.
import { expect, test } from 'vitest'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { type Decided, isRefusal, judge } from './kill/oracle.js'
import type { Report } from './kill/subject.js'
import { finalResult } from './support/journal-entries.js'

const job = { id: 'j', kind: 'run', steps: [[{ name: 'mail', effect: 'once' }]] } as const
const report: Report = {
  state: 'done',
  text: 'Done.',
  events: [{ seq: 1, type: 'start' }],
  roles: ['user', 'assistant', 'tool', 'assistant'],
  results: [{ call: 'mail', text: 'seen mail' }],
}
const effects = [{ job: 'j', call: 'mail', key: 'k', worker: 'w', at: 0 }]
const settled = (id: string, isSure: boolean): Decided => ({
  question: { job: 'j', id, kind: 'uncertain', call: 'mail', key: 'k' },
  decision: { type: 'happened', result: 'seen mail' },
  isSure,
  at: 1,
})
const about = (...decided: readonly Decided[]): readonly string[] =>
  judge({ job, report, effects, decided })

test('the oracle takes a decision that got no reply for a question only if the question is another one', () => {
  expect(about(settled('mail-0', true), settled('mail-0', false))).toEqual([])
  expect(about(settled('mail-0', true), settled('mail-0', true))).toEqual([
    expect.stringContaining('asked about again'),
  ])
  expect(about(settled('mail-0', true), settled('mail-0#2', false))).toHaveLength(1)
})

test('a decision about a run that ended after its question was listed is refused, not lost', async () => {
  const store = createDurableStore(await openSqliteDatabase(':memory:'), {})
  await store.runs.run('j', () => Promise.resolve(finalResult('Done.')))
  const error: unknown = await store.runs
    .decide('j', { type: 'result', id: 'c', result: '' })
    .catch((one: unknown) => one)
  expect(String(error)).toContain('is finished: nothing can be decided')
  expect(isRefusal(error)).toBe(true)
  await store.close()
})
