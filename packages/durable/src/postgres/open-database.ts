import { prepareDatabase } from '../database/schema.js'
import { PostgresDatabase, type PostgresSettings } from './postgres-database.js'

/** Connects, and makes the tables of a new schema. As to the key, see {@link prepareDatabase}. */
export async function openPostgresDatabase(
  url: string,
  { schema = 'modelport', connections = 10, reconnectMs = 30_000, prepare = true }: Partial<PostgresSettings> = {},
  key?: Uint8Array | null,
): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.connect({ url, schema, connections, reconnectMs, prepare })
  return prepareDatabase(database, `the PostgreSQL schema "${schema}"`, key)
}
