import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Statement } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { instant, Lease } from './lease.js'
import { mailKey, type RunInbox, type RunMail } from './run-inbox.js'
import { mostCrashes, type RunStatus, type RunTable, type StoredRun } from './run-table.js'
import { StoredJournal } from './stored-journal.js'

/** What runs work with. */
export interface RunParts {
  readonly database: Database
  readonly codec: BodyCodec
  readonly table: RunTable
  readonly inbox: RunInbox
  /** How long a claim lasts without a heartbeat, in milliseconds. */
  readonly leaseMs: number
}

/** How often a holder looks for mail besides being notified, in milliseconds. */
const mailMs = 500

/** A run that this process has claimed: until `end` or `release`, or until its claim is lost. */
export class HeldRun {
  readonly run: StoredRun
  readonly journal: StoredJournal
  /** Mail that was there when the run was claimed. */
  readonly mail: readonly RunMail[]
  readonly #parts: RunParts
  readonly #lease: Lease
  readonly #canceled = new AbortController()
  readonly #unwatch: () => void
  readonly #poll: ReturnType<typeof setInterval>
  #seenMail: number

  private constructor(parts: RunParts, run: StoredRun, lease: Lease, journal: StoredJournal, mail: readonly RunMail[]) {
    this.#parts = parts
    this.run = run
    this.journal = journal
    this.mail = mail
    this.#lease = lease
    lease.onBeat = () => parts.database.write([parts.table.fence(run, false)])
    this.#seenMail = mail.length
    const look = (): void => void this.#look()
    this.#unwatch = parts.database.watch(mailKey(run.id), look)
    this.#poll = setInterval(look, mailMs).unref()
    look()
  }

  /** Claims the next run of a queue. `undefined`: there is none; `'again'`: what was claimed needed no work. */
  static async claim(parts: RunParts, queue: string): Promise<HeldRun | 'again' | undefined> {
    const { database, table, leaseMs, inbox } = parts
    const claimedAt = instant()
    const claim = await database.engine.claim(queue, leaseMs)
    if (!claim) return undefined
    const lease = new Lease(database.engine, claim, leaseMs, claimedAt)
    try {
      const run = await table.take(claim)
      if (!run) {
        lease.stop()
        return 'again'
      }
      const [journal, mail] = await Promise.all([StoredJournal.open({ ...parts, run, lease }), inbox.pending(run.id)])
      const held = new HeldRun(parts, run, lease, journal, mail)
      if (run.crashes < mostCrashes) return held
      await held.end('stopped', crashLoop(run))
      return 'again'
    } catch (error) {
      lease.stop()
      throw error
    }
  }

  /** Aborts when the claim is lost or the run is canceled. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lease.signal, this.#canceled.signal])
  }

  /** True once somebody canceled the run. */
  get isCanceled(): boolean {
    return this.#canceled.signal.aborted
  }

  /** What keeps this process from storing anything more for the run. */
  get failure(): Error | undefined {
    const { signal } = this.#lease
    if (this.journal.failure !== undefined) return this.journal.failure
    return signal.aborted ? new DurableError('fenced', (signal.reason as Error).message) : undefined
  }

  /**
   * Ends the hold. False if mail came that was not seen, and nothing was stored: continue with it.
   *
   * @throws {DurableError} `fenced`, or the database's failure
   */
  async end(
    status: Exclude<RunStatus, 'running' | 'ready'>,
    result: unknown,
    { statements = [], wake }: { readonly statements?: readonly Statement[]; readonly wake?: number } = {},
  ): Promise<boolean> {
    const { table, inbox, database } = this.#parts
    const { id } = this.run
    const settle = [...statements, inbox.takeAll(id), table.settle(this.run, status, result, wake)]
    // A run that is over has no use for mail that it has not seen.
    const seen = status === 'suspended' ? this.#seenMail : (await inbox.pending(id)).length
    if (!(await this.journal.settle(settle, seen))) {
      if (status === 'suspended') return false
      return this.end(status, result, { statements, ...(wake !== undefined && { wake }) })
    }
    this.#stop()
    const { claim } = this.#lease
    if (status !== 'suspended') await database.engine.finish(claim)
    else
      await database.engine.sleep(claim, {
        ...(wake !== undefined && { until: wake }),
        hasWork: async () => (await inbox.pending(id)).length > 0,
      })
    database.notify(stateKey(id))
    return true
  }

  /** Gives the run back unfinished: another worker continues it at once, or a little later if its function rejected, which counts like a crash. */
  async release({ rejection }: { readonly rejection?: unknown } = {}): Promise<void> {
    this.#stop()
    const { table, database } = this.#parts
    const { claim } = this.#lease
    if (rejection === undefined) {
      await table.release(this.run, undefined)
      await database.engine.sleep(claim, { hasWork: () => Promise.resolve(true) })
      database.notify(`queue:${this.run.queue}`)
      return
    }
    await table.release(this.run, failureOf(rejection))
    const until = database.now() + 200 * 2 ** this.run.crashes
    await database.engine.sleep(claim, { until, hasWork: () => Promise.resolve(false) })
  }

  /** Reads the mail again, after `end` returned false. */
  async nextMail(): Promise<readonly RunMail[]> {
    const mail = await this.#parts.inbox.pending(this.run.id)
    this.#seenMail = mail.length
    return mail
  }

  #stop(): void {
    this.#lease.stop()
    this.#unwatch()
    clearInterval(this.#poll)
  }

  async #look(): Promise<void> {
    try {
      const mail = await this.#parts.inbox.pending(this.run.id)
      const cancel = mail.find((one) => one.kind === 'cancel')
      if (cancel) this.#canceled.abort(new DurableError('finished', `canceled: ${cancel.reason}`))
    } catch {
      // The database is away: the heartbeat reports it in time.
    }
  }
}

/** Under which key a change of a run's status is notified. */
export const stateKey = (id: string): string => `state:${id}`

function crashLoop({ id, crashes, result }: StoredRun): unknown {
  const { error } = (result ?? {}) as { readonly error?: { readonly message?: string } }
  const why = error?.message === undefined ? 'look for what ends its process' : `it rejected with: ${error.message}`
  return {
    status: 'failed',
    error: {
      code: 'unknown',
      message: `run "${id}" was claimed ${crashes} times in a row without storing anything; ${why}`,
      details: { reason: 'crash-loop' },
    },
  }
}

const failureOf = (error: unknown): unknown => ({
  status: 'failed',
  error: { message: error instanceof Error ? error.message : String(error) },
})
