import { DurableError } from '../database/durable-error.js'
import { prepareDatabase } from '../database/schema.js'
import { PostgresDatabase, type PostgresSettings } from './postgres-database.js'

/** Connects, and makes the tables of a new schema. As to the key, see {@link prepareDatabase}. */
export async function openPostgresDatabase(
  url: string,
  { schema = 'modelport', connections = 10, reconnectMs = 30_000, prepare = true }: Partial<PostgresSettings> = {},
  key?: Uint8Array | null,
): Promise<PostgresDatabase> {
  // The address is not repeated: it may hold a password.
  if (!/^postgres(?:ql)?:\/\/./.test(url))
    throw new DurableError('unsupported', 'the address must be postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  const database = await PostgresDatabase.connect({ url, schema, connections, reconnectMs, prepare })
  return prepareDatabase(database, `the PostgreSQL schema "${schema}"`, key)
}
