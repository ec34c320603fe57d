import { checkArguments } from '../database/check-arguments.js'
import { createDurableStore, type DurableStore, type StoreOptions } from '../store/durable-store.js'
import { openPostgresDatabase } from './open-database.js'

/** Settings of {@link openPostgresStore}. */
export interface PostgresStoreOptions extends StoreOptions {
  /** The schema that holds the tables; it is made if it is not there. Default `modelport`. */
  readonly schema?: string
  /** Maximum connections of this process, without the one that listens. Default 10. */
  readonly connections?: number
  /**
   * How long a lost connection, or a server that does not accept one at the start, is tried again
   * before a call fails, in milliseconds. Default 30,000.
   */
  readonly reconnectMs?: number
  /** False sends no prepared statements, which some poolers cannot carry. Default true. */
  readonly prepare?: boolean
}

/**
 * Opens a PostgreSQL database as a store. Any number of processes on any number of machines may
 * open the same schema. Needs PostgreSQL 13 or newer, and the package `postgres`.
 *
 * @throws {DurableError} `newer-schema`, `not-found`, `unavailable`, `unsupported`
 */
export async function openPostgresStore(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<DurableStore> {
  checkArguments('openPostgresStore', options, {
    encryptionKey: 'optional',
    leaseMs: 'optional',
    create: 'optional',
    schema: 'optional',
    connections: 'optional',
    reconnectMs: 'optional',
    prepare: 'optional',
  })
  return createDurableStore(
    await openPostgresDatabase(url, options, options.encryptionKey ?? null),
    options,
  )
}
