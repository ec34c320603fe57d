import { checkKey, migrate } from '../database/schema.js'
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
  return createDurableStore(await openSqliteDatabase(path, options.encryptionKey ?? null), options)
}

/**
 * Opens the file, and makes the tables of a new one.
 *
 * @param key checked against that of the store; `null`: there is none. Unset: not checked
 */
export async function openSqliteDatabase(path: string, key?: Uint8Array | null): Promise<SqliteDatabase> {
  const database = new SqliteDatabase(path, threadFile(import.meta.url), busyMs)
  try {
    const where = `the store "${path}"`
    await migrate(database, where)
    if (key !== undefined) await checkKey(database, where, key ?? undefined)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Far below the shortest lease, so that a heartbeat behind a locked file is not late. */
const busyMs = 300
