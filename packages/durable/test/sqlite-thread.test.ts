// What a program says that cannot start the thread of a SQLite store.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { bundlePrograms } from '../../../test/support/bundle.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { SqliteDatabase } from '../src/sqlite/sqlite-database.js'
import { threadFile } from '../src/sqlite/start-thread.js'

const folder = temporaryFolder('thread')
const sqlite = join(import.meta.dirname, '../src/sqlite')
let program: string

beforeAll(async () => {
  const source = join(folder, 'open.ts')
  writeFileSync(
    source,
    `import { openSqliteStore } from ${JSON.stringify(join(sqlite, 'sqlite.ts'))}
    openSqliteStore(process.argv[2]!).then(
      (store) => store.close(),
      ({ name, reason, code, message, cause }) => {
        console.log(JSON.stringify({ name, reason, code, message, cause: String(cause) }))
      },
    )`,
  )
  const programs = await bundlePrograms(folder, {
    open: source,
    'sqlite-thread': join(sqlite, 'sqlite-thread.ts'),
  })
  program = programs.open
})

/** What the program prints: its error, or nothing. */
const open = (file: string, ...flags: string[]): unknown => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, file, join(folder, 'store.db')],
    {
      encoding: 'utf8',
    },
  )
  return stdout === '' ? { stderr } : (JSON.parse(stdout) as unknown)
}

test('Node without node:sqlite is told which Node has it', () => {
  expect(open(program, '--no-experimental-sqlite')).toMatchObject({
    name: 'DurableError',
    reason: 'unsupported',
    code: 'unsupported',
    message: expect.stringMatching(
      /cannot start its thread: .*node:sqlite.*; use Node 22\.19 or newer/,
    ),
    cause: expect.stringContaining('node:sqlite'),
  })
})

test('a process that may not start threads is told the flag', () => {
  expect(open(program, '--permission', '--allow-fs-read=*')).toMatchObject({
    reason: 'unsupported',
    message: expect.stringContaining('--allow-worker'),
  })
})

test('a bundle without the file of the thread says what is missing, where, and what to do', () => {
  rmSync(join(folder, 'sqlite-thread.mjs'))
  expect(open(program)).toMatchObject({
    reason: 'unsupported',
    message: expect.stringMatching(
      /Cannot find module .*sqlite-thread\.mjs.*; do not bundle @modelport\/durable/,
    ),
  })
})

test('a bundle in CommonJS, whose modules have no URL, says what to do', () => {
  expect(() => threadFile(undefined)).toThrow(
    expect.objectContaining({
      reason: 'unsupported',
      message: expect.stringContaining('do not bundle @modelport/durable'),
    }),
  )
})

test('a thread that ends later is reported with its cause, by the call that waits and by later calls', async () => {
  const file = join(folder, 'ends.mjs')
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'
    let count = 0
    parentPort.on('message', ({ id }) => {
      if (++count === 2) throw new Error('out of luck')
      parentPort.postMessage({ id, value: [] })
    })`,
  )
  const database = new SqliteDatabase('store.db', pathToFileURL(file), 300)
  expect(await database.read('SELECT 1')).toEqual([])
  const ended = {
    reason: 'closed',
    message: expect.stringContaining('ended: out of luck'),
    cause: expect.any(Error),
  }
  await expect(database.read('SELECT 1')).rejects.toMatchObject(ended)
  await expect(database.read('SELECT 1')).rejects.toMatchObject(ended)
  await database.close()
})
