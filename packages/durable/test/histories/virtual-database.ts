// The store's own SQL, by default over SQLite in this thread. Each process has its own connection,
// which is cut, slow or away when the world says so.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { ChangeListeners } from '../../src/database/change-listeners.js'
import type {
  Database,
  Row,
  SqlValue,
  Statement,
  WriteResult,
} from '../../src/database/database.js'
import { DurableError } from '../../src/database/durable-error.js'
import type { Process, VirtualWorld } from './virtual-world.js'

/** What the connection of one process goes through. */
export interface Connection {
  /** The process dies at this write from now on, 1 for the next one. */
  dieAt?: { writes: number; readonly commits: boolean } | undefined
  /** The database is away until this time. */
  awayUntil: number
  /**
   * Milliseconds that the next write is under way, while others overtake it; `ofRun` waits for one
   * of a run that the process holds.
   */
  slow?: { readonly ms: number; readonly ofRun: boolean } | undefined
  /**
   * From the next write of a run that the process holds on, what is sent arrives so many
   * milliseconds later, in order: a route that is lost and found.
   */
  stallMs?: number | undefined
  stallsUntil?: number | undefined
}

/** What keeps the rows: SQLite in this thread, or a driver whose replies the world waits for. */
export interface Rows {
  readonly lockRows: Database['lockRows']
  read(sql: string, params?: readonly SqlValue[]): readonly Row[] | Promise<readonly Row[]>
  write(statements: readonly Statement[]): WriteResult | Promise<WriteResult>
  /** Everything that is stored: a line for each row, with the name of its table in front. */
  text(): string | Promise<string>
  close(): void | Promise<void>
}

/** SQLite in memory, in this thread. */
export class MemoryRows implements Rows {
  readonly lockRows = ''
  readonly #sqlite = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()

  read(sql: string, params: readonly SqlValue[] = []): readonly Row[] {
    return this.#run({ sql, params }).rows
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

  write(statements: readonly Statement[]): WriteResult {
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

  text(): string {
    return this.read(`SELECT name FROM sqlite_master WHERE type = 'table'`)
      .flatMap(({ name }) =>
        this.read(`SELECT * FROM "${name}"`).map((row) => `${name} ${JSON.stringify(row)}`),
      )
      .join('\n')
  }

  close(): void {
    this.#sqlite.close()
  }
}

/** True for the change of a run that only whoever holds it makes. */
export const isOfHolder = ({ sql, expect }: Statement): boolean =>
  expect === 1 && sql.startsWith('UPDATE runs') && sql.includes(`status IN ('running')`)

/** Sees what each process stores, and what came of it. */
export type OnStoring = (
  owner: Process | undefined,
  statements: readonly Statement[],
) => (result: WriteResult) => void

export class VirtualDatabase {
  readonly #rows: Rows
  readonly #listeners: { readonly owner: Process | undefined; readonly of: ChangeListeners }[] = []
  readonly #world: VirtualWorld
  readonly #onDeath: (owner: Process) => void
  readonly #onStoring: OnStoring

  constructor(
    world: VirtualWorld,
    rows: Rows,
    onDeath: (owner: Process) => void,
    onStoring: OnStoring,
  ) {
    this.#world = world
    this.#rows = rows
    this.#onDeath = onDeath
    this.#onStoring = onStoring
  }

  /** The rows themselves, for whoever looks without being part of the world. */
  get rows(): Rows {
    return this.#rows
  }

  /** The database as a process sees it. */
  connect(owner: Process | undefined, connection: Connection): Database {
    const world = this.#world
    const listeners = new ChangeListeners()
    this.#listeners.push({ owner, of: listeners })
    const ask = <Result>(run: () => Result | Promise<Result>, slowMs = 0): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (owner?.isDead) return
        const answer = (settle: () => void): void =>
          void world.schedule(world.latency(), owner, settle)
        const fail = (error: unknown): void => answer(() => reject(error))
        // What was sent arrives, also if its process is dead by then.
        const stallMs = Math.max(0, (connection.stallsUntil ?? 0) - world.now)
        world.schedule(world.latency() + slowMs + stallMs, undefined, () => {
          if (connection.awayUntil > world.now) {
            fail(new DurableError('unavailable', 'the database is away'))
            return
          }
          try {
            const result = run()
            if (result instanceof Promise)
              world.hold(result.then((value) => answer(() => resolve(value)), fail))
            else answer(() => resolve(result))
          } catch (error) {
            fail(error)
          }
        })
      })
    const store = (statements: readonly Statement[]): WriteResult | Promise<WriteResult> => {
      const onStored = this.#onStoring(owner, statements)
      const stored = this.#rows.write(statements)
      const note = (result: WriteResult): WriteResult => {
        onStored(result)
        return result
      }
      return stored instanceof Promise ? stored.then(note) : note(stored)
    }
    const write = (statements: readonly Statement[]): Promise<WriteResult> => {
      const cut = connection.dieAt
      if (owner && cut && --cut.writes === 0) {
        connection.dieAt = undefined
        if (cut.commits) void ask(() => store(statements))
        this.#onDeath(owner)
        return new Promise(() => undefined)
      }
      const { slow, stallMs } = connection
      if (stallMs !== undefined && statements.some(isOfHolder)) {
        connection.stallMs = undefined
        connection.stallsUntil = world.now + stallMs
      }
      if (!slow || (slow.ofRun && !statements.some(isOfHolder))) return ask(() => store(statements))
      connection.slow = undefined
      return ask(() => store(statements), slow.ms)
    }
    return {
      lockRows: this.#rows.lockRows,
      write,
      read: (sql, params) => ask(() => this.#rows.read(sql, params)),
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

  text(): string | Promise<string> {
    return this.#rows.text()
  }

  close(): void | Promise<void> {
    return this.#rows.close()
  }
}
