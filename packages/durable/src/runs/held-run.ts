import { errorText } from '@modelport/core/text'
import type { ResumeDecision } from '@modelport/runtime'
import type { SqlBudgets } from '../budgets/sql-budgets.js'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { type ClaimQuery, mostRejections } from './claim.js'
import { type Company, roomOf } from './company.js'
import { instant, Lease } from './lease.js'
import { mailKey, type RunTable, type Settlement } from './run-table.js'
import { giveTurnOfRun } from './session-turns.js'
import { StoredJournal } from './stored-journal.js'
import { isOver, placeInRun, type RunRow, stoppedResult } from './stored-run.js'
import { mostCrashes } from './transitions.js'

/** The environment of a held run. */
export interface RunParts {
  readonly database: Database
  readonly codec: BodyCodec
  readonly table: RunTable
  readonly company: Company
  readonly budgets: SqlBudgets
  /** How long a claim lasts without a heartbeat, in milliseconds. */
  readonly leaseMs: number
}

/** How often a holder looks for a cancel besides being notified, in milliseconds. */
const lookMs = 500

/** A run that this process has claimed: until `end` or `release`, or until its claim is lost. */
export class HeldRun {
  readonly run: RunRow
  readonly journal: StoredJournal
  readonly decisions: readonly ResumeDecision[]
  readonly #parts: RunParts
  readonly #lease: Lease
  readonly #cancelled = new AbortController()
  readonly #unwatch: () => void
  readonly #poll: ReturnType<typeof setInterval>
  readonly #leave: () => void

  private constructor(
    parts: RunParts,
    run: RunRow,
    lease: Lease,
    decisions: readonly ResumeDecision[],
  ) {
    this.#parts = parts
    this.run = run
    this.decisions = decisions
    this.#lease = lease
    this.#leave = parts.company.enter(run.isAlone ? roomOf(run.crashes) : undefined)
    this.journal = new StoredJournal({ ...parts, run, lease, decisions })
    const look = (): void => void this.#look()
    this.#unwatch = parts.database.watch(mailKey(run.id), look)
    this.#poll = setInterval(look, lookMs).unref()
    if (run.cancel !== undefined) this.#cancel(run.cancel)
  }

  /**
   * Claims a run. `undefined`: there is none; `'again'`: what was found needed no work.
   * @param room of a suspect
   */
  static async claim(
    parts: RunParts,
    query: Omit<ClaimQuery, 'leaseMs' | 'isAlone'>,
    room = 1,
  ): Promise<HeldRun | 'again' | undefined> {
    const { table, leaseMs, company, database } = parts
    const claimedAt = instant()
    const run = await table.claim({ ...query, leaseMs, isAlone: company.admits(room) })
    if (run === undefined || run === 'again') return run
    const extend = async (): Promise<boolean> =>
      (await database.write([table.fence(run, leaseMs)])).ok
    const lease = new Lease(run.id, leaseMs, claimedAt, extend)
    try {
      const held = new HeldRun(parts, run, lease, await table.decisions(run))
      if (run.crashes < (run.result === undefined ? mostCrashes : mostRejections)) return held
      await held.end({ status: 'stopped', result: crashLoop(run) })
      return 'again'
    } catch (error) {
      lease.stop()
      throw error
    }
  }

  /** Aborts when the claim is lost or the run is cancelled. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lease.signal, this.#cancelled.signal])
  }

  get isCancelled(): boolean {
    return this.#cancelled.signal.aborted
  }

  /** What keeps this process from storing anything more for the run. */
  get failure(): Error | undefined {
    const { signal } = this.#lease
    if (this.journal.failure !== undefined) return this.journal.failure
    return signal.aborted ? new DurableError('fenced', (signal.reason as Error).message) : undefined
  }

  /**
   * Ends the hold, with everything that waits to be stored, in one transaction.
   *
   * @throws {DurableError} `fenced`, or the database's failure
   */
  async end(settlement: Settlement): Promise<void> {
    const { id, mail, checks } = this.run
    // The decisions belong to earlier checkpoints. A run that stopped may continue from its own.
    const usesUp = settlement.status !== 'stopped' && (isOver(settlement) || mail > 0)
    await this.journal.commit((change) => {
      if (usesUp)
        change.run({ sql: 'DELETE FROM inbox WHERE run = ? AND about <= ?', params: [id, checks] })
      change.settle(settlement)
      if (settlement.status === 'stopped')
        change.run(...giveTurnOfRun(id, this.#parts.database.now()))
    })
    this.stop()
    this.#parts.table.notifyDue(this.run)
  }

  /**
   * Gives the run back unfinished: another worker continues it at once, or a little later if its
   * function rejected, which counts as a crash.
   */
  async release({ rejection }: { readonly rejection?: unknown } = {}): Promise<void> {
    await this.journal.flush().catch(() => undefined)
    this.stop()
    await this.#parts.table.release(
      this.run,
      rejection === undefined ? undefined : failureOf(rejection),
    )
  }

  /** Ends what this process does for the run, not the hold in the store. */
  stop(): void {
    this.#lease.stop()
    this.#unwatch()
    clearInterval(this.#poll)
    this.#leave()
  }

  async #look(): Promise<void> {
    // A suspect that has stored something new is not one any more.
    if (this.run.isAlone && this.journal.hasProgress) this.#leave()
    try {
      const { database, codec } = this.#parts
      const [row] = await database.read('SELECT cancel FROM runs WHERE id = ?', [this.run.id])
      if (!row || row['cancel'] === null) return
      const place = placeInRun(this.run.id, 'cancel')
      this.#cancel(String(codec.decode(row['cancel'], place)))
    } catch {
      // The database is away: the heartbeat reports it in time.
    }
  }

  #cancel(reason: string): void {
    this.#cancelled.abort(new DurableError('finished', `cancelled: ${reason}`))
  }
}

function crashLoop({ id, crashes, result }: RunRow): object {
  const { error } = (result ?? {}) as { readonly error?: { readonly message?: string } }
  const why =
    error?.message === undefined
      ? 'look for what ends its process'
      : `it rejected with: ${error.message}`
  return stoppedResult(
    'unknown',
    'crash-loop',
    `run "${id}" was claimed ${crashes} times in a row without storing anything; ${why}`,
  )
}

const failureOf = (error: unknown): object => ({
  status: 'failed',
  error: { message: errorText(error) },
})
