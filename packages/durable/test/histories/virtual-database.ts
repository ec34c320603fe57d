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
import { guardStatements } from './guards.js'
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
  /** Milliseconds that the next read is under way. */
  slowReadMs?: number | undefined
  /** The reply to a commit is lost: the driver finds out that it was made, without its rows. */
  losesReply?: { readonly afterMs: number; readonly ofRun: boolean } | undefined
  /**
   * From the next write of a run that the process holds on, what is sent arrives so many
   * milliseconds later, in order: a route that is lost and found.
   */
  stallMs?: number | undefined
  /** That write still arrives: its reply comes later. */
  stallsBehind?: boolean | undefined
  stallsUntil?: number | undefined
}

/** What keeps the rows: SQLite in this thread, or a driver whose replies the world waits for. */
export interface Rows {
  readonly lockRows: Database['lockRows']
  read(sql: string, params?: readonly SqlValue[]): readonly Row[] | Promise<readonly Row[]>
  write(statements: readonly Statement[]): WriteResult | Promise<WriteResult>
  /** The rows as they are right now. Unset: these answer later, and nobody looks at them. */
  look?(sql: string, params?: readonly SqlValue[]): readonly Row[]
  /** Looks at every change of a row from now on. Unset: these rows cannot. */
  guard?(): void
  /** What a change did that none may, one sentence each, and forgets it. */
  broken?(): readonly string[]
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

  look(sql: string, params: readonly SqlValue[] = []): readonly Row[] {
    return this.read(sql, params)
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

  guard(): void {
    for (const sql of guardStatements) this.#sqlite.exec(sql)
  }

  broken(): readonly string[] {
    const rows = this.read('SELECT says, what FROM temp.broken')
    if (rows.length > 0) this.#sqlite.exec('DELETE FROM temp.broken')
    return rows.map(({ says, what }) => `${String(says)}: ${String(what)}`)
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

/** True for a transaction that may claim a run. */
export const mayClaim = ([only]: readonly Statement[]): boolean =>
  only?.sql.startsWith('UPDATE runs') === true && only.sql.endsWith('RETURNING *')

/** True for the change of a run that only whoever holds it makes. */
export const isOfHolder = ({ sql, expect }: Statement): boolean =>
  expect === 1 && sql.startsWith('UPDATE runs') && sql.includes(`status IN ('running')`)

const takesRoom = (statements: readonly Statement[]): boolean =>
  statements.some(({ sql }) => sql.startsWith('INSERT INTO reservations'))

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
  /** May change what becomes of a write. */
  weather: (owner: Process, connection: Connection, statements: readonly Statement[]) => void =
    () => undefined
  /** Whether news of a change are lost. */
  losesNews: () => boolean = () => false
  /** Writes under way that take room of a budget. */
  taking = 0

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
    const stallOf = (): number => Math.max(0, (connection.stallsUntil ?? 0) - world.now)
    const ask = <Result>(
      run: () => Result | Promise<Result>,
      { slowMs = 0, replyMs = 0, onArrival = (): void => undefined } = {},
    ): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (owner?.isDead) return
        const answer = (settle: () => void): void =>
          void world.schedule(world.latency() + world.delay(replyMs + stallOf()), owner, settle)
        const fail = (error: unknown): void => answer(() => reject(error))
        // What was sent arrives, also if its process is dead by then.
        world.schedule(world.latency() + world.delay(slowMs + stallOf()), undefined, () => {
          if (connection.awayUntil > world.now) {
            fail(new DurableError('unavailable', 'the database is away'))
            return
          }
          try {
            const result = run()
            onArrival()
            if (result instanceof Promise)
              world.hold(result.then((value) => answer(() => resolve(value)), fail))
            else answer(() => resolve(result))
          } catch (error) {
            fail(error)
          }
        })
      })
    const store = (statements: readonly Statement[]): WriteResult | Promise<WriteResult> => {
      if (takesRoom(statements)) this.taking--
      const onStored = this.#onStoring(owner, statements)
      const stored = this.#rows.write(statements)
      const note = (result: WriteResult): WriteResult => {
        onStored(result)
        return result
      }
      return stored instanceof Promise ? stored.then(note) : note(stored)
    }
    const write = (statements: readonly Statement[]): Promise<WriteResult> => {
      if (takesRoom(statements)) this.taking++
      if (owner) this.weather(owner, connection, statements)
      const cut = connection.dieAt
      if (owner && cut && --cut.writes === 0) {
        connection.dieAt = undefined
        if (cut.commits) void ask(() => store(statements))
        this.#onDeath(owner)
        return new Promise(() => undefined)
      }
      const { slow, stallMs, losesReply } = connection
      const isHolders = statements.some(isOfHolder)
      let onArrival: (() => void) | undefined
      if (stallMs !== undefined && isHolders) {
        const { stallsBehind } = connection
        connection.stallMs = connection.stallsBehind = undefined
        const stall = (): void => void (connection.stallsUntil = world.now + stallMs)
        if (stallsBehind) onArrival = stall
        else stall()
      }
      const isSlow = slow !== undefined && (isHolders || !slow.ofRun)
      if (isSlow) connection.slow = undefined
      const isLost =
        losesReply !== undefined && (isHolders || mayClaim(statements) || !losesReply.ofRun)
      if (!isLost)
        return ask(() => store(statements), {
          ...(isSlow && { slowMs: slow.ms }),
          ...(onArrival && { onArrival }),
        })
      connection.losesReply = undefined
      const withoutRows = (result: WriteResult): WriteResult =>
        result.ok ? { ok: true, rows: [] } : result
      return ask(() => store(statements), {
        replyMs: losesReply.afterMs,
        ...(isSlow && { slowMs: slow.ms }),
      }).then(withoutRows)
    }
    const read: Database['read'] = (sql, params) => {
      const slowMs = connection.slowReadMs ?? 0
      connection.slowReadMs = undefined
      return ask(() => this.#rows.read(sql, params), { slowMs })
    }
    return {
      lockRows: this.#rows.lockRows,
      write,
      read,
      now: () => Date.now(),
      notify: (key) => {
        if (!owner?.isDead) this.#notify(key, owner)
      },
      watch: (key, onChange) => listeners.add(key, onChange),
      close: () => Promise.resolve(),
    }
  }

  #notify(key: string, by: Process | undefined): void {
    for (const { owner, of } of this.#listeners)
      if (owner === by || !this.losesNews())
        this.#world.schedule(this.#world.latency(), owner, () => of.notify(key))
  }

  text(): string | Promise<string> {
    return this.#rows.text()
  }

  close(): void | Promise<void> {
    return this.#rows.close()
  }
}
