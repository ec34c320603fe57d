import { migrate } from '../database/schema.js'
import { SqliteDatabase } from './sqlite-database.js'

/** Opens the file and brings it to the newest version. */
export async function openSqliteDatabase(path: string): Promise<SqliteDatabase> {
  const database = new SqliteDatabase(path, thread, busyMs)
  try {
    await migrate(database, `the store "${path}"`)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Far below the shortest lease, so that a heartbeat behind a locked file is not late. */
const busyMs = 1000
const thread = new URL(import.meta.url.endsWith('.ts') ? './sqlite-thread.ts' : './sqlite-thread.js', import.meta.url)
