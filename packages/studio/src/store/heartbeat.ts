import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'
import type { DatabaseSync } from 'node:sqlite'

/** Milliseconds between two beats of a process that has runs under way. */
const beatMs = 3000
/** Milliseconds without a beat after which a process counts as dead. */
export const deadAfterMs = 15_000

/** One row for each process that has runs under way in this file. */
export const heartbeatTable = `
  CREATE TABLE IF NOT EXISTS processes (id TEXT PRIMARY KEY, place TEXT NOT NULL, pid INTEGER NOT NULL, beat INTEGER NOT NULL);
`

/**
 * The scope in which a process id is unique: this machine, and on Linux this namespace of process
 * ids.
 */
function thisPlace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Says which of the processes that share a file are alive. Beats only while `isBusy`, so an idle
 * studio writes nothing.
 */
export class Heartbeat {
  readonly #database: DatabaseSync
  readonly #id: string
  readonly #place = thisPlace()
  readonly #isBusy: () => boolean
  readonly #timer: ReturnType<typeof setInterval>
  #lastTick = Date.now()

  /** @param onTick called after each look at the others, to interrupt the runs of dead processes */
  constructor(database: DatabaseSync, id: string, isBusy: () => boolean, onTick: () => void) {
    this.#database = database
    this.#id = id
    this.#isBusy = isBusy
    this.#timer = setInterval(() => this.#tick(onTick), beatMs)
    this.#timer.unref()
  }

  /** Writes that this process is alive. */
  beat(): void {
    this.#database
      .prepare(
        'INSERT INTO processes (id, place, pid, beat) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET beat = excluded.beat',
      )
      .run(this.#id, this.#place, process.pid, Date.now())
  }

  /** Removes the processes that are dead. */
  removeDead(): void {
    const now = Date.now()
    const rows = this.#database
      .prepare('SELECT id, place, pid, beat FROM processes WHERE id <> ?')
      .all(this.#id)
    for (const { id, place, pid, beat } of rows) {
      const isGone = place === this.#place && !hasProcess(Number(pid))
      if (isGone || Number(beat) < now - deadAfterMs) this.#remove(String(id))
    }
  }

  /** True for another process that is alive. */
  isAlive(id: string): boolean {
    return this.#database.prepare('SELECT 1 FROM processes WHERE id = ?').get(id) !== undefined
  }

  /** Ends the beats: this process has no run any more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#remove(this.#id)
  }

  #tick(onTick: () => void): void {
    // After a sleep of the computer the others have not beaten either: they get one more interval.
    const wasAsleep = Date.now() - this.#lastTick > 2 * beatMs
    this.#lastTick = Date.now()
    try {
      if (this.#isBusy()) this.beat()
      else if (this.isAlive(this.#id)) this.#remove(this.#id)
      if (wasAsleep) return
      this.removeDead()
      onTick()
    } catch {
      // A file that is locked or damaged now is tried again at the next tick; writes of runs report
      // it.
    }
  }

  #remove(id: string): void {
    this.#database.prepare('DELETE FROM processes WHERE id = ?').run(id)
  }
}
