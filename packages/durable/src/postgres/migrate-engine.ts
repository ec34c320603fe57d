import { setTimeout as sleep } from 'node:timers/promises'
import { BackendPostgres } from 'openworkflow/postgres'
import type { ClientPool } from './client-pool.js'
import { inTime } from './silence.js'
import { helperFunctions } from './transaction-text.js'

/** How long the engine's migrations may take before their connection counts as lost, in milliseconds. */
const migrationMs = 120_000
const lockRetryMs = 50

/**
 * Brings the engine's tables to its newest version, in one process at a time: PostgreSQL reports a duplicate even with IF NOT EXISTS when two
 * processes create a schema at once.
 */
export async function migrateEngine(
  clients: ClientPool,
  { url, schema }: { url: string; schema: string },
): Promise<void> {
  const client = await clients.acquire()
  const lock = `modelport ${schema}`
  try {
    for (;;) {
      const [row] = await inTime(client`SELECT pg_try_advisory_lock(hashtext(${lock})) AS held`)
      if (row?.['held'] === true) break
      await sleep(lockRetryMs)
    }
    const backend = await inTime(BackendPostgres.connect(withoutTypes(url), { schema }), migrationMs)
    await backend.stop()
    await inTime(client.unsafe(helperFunctions(schema)))
    await inTime(client`SELECT pg_advisory_unlock(hashtext(${lock}))`)
  } catch (error) {
    // Closing the connection gives the lock back.
    clients.discard(client)
    throw error
  }
  clients.release(client)
}

/** An address whose connections ask for no types; `PostgresDatabase` says why. */
const withoutTypes = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}fetch_types=false`
