// Back-ups: taken while workers write, restored, and continued.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { openPostgresStore } from '../src/postgres/postgres.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import type { DurableStore } from '../src/store/durable-store.js'
import { definitionOf, type Effects, promptOf } from './kill/adapter/script.js'
import { jobOf } from './kill/storm.js'
import { isTested } from './support/databases.js'
import { finalResult } from './support/journal-entries.js'
import { findPostgres, startPostgres } from './support/postgres-server.js'

const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`)
/** Six calls, none of which needs an approval. */
const steps = Array.from({ length: 3 }, () => jobOf(5).steps[0] ?? [])
const done = () => Promise.resolve(finalResult('done'))

/**
 * Starts the runs and a worker, and takes the back-up in the middle of its work; the worker
 * finishes afterwards.
 */
async function workAround(store: DurableStore, takeBackup: () => Promise<void>): Promise<void> {
  let release: () => void = () => undefined
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  // One is not finished when the back-up is taken, however fast the worker is.
  const effects: Effects = async ({ job, call }) => {
    if (job === 'run-11') await isReleased
    return `done ${call}`
  }
  const work = definitionOf(effects, 1)
  await store.runs.run('before', done)
  for (const id of ids) await store.runs.start(id, work, promptOf({ id, steps }))
  const worker = store.runs.work([work])
  await expect.poll(async () => (await store.runs.journal('run-0')).length).toBeGreaterThan(4)
  await takeBackup()
  release()
  await Promise.all(ids.map((id) => store.runs.result(id)))
  await worker.stop()
}

/**
 * Continues everything that the back-up has. Effects that were made after it are unknown to it: the
 * ledger is a new one.
 */
async function expectContinues(store: DurableStore): Promise<void> {
  expect(
    (await store.runs.run('before', () => Promise.reject(new Error('must not run')))).text,
  ).toBe('done')
  const unfinished = (await store.runs.open()).length
  expect(unfinished).toBeGreaterThan(0)
  const worker = store.runs.work([definitionOf(({ call }) => Promise.resolve(`done ${call}`), 1)])
  const settle = async (): Promise<number> => {
    const open = await store.runs.open()
    for (const { id, status, checkpoint } of open)
      for (const item of status === 'suspended' ? (checkpoint?.pending ?? []) : [])
        await store.runs.decide(id, { type: 'repeat', id: item.id }).catch(() => undefined)
    return open.length
  }
  await expect.poll(settle).toBe(0)
  for (const id of ids) expect((await store.runs.result(id)).status).toBe('final')
  await worker.stop()
}

describe('SQLite', () => {
  const folder = temporaryFolder('backup')
  const copyOf = (path: string, copy: string): void => {
    const database = new DatabaseSync(path)
    database.exec(`VACUUM INTO '${copy}'`)
    database.close()
  }

  test('a copy that SQLite makes while a worker writes opens as a store, and its runs continue', async () => {
    const path = join(folder, 'store.db')
    const copy = join(folder, 'copy.db')
    const store = await openSqliteStore(path, { leaseMs: 6000 })
    await workAround(store, () => {
      copyOf(path, copy)
      return Promise.resolve()
    })
    expect(await store.runs.open()).toEqual([])
    await store.close()
    const restored = await openSqliteStore(copy, { leaseMs: 6000 })
    await expectContinues(restored)
    await restored.close()
  })

  test('a copy of an encrypted store is encrypted', async () => {
    const encryptionKey = new Uint8Array(32).fill(7)
    const [path, copy] = [join(folder, 'secret.db'), join(folder, 'secret-copy.db')]
    const store = await openSqliteStore(path, { encryptionKey })
    await store.runs.run('a', () => Promise.resolve(finalResult('a secret')))
    copyOf(path, copy)
    await store.close()
    expect(spawnSync('grep', ['-c', 'a secret', copy], { encoding: 'utf8' }).stdout.trim()).toBe(
      '0',
    )
    const restored = await openSqliteStore(copy, { encryptionKey })
    expect((await restored.runs.run('a', done)).text).toBe('a secret')
    await restored.close()
  })
})

const programs = isTested('PostgreSQL') ? findPostgres() : undefined
const hasDump = programs !== undefined && existsSync(join(programs, 'pg_dump'))
test.skipIf(!hasDump)(
  'PostgreSQL: a dump taken while a worker writes is restored, and its runs continue',
  async () => {
    const folder = temporaryFolder('backup')
    const server = await startPostgres(programs!)
    try {
      const store = await openPostgresStore(server.url, { leaseMs: 6000 })
      const dump = join(folder, 'agents.dump')
      const run = (program: string, args: readonly string[]) =>
        execFileSync(join(programs!, program), args)
      await workAround(store, () => {
        run('pg_dump', ['--format=custom', '--schema=modelport', `--file=${dump}`, server.url])
        return Promise.resolve()
      })
      await store.close()
      const restoredUrl = server.url.replace('/postgres', '/restored')
      run('createdb', [`--maintenance-db=${server.url}`, 'restored'])
      run('pg_restore', [`--dbname=${restoredUrl}`, dump])
      const restored = await openPostgresStore(restoredUrl, { leaseMs: 6000 })
      await expectContinues(restored)
      await restored.close()
    } finally {
      await server.stop()
    }
  },
  240_000,
)
