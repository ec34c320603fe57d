import { prepareDatabase } from '../database/schema.js'
import { SqliteDatabase } from './sqlite-database.js'
import { threadFile } from './start-thread.js'

/** Far below the shortest lease, so that a heartbeat behind a locked file is not late. */
const busyMs = 300

/** Opens the file, and makes the tables of a new one. As to the key, see {@link prepareDatabase}. */
export const openSqliteDatabase = (path: string, key?: Uint8Array | null): Promise<SqliteDatabase> =>
  prepareDatabase(new SqliteDatabase(path, threadFile(import.meta.url), busyMs), `the store "${path}"`, key)
