// What lies on the disk is its owner's alone, whatever the umask: messages, results and keys are in
// it.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createReportWriter } from '@modelport/dialog/node'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { cassetteFetch } from '@modelport/provider-mock/node'
import { openFileStore } from '@modelport/studio/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { count } from './outcome.js'

let before: number
beforeEach(() => {
  before = process.umask(0)
})
afterEach(() => {
  process.umask(before)
})

/** Files of a folder that others than the owner can read or write, with their rights. */
const openToOthers = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const found = statSync(join(folder, name))
    count(1)
    return found.isFile() && (found.mode & 0o077) !== 0
      ? [`${name} ${(found.mode & 0o777).toString(8)}`]
      : []
  })

/** A folder that everybody may enter, as `/tmp` and many home folders are. */
function sharedFolder(): string {
  const folder = temporaryFolder('at-rest')
  chmodSync(folder, 0o777)
  return folder
}

test('a durable store and its log are closed to other users', async () => {
  const folder = sharedFolder()
  const store = await openSqliteStore(join(folder, 'store.db'))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['store.db-shm', 'store.db-wal']))
  expect(openToOthers(folder)).toEqual([])
  await store.close()
})

test('the runs of a studio and their log are closed to other users', async () => {
  const folder = sharedFolder()
  const store = openFileStore(join(folder, 'studio.db'))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['studio.db-shm', 'studio.db-wal']))
  expect(openToOthers(folder)).toEqual([])
  await store.close()
})

test('cassettes and reports are closed to other users', async () => {
  const folder = sharedFolder()
  await (await cassetteFetch({ path: join(folder, 'chat.json'), mode: 'record' })).close()
  mkdirSync(join(folder, 'reports'), { mode: 0o777 })
  const write = createReportWriter({ folder: join(folder, 'reports') })
  await write({ agent: 'a', time: '2026-01-01T00:00:00.000Z' } as Parameters<typeof write>[0])
  expect(readdirSync(folder)).toEqual(['chat.json', 'reports'])
  expect(openToOthers(folder)).toEqual([])
})
