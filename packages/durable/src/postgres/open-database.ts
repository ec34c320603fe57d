import { DurableError } from '../database/durable-error.js'
import { prepareDatabase } from '../database/schema.js'
import { PostgresDatabase, type PostgresSettings } from './postgres-database.js'

/** The schemas that hold a store. */
const stores = `SELECT string_agg(nspname, ', ' ORDER BY nspname) AS names FROM pg_namespace
  WHERE to_regclass(format('%I.runs', nspname)) IS NOT NULL AND to_regclass(format('%I.meta', nspname)) IS NOT NULL`

/** Connects, and makes the tables of a new schema. As to the key, see {@link prepareDatabase}. */
export async function openPostgresDatabase(
  url: string,
  {
    schema = 'modelport',
    connections = 10,
    reconnectMs = 30_000,
    prepare = true,
    create = true,
  }: Partial<PostgresSettings> = {},
  key?: Uint8Array | null,
): Promise<PostgresDatabase> {
  // The address is not repeated: it may hold a password.
  if (!/^postgres(?:ql)?:\/\/./.test(url))
    throw new DurableError(
      'unsupported',
      'the address must be postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
  const database = await PostgresDatabase.connect({
    url,
    schema,
    connections,
    reconnectMs,
    prepare,
    create,
  })
  const [row] = create ? [] : await database.read(stores)
  const ifAbsent =
    row && (row['names'] ? `schemas that do: ${row['names']}` : 'no schema of this database does')
  return prepareDatabase(database, `the PostgreSQL schema "${schema}"`, key, ifAbsent)
}
