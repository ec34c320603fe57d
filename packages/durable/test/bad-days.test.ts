// What a store says when its database is newer, damaged, full, read-only or away.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { schemaVersion } from '../src/database/schema.js'
import { openPostgresDatabase } from '../src/postgres/open-database.js'
import { openPostgresStore } from '../src/postgres/postgres.js'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { isTested } from './support/databases.js'
import { finalResult, toolIntent, toolReceipt } from './support/journal-entries.js'
import { findPostgres, type PostgresServer, startPostgres } from './support/postgres-server.js'

const done = () => Promise.resolve(finalResult('done'))

test.each(['nonsense', 'http://user:secret@localhost/agents', ''])(
  'a PostgreSQL store refuses the address "%s", says which form one has, and repeats no password',
  async (url) => {
    const message = 'the address must be postgres://USER:PASSWORD@HOST:PORT/DATABASE'
    await expect(openPostgresStore(url)).rejects.toMatchObject({ reason: 'unsupported', message })
  },
)

describe.skipIf(!isTested('SQLite'))('SQLite', () => {
  const folder = temporaryFolder('bad-days')

  test('a file of a newer version is refused, unchanged, with both versions', async () => {
    const path = join(folder, 'newer.db')
    const database = await openSqliteDatabase(path)
    await database.write([{ sql: 'UPDATE meta SET value = 99' }])
    await database.close()
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      reason: 'newer-schema',
      message: expect.stringContaining(
        `schema version 99, this version of @modelport/durable knows ${schemaVersion}`,
      ),
    })
  })

  test('a file that is not a database is refused, and not overwritten', async () => {
    const path = join(folder, 'letter.db')
    writeFileSync(path, 'Dear reader, '.repeat(1000))
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      reason: 'damaged',
      code: 'protocol',
    })
    expect(execFileSync('head', ['-c', '11', path], { encoding: 'utf8' })).toBe('Dear reader')
  })

  test('a database of another program is refused with what to do, and gets no tables', async () => {
    const path = join(folder, 'foreign.db')
    const foreign = new DatabaseSync(path)
    foreign.exec('CREATE TABLE logs (line TEXT)')
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining(
        'has tables of another program; choose another file or schema',
      ),
    })
    expect(foreign.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'logs' }])
    foreign.close()
  })

  test('create: false refuses a path without a file and a file without a store, and makes neither', async () => {
    const missing = join(folder, 'missing.db')
    await expect(openSqliteStore(missing, { create: false })).rejects.toMatchObject({
      reason: 'not-found',
      message: `"${missing}" does not exist; name the file of a store`,
    })
    expect(existsSync(missing)).toBe(false)
    const path = join(folder, 'notes.db')
    const foreign = new DatabaseSync(path)
    foreign.exec('CREATE TABLE notes (line TEXT)')
    const message = `"${path}" holds no store; name the file of a store`
    await expect(openSqliteStore(path, { create: false })).rejects.toMatchObject({
      reason: 'not-found',
      message,
    })
    expect(foreign.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'notes' }])
    foreign.close()
  })

  test('a damaged page is a typed error', async () => {
    const path = join(folder, 'damaged.db')
    const store = await openSqliteStore(path)
    for (let run = 0; run < 30; run++) await store.runs.run(`run-${run}`, done)
    await store.close()
    const size = Number(execFileSync('stat', ['-c', '%s', path], { encoding: 'utf8' }))
    execFileSync(
      'dd',
      [
        'if=/dev/urandom',
        `of=${path}`,
        'bs=1024',
        'seek=8',
        `count=${Math.floor(size / 1024) - 8}`,
        'conv=notrunc',
      ],
      { stdio: 'ignore' },
    )
    const failure = await (async () => {
      const again = await openSqliteStore(path)
      try {
        await again.runs.run('run-3', done)
        await again.runs.open()
      } finally {
        await again.close()
      }
    })().catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'damaged' })
  })

  test('a folder that does not exist is named', async () => {
    await expect(openSqliteStore(join(folder, 'missing', 'store.db'))).rejects.toMatchObject({
      reason: 'unavailable',
    })
  })

  test('a wrong key and a missing key are refused when the store is opened, which only its owner can read', async () => {
    const path = join(folder, 'secret.db')
    const store = await openSqliteStore(path, { encryptionKey: new Uint8Array(32).fill(1) })
    await store.runs.run('a', done)
    await store.close()
    await expect(openSqliteStore(path)).rejects.toThrow('is encrypted; pass its encryptionKey')
    const other = { encryptionKey: new Uint8Array(32).fill(2) }
    await expect(openSqliteStore(path, other)).rejects.toThrow('is encrypted with another key')
    await (await openSqliteStore(join(folder, 'open.db'))).close()
    await expect(openSqliteStore(join(folder, 'open.db'), other)).rejects.toThrow(
      'is not encrypted, and cannot become so; leave encryptionKey unset, or make a new store with it',
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const raw = spawnSync('grep', ['-c', 'done', path], { encoding: 'utf8' })
    expect(raw.stdout.trim()).toBe('0')
  })

  test('encryptionKey must have 32 bytes, leaseMs must be in range', async () => {
    await expect(
      openSqliteStore(':memory:', { encryptionKey: new Uint8Array(16) }),
    ).rejects.toThrow('encryptionKey must be 32 bytes')
    await expect(openSqliteStore(':memory:', { leaseMs: 10 })).rejects.toThrow(
      'between 1000 and 3600000',
    )
  })

  test('a store in memory runs, and is gone once it is closed', async () => {
    const store = await openSqliteStore(':memory:')
    expect((await store.runs.run('a', done)).text).toBe('done')
    await store.close()
    await expect(store.runs.run('a', done)).rejects.toMatchObject({ reason: 'closed' })
  })

  // A small file system of its own; needs the right to mount.
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]).status === 0
  if (!mounted) console.log('skipped: a full disk cannot be made here (mount is not allowed)')
  afterAll(() => {
    if (mounted) spawnSync('umount', [disk])
  })

  test.skipIf(!mounted)(
    'a full disk stops the run with nothing lost; with space again it continues',
    async () => {
      const store = await openSqliteStore(join(disk, 'store.db'), { leaseMs: 1000 })
      const first = await store.runs
        .run('a', async ({ journal }) => {
          await journal.writeIntent(toolIntent('a', 0))
          await journal.writeReceipt(toolReceipt('a', 0))
          await journal.writeIntent(toolIntent('a', 1))
          spawnSync('dd', ['if=/dev/zero', `of=${disk}/ballast`, 'bs=4096'], { stdio: 'ignore' })
          for (let index = 2; index < 2000; index++)
            await journal.writeIntent(toolIntent('a', index))
          return finalResult('must not get here')
        })
        .catch((error: unknown) => error)
      expect(first).toMatchObject({ reason: 'full', code: 'server' })
      spawnSync('rm', [`${disk}/ballast`])
      const again = await openSqliteStore(join(disk, 'store.db'), { leaseMs: 1000 })
      const result = await again.runs.run('a', async ({ journal }) => {
        const { entries } = (await journal.readTail({} as never))!
        expect(entries.slice(0, 2)).toEqual([toolIntent('a', 0), toolReceipt('a', 0)])
        return finalResult('continued')
      })
      expect(result.text).toBe('continued')
      await Promise.all([store.close(), again.close()])
    },
  )

  test.skipIf(!mounted)('a disk that becomes read-only is a typed error', async () => {
    const small = join(folder, 'read-only')
    mkdirSync(small)
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small])
    try {
      const store = await openSqliteStore(join(small, 'store.db'))
      await store.runs.run('a', done)
      await store.close()
      spawnSync('mount', ['-o', 'remount,ro', small])
      await expect(openSqliteStore(join(small, 'store.db'))).rejects.toMatchObject({
        reason: 'read-only',
      })
    } finally {
      spawnSync('umount', ['-l', small])
    }
  })

  test.skipIf(process.getuid?.() === 0)(
    'a file without the right to write is a typed error',
    async () => {
      const path = join(folder, 'fixed.db')
      await (await openSqliteStore(path)).close()
      chmodSync(path, 0o400)
      await expect(openSqliteStore(path)).rejects.toMatchObject({ reason: 'read-only' })
    },
  )
})

const programs = isTested('PostgreSQL') ? findPostgres() : undefined
describe.skipIf(programs === undefined)('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(programs!)
  }, 180_000)
  afterAll(() => server.stop())

  test('create: false names the schemas that hold a store, and makes no schema', async () => {
    const missing = openPostgresStore(server.url, { schema: 'typo', create: false })
    await expect(missing).rejects.toMatchObject({
      reason: 'not-found',
      message: 'the PostgreSQL schema "typo" holds no store; no schema of this database does',
    })
    for (const schema of ['right', 'also_right'])
      await (await openPostgresStore(server.url, { schema })).close()
    const store = await openPostgresStore(server.url, { schema: 'right', create: false })
    await expect(
      openPostgresStore(server.url, { schema: 'typo', create: false }),
    ).rejects.toMatchObject({
      message: 'the PostgreSQL schema "typo" holds no store; schemas that do: also_right, right',
    })
    expect(await store.runs.open()).toEqual([])
    await store.close()
    const database = await openPostgresDatabase(server.url, { schema: 'right' })
    expect(await database.read(`SELECT 1 AS n FROM pg_namespace WHERE nspname = 'typo'`)).toEqual(
      [],
    )
    await database.close()
  })

  test('a server that restarts in the middle of a run costs time, not data', async () => {
    const store = await openPostgresStore(server.url)
    const result = await store.runs.run('a', async ({ journal }) => {
      for (let index = 0; index < 20; index++) {
        await journal.writeIntent(toolIntent('a', index))
        if (index === 10) await server.restart()
        await journal.writeReceipt(toolReceipt('a', index))
      }
      return finalResult('done')
    })
    expect(result.text).toBe('done')
    expect(await store.runs.journal('a')).toHaveLength(40)
    await store.close()
  })

  test("a server that restarts while an agent's tool runs neither loses nor repeats the call", async () => {
    const store = await openPostgresStore(server.url, { schema: 'mid_step' })
    let calls = 0
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: {} },
      execute: async () => {
        calls++
        await server.restart()
        return 'paid'
      },
    })
    const agent = createAgent({
      card: { name: 'payer', description: 'Pays' },
      tools: [pay],
      policy: { default: 'allow' },
      provider: createMock({ responses: [{ toolCalls: [{ id: 'c1', name: 'pay' }] }, 'Paid.'] }),
    })
    const host = new AgentHost([agent], { store })
    const { task, before } = await host.send({
      agent: 'payer',
      principal: 'alice',
      message: createMessage('user', 'Pay'),
    })
    const done = await host.settled({ principal: 'alice', id: task.id }, before)
    expect([done.state, calls]).toEqual(['completed', 1])
    await host.drain(1000)
    await store.close()
  })

  test('a connection that breaks at any moment neither loses nor doubles a write', {
    timeout: 240_000,
  }, async () => {
    const database = await openPostgresDatabase(server.url, { schema: 'breaks' })
    const admin = await openPostgresDatabase(server.url, { schema: 'breaks' })
    await database.write([{ sql: 'CREATE TABLE tallied (n BIGINT)' }])
    const cut = async (afterMs: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      await admin.read(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%tallied%'`,
      )
    }
    // One cut for each write, so that a slow machine still makes progress.
    const writes = atSize(8, 40)
    for (let n = 0; n < writes; n++)
      await Promise.all([
        database.write([{ sql: 'INSERT INTO tallied (n) VALUES (?)', params: [n] }]),
        cut(n % 4),
      ])
    const rows = await database.read('SELECT n FROM tallied ORDER BY n')
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: writes }, (_, n) => n))
    await Promise.all([database.close(), admin.close()])
  })

  test('a server that stays away is a typed error after reconnectMs, and the store works again later', async () => {
    const store = await openPostgresStore(server.url, { reconnectMs: 200, schema: 'away' })
    await server.kill()
    await expect(store.runs.open()).rejects.toMatchObject({
      reason: 'unavailable',
      code: 'network',
      retryable: true,
    })
    await server.start()
    expect(await store.runs.open()).toEqual([])
    await store.close()
  })

  test('a store that is opened while the server restarts waits for it', async () => {
    await server.kill()
    const opening = openPostgresStore(server.url, { schema: 'early', reconnectMs: 120_000 })
    // It is refused before the server starts again.
    await expect(
      Promise.race([opening, openPostgresStore(server.url, { reconnectMs: 0 })]),
    ).rejects.toMatchObject({
      reason: 'unavailable',
    })
    await server.start()
    const store = await opening
    expect((await store.runs.run('a', done)).text).toBe('done')
    await store.close()
  })

  test('an address that nobody listens on, a wrong database and a newer schema are typed errors', async () => {
    await expect(
      openPostgresStore('postgres://127.0.0.1:1/x', { reconnectMs: 50 }),
    ).rejects.toMatchObject({
      reason: 'unavailable',
    })
    await expect(
      openPostgresStore(server.url.replace('/postgres', '/nothing'), { reconnectMs: 50 }),
    ).rejects.toThrow('check user, password and database')
    const database = await openPostgresDatabase(server.url, { schema: 'newer' })
    await database.write([{ sql: 'UPDATE meta SET value = 99' }])
    await database.close()
    await expect(openPostgresStore(server.url, { schema: 'newer' })).rejects.toMatchObject({
      reason: 'newer-schema',
    })
  })

  test('a schema with capital letters and a hyphen is a store', async () => {
    const store = await openPostgresStore(server.url, { schema: 'Agents-2' })
    expect((await store.runs.run('r', () => Promise.resolve(finalResult('done')))).text).toBe(
      'done',
    )
    await store.close()
  })

  test('the error says what to allow if the user lacks the right to make the schema', async () => {
    const database = await openPostgresDatabase(server.url)
    await database.read('CREATE ROLE guest LOGIN')
    await database.close()
    const url = server.url.replace(/\/\/[^@/]*@/, '//guest@')
    await expect(openPostgresStore(url, { schema: 'theirs' })).rejects.toMatchObject({
      reason: 'read-only',
      message:
        'PostgreSQL: permission denied for database postgres; let the user make the schema and write its tables',
    })
  })

  test('eight processes may migrate an empty schema at once', async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, () =>
        openPostgresDatabase(server.url, { schema: 'together', connections: 2 }),
      ),
    )
    expect(await opened[0]!.read('SELECT value FROM meta')).toEqual([{ value: schemaVersion }])
    await Promise.all(opened.map((database) => database.close()))
  })

  test("times are the server's, whatever the clock of the machine says", async () => {
    const database = await openPostgresDatabase(server.url, { schema: 'clock' })
    const original = Date.now
    try {
      Date.now = () => original() + 10 * 60_000
      const [row] = await database.read(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
      )
      expect(Math.abs(database.now() - Number(row?.['now']))).toBeLessThan(5000)
      const store = createDurableStore(database, { leaseMs: 1000 })
      expect((await store.runs.run('a', done)).text).toBe('done')
    } finally {
      Date.now = original
      await database.close()
    }
  })
})
