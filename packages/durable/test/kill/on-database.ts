// A storm on one database, from nothing to its report.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import { Modelport } from './adapter/modelport.js'
import { openLedger } from './ledger.js'
import { bundleKill } from './program.js'
import { Storm, type StormOptions, type StormReport } from './storm.js'

export interface PlaceOptions extends Omit<StormOptions, 'subject' | 'ledger' | 'disturb'> {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly leaseMs?: number
  readonly clocks?: readonly string[]
  /** Tasks of an agent that no process serves any more. */
  readonly leftBehind?: number
  /** The bundled program of a worker. Default: it is made. */
  readonly program?: string
}

/**
 * Runs a storm in a folder of its own; PostgreSQL with `fsync`, stopped without a checkpoint after
 * every seventh kill.
 */
export async function stormOn({
  database,
  leaseMs = 1500,
  clocks,
  leftBehind = 0,
  program,
  ...storm
}: PlaceOptions): Promise<StormReport> {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-kill-'))
  const server =
    database === 'SQLite' ? undefined : await startPostgres(findPostgres() ?? '', { isSafe: true })
  const ledger = await openLedger()
  try {
    const subject = await Modelport.open({
      address: server?.url ?? join(folder, 'store.db'),
      ledger: ledger.url,
      program: program ?? (await bundleKill(folder)).worker,
      leaseMs,
      ...(clocks && { clocks }),
    })
    if (leftBehind > 0) await subject.leaveBehind(leftBehind)
    const disturb = server && (() => server.restart())
    return await new Storm({ ...storm, subject, ledger, ...(disturb && { disturb }) }).run()
  } finally {
    ledger.close()
    await server?.stop()
    rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  }
}
