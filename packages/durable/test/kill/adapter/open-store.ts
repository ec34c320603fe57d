import { openPostgresStore } from '../../../src/postgres/postgres.js'
import { openSqliteStore } from '../../../src/sqlite/sqlite.js'

/** The store at an address: PostgreSQL, or a file. */
export const openStore = (address: string, leaseMs: number) =>
  address.startsWith('postgres:')
    ? openPostgresStore(address, { connections: 4, reconnectMs: 20_000, leaseMs })
    : openSqliteStore(address, { leaseMs })
