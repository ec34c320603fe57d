/* oxlint-disable typescript/require-await -- the interface is asynchronous; SQLite is not */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { configError, LlmError } from '@modelport/core'
import type { Exchange, RunRecord, StudioEvent } from '../protocol/protocol.js'
import { isOver } from '../protocol/run-status.js'
import { runsOfTasks, wipe } from './forget-runs.js'
import { heartbeatTable } from './heartbeat.js'
import { JournalTables, journalTables } from './journal-tables.js'
import { indexTables, RunIndex } from './run-index.js'
import { RunOwners } from './run-owners.js'
import { toSummary } from './run-summary.js'
import type { StudioJournals } from './studio-journals.js'
import type { StudioStore } from './studio-store.js'

/**
 * Version of the tables. Version 1 had no journals, version 2 no owners of runs, version 3 no
 * index, version 4 no parents in it; what lacks is added to its files.
 */
const schemaVersion = 6

/** The name that SQLite has for a database in memory. */
const inMemory = ':memory:'

const tables = `
  CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, exchanges TEXT, cassette TEXT, owner TEXT);
  CREATE TABLE IF NOT EXISTS events (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
  ${journalTables}
  ${heartbeatTable}
`

/** Running runs of a file without owners get an owner that is not alive. */
const addOwners = `
  ALTER TABLE runs ADD COLUMN owner TEXT;
  UPDATE runs SET owner = 'unknown' WHERE json_extract(run, '$.status') IN ('running', 'waiting');
`

/**
 * Runs of an index without parents get theirs. Tasks and durable runs had the sums of the runs in
 * them, which would count twice.
 */
const addParents = `
  ALTER TABLE run_list ADD COLUMN parent TEXT;
  CREATE INDEX run_list_parent ON run_list (parent) WHERE parent IS NOT NULL;
  UPDATE run_list SET parent = (
    SELECT json_extract(r.run, '$.parent') FROM runs AS r WHERE r.id = run_list.run
  ) WHERE child = 1;
  UPDATE run_list SET cost = NULL, input = NULL, output = NULL, cached = NULL
  WHERE program IS NOT NULL AND (model LIKE 'durable %' OR model LIKE 'task %')
`

/** What a cost is, in an index that does not say it: the records do not either. */
const addBounds = 'ALTER TABLE run_list ADD COLUMN bound INTEGER'

/**
 * Keeps runs in one SQLite file that only its owner can read (mode 0600), with what they need to
 * continue. Several processes may use one file: each sees the runs of all. Runs that a killed
 * process left behind are listed as `cancelled`, at once on the machine of that process and 15
 * seconds later elsewhere.
 * @throws {LlmError} `config` — the file was written by a newer version, or is not a studio file.
 */
export function openFileStore(path: string): StudioStore {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 })
  chmodSync(path, 0o600)
  return openStore(path)
}

/** Keeps runs in memory until the process ends; they cannot be continued. */
export const createMemoryStore = (): StudioStore => ({
  ...openStore(inMemory),
  journals: undefined,
})

function openStore(path: string): StudioStore {
  const database = openDatabase(path)
  const journals = new JournalTables(database)
  const index = new RunIndex(database, path === inMemory)
  const owners = new RunOwners(database, index)
  const write: Write = async (runId, work) =>
    inTransaction(database, () => {
      owners.check(runId)
      work()
    })
  const deleteRun = (runId: string): void => {
    owners.checkDelete(runId)
    database.prepare('DELETE FROM runs WHERE id = ?').run(runId)
  }
  return {
    save: (run) =>
      write(run.id, () => {
        database
          .prepare(
            'INSERT INTO runs (id, at, run) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET run = excluded.run',
          )
          .run(run.id, run.at, JSON.stringify(run))
        index.put(run)
        if (isOver(run)) owners.release(run.id)
        else owners.claim(run.id)
        if (isOver(run) && !run.canContinue) journals.delete(run.id)
      }),
    append: (runId, events) => write(runId, () => insertEvents(database, runId, events)),
    journals: toJournals(database, { journals, owners }, write),
    keepExchanges: async (runId, exchanges, cassette) => {
      database
        .prepare('UPDATE runs SET exchanges = ?, cassette = ? WHERE id = ?')
        .run(JSON.stringify(exchanges), JSON.stringify(cassette ?? null), runId)
    },
    ...toReads(database, owners, index),
    prune: async (keep) => inTransaction(database, () => index.prune(keep)),
    delete: async (runId) =>
      inTransaction(database, () => {
        deleteRun(runId)
      }),
    forget: async (tasks) => {
      const runs = runsOfTasks(database, tasks)
      inTransaction(database, () => {
        for (const runId of runs) deleteRun(runId)
      })
      wipe(database)
      return runs.length
    },
    close: async () => {
      owners.close()
      database.close()
    },
  }
}

type Reads = Pick<
  StudioStore,
  'run' | 'events' | 'exchanges' | 'cassette' | 'list' | 'totals' | 'tree' | 'names'
>

function toReads(database: DatabaseSync, owners: RunOwners, index: RunIndex): Reads {
  const toRecord = ({ run, owner }: Record<string, unknown>): RunRecord => {
    const record = JSON.parse(String(run)) as RunRecord
    return !isOver(record) && owners.isElsewhere(owner) ? { ...record, elsewhere: true } : record
  }
  const one = (sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined =>
    database.prepare(sql).get(...values)
  return {
    run: async (runId) => {
      const row = one('SELECT run, owner FROM runs WHERE id = ?', runId)
      return row && toRecord(row)
    },
    events: async (runId, after) => {
      const rows = database
        .prepare('SELECT event FROM events WHERE run = ? AND seq > ? ORDER BY seq')
        .all(runId, after)
      return rows.map(({ event }) => JSON.parse(String(event)) as StudioEvent)
    },
    exchanges: async (runId) =>
      (parsed(one('SELECT exchanges FROM runs WHERE id = ?', runId), 'exchanges') ??
        []) as Exchange[],
    cassette: async (runId) =>
      parsed(one('SELECT cassette FROM runs WHERE id = ?', runId), 'cassette'),
    list: async (limit, query = {}) => index.list(limit, query, (row) => toSummary(toRecord(row))),
    totals: async (query, by) => index.totals(query, by),
    tree: async (runId) => index.tree(runId),
    names: async () => index.names(),
  }
}

/** Writes something of one run in a transaction, if this process may write it. */
type Write = (runId: string, work: () => void) => Promise<void>

const toJournals = (
  database: DatabaseSync,
  { journals, owners }: { readonly journals: JournalTables; readonly owners: RunOwners },
  write: Write,
): StudioJournals => ({
  claim: async (runId, settings) =>
    inTransaction(database, () => {
      owners.claim(runId)
      journals.begin(runId, settings)
    }),
  write: (runId, events, record) =>
    write(runId, () => {
      insertEvents(database, runId, events)
      journals.write(runId, record)
    }),
  read: async (runId) => journals.read(runId),
})

function insertEvents(database: DatabaseSync, runId: string, events: readonly StudioEvent[]): void {
  const insert = database.prepare('INSERT OR IGNORE INTO events (run, seq, event) VALUES (?, ?, ?)')
  for (const event of events) insert.run(runId, event.seq, JSON.stringify(event))
}

/** Runs `work` in one transaction, which is rolled back if it throws. */
function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** The JSON in a column, or undefined. */
function parsed(row: Record<string, unknown> | undefined, name: string): unknown {
  const text = row?.[name]
  return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000; PRAGMA temp_store = MEMORY',
    )
    // In one transaction: two studios may open an old file at once.
    inTransaction(database, () => migrate(database, path))
    return database
  } catch (error) {
    database.close()
    if (error instanceof LlmError) throw error
    throw configError(`${path} is not a file of the studio: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version > schemaVersion)
    throw configError(`${path} was written by a newer version of the studio; update modelport`)
  if (version === schemaVersion) return
  database.exec(tables)
  if (version === 1 || version === 2) database.exec(addOwners)
  if (version === 2) database.exec('ALTER TABLE journals DROP COLUMN owner')
  if (version < 3) database.exec('CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL')
  if (version === 4 || version === 5) {
    if (version === 4) database.exec(addParents)
    database.exec(`${addBounds}; PRAGMA user_version = ${schemaVersion}`)
    return
  }
  // The order of the list is in the index.
  database.exec(
    `DROP INDEX IF EXISTS runs_at; ${indexTables}; PRAGMA user_version = ${schemaVersion}`,
  )
  const index = new RunIndex(database)
  const one = database.prepare('SELECT run FROM runs WHERE id = ?')
  for (const { id } of database.prepare('SELECT id FROM runs ORDER BY at').all())
    index.put(JSON.parse(String(one.get(String(id))?.['run'])) as RunRecord)
}
