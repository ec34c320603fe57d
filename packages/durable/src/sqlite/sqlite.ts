import { checkArguments } from '../database/check-arguments.js'
import { createDurableStore, type DurableStore, type StoreOptions } from '../store/durable-store.js'
import { openSqliteDatabase } from './open-database.js'

/**
 * Opens a SQLite file as a store, and makes it if it is not there. Any number of processes of one
 * machine may open the same file. `:memory:` keeps everything in this process.
 *
 * @throws {DurableError} `newer-schema`, `not-found`, `damaged`, `read-only`, `full`,
 * `unavailable`, `network-file`, `unsupported` — its thread cannot start
 */
export async function openSqliteStore(
  path: string,
  options: StoreOptions = {},
): Promise<DurableStore> {
  checkArguments(
    'openSqliteStore',
    { ...options, path },
    { path: 'required', encryptionKey: 'optional', leaseMs: 'optional', create: 'optional' },
  )
  return createDurableStore(
    await openSqliteDatabase(path, options.encryptionKey ?? null, options.create),
    options,
  )
}
