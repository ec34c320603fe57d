import type { DatabaseSync } from 'node:sqlite'
import { configError } from '@modelport/core'
import type { RunRecord } from '../protocol/protocol.js'
import { Heartbeat } from './heartbeat.js'
import type { RunIndex } from './run-index.js'
import { toInterrupted } from './studio-store.js'

/**
 * Which process runs which run of the file. The column `owner` of a run is set while it is under
 * way. Methods that write must be called inside a transaction.
 */
export class RunOwners {
  readonly #database: DatabaseSync
  /** Names this process. */
  readonly #me = crypto.randomUUID()
  readonly #heartbeat: Heartbeat
  /** Runs that this process has claimed and not released. */
  readonly #claimed = new Set<string>()

  readonly #index: RunIndex

  constructor(database: DatabaseSync, index: RunIndex) {
    this.#database = database
    this.#index = index
    this.#heartbeat = new Heartbeat(
      database,
      this.#me,
      () =>
        database.prepare('SELECT 1 FROM runs WHERE owner = ? LIMIT 1').get(this.#me) !== undefined,
      () => this.#interruptLeft(),
    )
    this.#heartbeat.removeDead()
    this.#interruptLeft()
  }

  /**
   * Makes this process the only one that may write the run.
   * @throws {LlmError} `config` — a living process runs it
   */
  claim(runId: string): void {
    const owner = this.#ownerOf(runId)
    if (this.#isOther(owner))
      throw configError('another studio that uses the same file runs this run; use its page')
    this.#database.prepare('UPDATE runs SET owner = ? WHERE id = ?').run(this.#me, runId)
    this.#claimed.add(runId)
    this.#heartbeat.beat()
  }

  /** Ends that this process runs the run. */
  release(runId: string): void {
    this.#database.prepare('UPDATE runs SET owner = NULL WHERE id = ?').run(runId)
    this.#claimed.delete(runId)
  }

  /**
   * @throws {Error} another process has claimed the run since this one did, or a living one runs it
   */
  check(runId: string): void {
    const owner = this.#ownerOf(runId)
    if (this.#claimed.has(runId) ? owner !== this.#me : this.#isOther(owner))
      throw new Error('another studio has continued this run')
  }

  /** @throws {LlmError} `config` — a living process runs the run */
  checkDelete(runId: string): void {
    if (this.#isOther(this.#ownerOf(runId)))
      throw configError(
        'another studio that uses the same file runs this run; stop it on its page first',
      )
    this.#claimed.delete(runId)
  }

  /** True while another living process runs the run. */
  isElsewhere(owner: unknown): boolean {
    return this.#isOther(typeof owner === 'string' ? owner : undefined)
  }

  /**
   * Ends the heartbeat; runs of this process that are not over count as interrupted at the next
   * start.
   */
  close(): void {
    this.#heartbeat.stop()
  }

  #isOther(owner: string | undefined): boolean {
    return owner !== undefined && owner !== this.#me && this.#heartbeat.isAlive(owner)
  }

  #ownerOf(runId: string): string | undefined {
    const row = this.#database.prepare('SELECT owner FROM runs WHERE id = ?').get(runId)
    return typeof row?.['owner'] === 'string' ? row['owner'] : undefined
  }

  /**
   * Ends the runs that a dead process left behind. They keep their owner, which writes on if it was
   * alive after all.
   */
  #interruptLeft(): void {
    const left = this.#database.prepare(
      `SELECT id, run, (SELECT checkpoint FROM journals WHERE journals.run = id) IS NOT NULL AS isStored FROM runs
        WHERE owner IS NOT NULL AND owner <> ? AND owner NOT IN (SELECT id FROM processes)
        AND json_extract(run, '$.status') IN ('running', 'waiting')`,
    )
    for (const { id, run, isStored } of left.all(this.#me)) {
      const ended = toInterrupted(JSON.parse(String(run)) as RunRecord, Boolean(isStored))
      // Only if nobody has written it meanwhile.
      const { changes } = this.#database
        .prepare('UPDATE runs SET run = ? WHERE id = ? AND run = ?')
        .run(JSON.stringify(ended), String(id), String(run))
      if (changes) this.#index.put(ended)
    }
  }
}
