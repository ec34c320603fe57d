import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientPool } from './client-pool.js'
import { inTime } from './silence.js'
import { helperFunctions } from './transaction-text.js'

const lockRetryMs = 50

/**
 * Makes the schema and the functions that transactions call, in one process at a time: PostgreSQL
 * reports a duplicate even with IF NOT EXISTS when two processes create a schema at once.
 */
export async function prepareSchema(clients: ClientPool, schema: string): Promise<void> {
  const client = await clients.acquire()
  const lock = `modelport ${schema}`
  try {
    for (;;) {
      const [row] = await inTime(client`SELECT pg_try_advisory_lock(hashtext(${lock})) AS held`)
      if (row?.['held'] === true) break
      await sleep(lockRetryMs)
    }
    await inTime(
      client.unsafe(`CREATE SCHEMA IF NOT EXISTS "${schema}"; ${helperFunctions(schema)}`),
    )
    await inTime(client`SELECT pg_advisory_unlock(hashtext(${lock}))`)
  } catch (error) {
    // Closing the connection gives the lock back.
    clients.discard(client)
    throw error
  }
  clients.release(client)
}
