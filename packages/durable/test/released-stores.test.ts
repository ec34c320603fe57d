// The stores of released versions, opened by the code of today: test/stored-forms/README.md.
import { randomUUID } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DurableStore } from '@modelport/durable'
import { openPostgresStore } from '@modelport/durable/postgres'
import { openSqliteStore } from '@modelport/durable/sqlite'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import {
  approve,
  encryptionKey,
  openClerk,
  type Payments,
  runs,
  session,
} from '../../../test/stored-forms/cases.js'
import { folderOf, versions } from '../../../test/stored-forms/versions.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { isTested } from './support/databases.js'

const url = inject('postgresUrl')

/** Opens a copy of a file: a released one is never written. */
async function openCopy(version: string, name: string, key?: Uint8Array): Promise<DurableStore> {
  const file = join(temporaryFolder('released'), name)
  cpSync(join(folderOf(version), name), file)
  return openSqliteStore(file, key && { encryptionKey: key })
}

/** Loads a dump under a schema of its own. */
async function openDump(version: string): Promise<DurableStore> {
  const schema = `released_${randomUUID().replaceAll('-', '')}`
  const dump = readFileSync(join(folderOf(version), 'store.sql'), 'utf8')
  const client = postgres(url, { max: 1, onnotice: () => undefined })
  await client.unsafe(dump.replaceAll('stored_forms', schema)).simple()
  await client.end()
  return openPostgresStore(url, { schema })
}

const forms = [
  {
    form: 'a SQLite file',
    isMissing: !isTested('SQLite'),
    open: (version: string) => openCopy(version, 'store.db'),
  },
  {
    form: 'an encrypted SQLite file',
    isMissing: !isTested('SQLite'),
    open: (version: string) => openCopy(version, 'encrypted.db', encryptionKey),
  },
  { form: 'a dump of PostgreSQL', isMissing: url === '', open: openDump },
]

for (const version of versions)
  for (const { form, isMissing, open } of forms)
    describe.skipIf(isMissing)(`${form} of ${version}`, () => {
      let store: DurableStore
      let payments: Payments
      beforeEach(async () => {
        payments = []
        store = await open(version)
      })
      afterEach(() => store.close())

      test('the store gives the result of a run that is over, and calls nothing', async () => {
        const result = await runs.finished(store, payments)
        expect(result).toMatchObject({ status: 'final', text: 'It is paid.' })
        expect(payments).toEqual([])

        const journal = await store.runs.journal('finished')
        const entries = journal.map(({ entry, kind }) => `${entry} ${kind}`)
        expect(entries).toEqual(
          ['model', 'tool', 'model'].flatMap((kind) => [`intent ${kind}`, `receipt ${kind}`]),
        )
      })

      test('the store resumes a run that waits for an approval, and pays once', async () => {
        const waiting = await runs.waiting(store, payments)
        if (waiting.status !== 'suspended') throw new Error(`the run is ${waiting.status}`)
        for (const item of waiting.pending)
          if (item.type === 'approval')
            await store.runs.decide('waiting', {
              type: 'approve',
              id: item.id,
              digest: item.digest,
              by: 'Ada',
            })
        expect(await runs.waiting(store, payments)).toMatchObject({ text: 'It is paid.' })
        expect(payments).toHaveLength(1)
      })

      test('the store asks what became of a call whose process is gone, and does not repeat it', async () => {
        const asked = await runs.interrupted(store, payments)
        if (asked.status !== 'suspended') throw new Error(`the run is ${asked.status}`)
        const [item] = asked.pending
        expect(item).toMatchObject({ type: 'uncertain', action: { args: { invoice: '3' } } })

        await store.runs.decide('interrupted', { type: 'result', id: item!.id, result: 'paid' })
        expect(await runs.interrupted(store, payments)).toMatchObject({ text: 'It is paid.' })
        expect(payments).toEqual([])
      })

      test('the store continues the task of a session after an approval, and the session remembers', async () => {
        const { host, client } = openClerk(store, payments)
        const task = await approve(client)
        expect(task).toMatchObject({ state: 'completed' })
        expect(payments).toHaveLength(1)

        const next = await client.send('What do you know?', session)
        expect(next.messages.at(-1)?.parts).toMatchObject([
          { content: 'I know 3 messages of yours.' },
        ])
        await host.drain(100)
      })

      test('the store has the budget with what was used of it', async () => {
        const budgets = await store.budgets.list('ada')
        expect(budgets).toMatchObject([{ window: 'none', maxCalls: 100, used: { calls: 2 } }])
      })
    })
