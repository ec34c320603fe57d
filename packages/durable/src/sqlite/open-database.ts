import { existsSync } from 'node:fs'
import { DurableError } from '../database/durable-error.js'
import { prepareDatabase } from '../database/schema.js'
import { SqliteDatabase } from './sqlite-database.js'
import { threadFile } from './start-thread.js'

/** Far below the shortest lease, so that a heartbeat behind a locked file is not late. */
const busyMs = 300

/**
 * Opens the file, and makes the tables of a new one. As to the key, see {@link prepareDatabase}.
 */
export async function openSqliteDatabase(
  path: string,
  key?: Uint8Array | null,
  create: boolean = true,
): Promise<SqliteDatabase> {
  const ifAbsent = create ? undefined : 'name the file of a store'
  if (!create && !existsSync(path))
    throw new DurableError('not-found', `"${path}" does not exist; ${ifAbsent}`)
  return prepareDatabase(
    new SqliteDatabase(path, threadFile(import.meta.url), busyMs),
    `"${path}"`,
    key,
    ifAbsent,
  )
}
