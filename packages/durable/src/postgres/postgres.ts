import { migrate } from '../database/schema.js'
import { PostgresDatabase } from './postgres-database.js'

/** Connects and brings the schema to the newest version. */
export async function openPostgresDatabase(url: string): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.connect({
    url,
    schema: 'modelport',
    connections: 10,
    reconnectMs: 30_000,
    prepare: true,
  })
  try {
    await migrate(database, 'the PostgreSQL schema "modelport"')
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
