import { migrate } from '../database/schema.js'
import { checkStoreOptions, createDurableStore, type DurableStore, type StoreOptions } from '../store/durable-store.js'
import { SqliteDatabase } from './sqlite-database.js'
import { threadFile } from './start-thread.js'

/**
 * Opens a SQLite file as a store, and makes it if it is not there. Any number of processes of one machine may open the same file. `:memory:` keeps everything in this process.
 *
 * @throws {DurableError} `newer-schema`, `damaged`, `read-only`, `full`, `unavailable`, `network-file`, `unsupported` — its thread cannot start
 */
export async function openSqliteStore(path: string, options: StoreOptions = {}): Promise<DurableStore> {
  checkStoreOptions(options, 'openSqliteStore')
  return createDurableStore(await openSqliteDatabase(path), options)
}

/** Opens the file and brings it to the newest version. */
export async function openSqliteDatabase(path: string): Promise<SqliteDatabase> {
  const database = new SqliteDatabase(path, threadFile(import.meta.url), busyMs)
  try {
    await migrate(database, `the store "${path}"`)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Far below the shortest lease, so that a heartbeat behind a locked file is not late. */
const busyMs = 300
