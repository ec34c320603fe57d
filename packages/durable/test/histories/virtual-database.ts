// The store's own SQL over SQLite in this thread. Each process has its own connection to it, which
// is cut, slow or away when the world says so.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { ChangeListeners } from '../../src/database/change-listeners.js'
import type { Database, Row, Statement, WriteResult } from '../../src/database/database.js'
import { DurableError } from '../../src/database/durable-error.js'
import type { Process, VirtualWorld } from './virtual-world.js'

/** What the connection of one process goes through. */
export interface Connection {
  /** The process dies at this write from now on, 1 for the next one. */
  dieAt?: { writes: number; readonly commits: boolean } | undefined
  /** The database is away until this time. */
  awayUntil: number
}

export class VirtualDatabase {
  readonly #sqlite = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()
  readonly #listeners: { readonly owner: Process | undefined; readonly of: ChangeListeners }[] = []
  readonly #world: VirtualWorld
  readonly #onDeath: (owner: Process) => void
  writes = 0

  constructor(world: VirtualWorld, onDeath: (owner: Process) => void) {
    this.#world = world
    this.#onDeath = onDeath
  }

  /** The database as a process sees it. */
  connect(owner: Process | undefined, connection: Connection): Database {
    const world = this.#world
    const listeners = new ChangeListeners()
    this.#listeners.push({ owner, of: listeners })
    const ask = <Result>(run: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (owner?.isDead) return
        const answer = (settle: () => void): void =>
          void world.schedule(world.latency(), owner, settle)
        // What was sent arrives, also if its process is dead by then.
        world.schedule(world.latency(), undefined, () => {
          if (connection.awayUntil > world.now) {
            answer(() => reject(new DurableError('unavailable', 'the database is away')))
            return
          }
          try {
            const result = run()
            answer(() => resolve(result))
          } catch (error) {
            answer(() => reject(error))
          }
        })
      })
    const write = (statements: readonly Statement[]): Promise<WriteResult> => {
      const cut = connection.dieAt
      if (owner && cut && --cut.writes === 0) {
        connection.dieAt = undefined
        if (cut.commits) void ask(() => this.#write(statements))
        this.#onDeath(owner)
        return new Promise(() => undefined)
      }
      return ask(() => this.#write(statements))
    }
    return {
      lockRows: '',
      write,
      read: (sql, params) => ask(() => this.#run({ sql, ...(params && { params }) }).rows),
      now: () => Date.now(),
      notify: (key) => {
        if (!owner?.isDead) this.#notify(key)
      },
      watch: (key, onChange) => listeners.add(key, onChange),
      close: () => Promise.resolve(),
    }
  }

  #notify(key: string): void {
    for (const { owner, of } of this.#listeners)
      this.#world.schedule(this.#world.latency(), owner, () => of.notify(key))
  }

  #run({ sql, params = [] }: Statement): { rows: readonly Row[]; count: number } {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#sqlite.prepare(sql)))
    if (/^(?:SELECT|EXPLAIN)|\bRETURNING\b/.test(sql)) {
      const rows = statement.all(...params) as Row[]
      return { rows, count: rows.length }
    }
    return { rows: [], count: Number(statement.run(...params).changes) }
  }

  #write(statements: readonly Statement[]): WriteResult {
    this.writes++
    this.#sqlite.exec('BEGIN IMMEDIATE')
    try {
      const rows: (readonly Row[])[] = []
      for (const [index, statement] of statements.entries()) {
        const result = this.#run(statement)
        if (statement.expect !== undefined && result.count !== statement.expect) {
          this.#sqlite.exec('ROLLBACK')
          return { ok: false, failed: index }
        }
        rows.push(result.rows)
      }
      this.#sqlite.exec('COMMIT')
      return { ok: true, rows }
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.#sqlite.close()
  }
}
