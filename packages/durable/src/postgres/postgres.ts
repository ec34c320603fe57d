import { migrate } from '../database/schema.js'
import { PostgresDatabase, type PostgresSettings } from './postgres-database.js'

/** Connects and brings the schema to the newest version. */
export async function openPostgresDatabase(
  url: string,
  options: Partial<Omit<PostgresSettings, 'url'>> = {},
): Promise<PostgresDatabase> {
  const settings = { schema: 'modelport', connections: 10, reconnectMs: 30_000, prepare: true, ...options, url }
  const database = await PostgresDatabase.connect(settings)
  try {
    await migrate(database, `the PostgreSQL schema "${settings.schema}"`)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
