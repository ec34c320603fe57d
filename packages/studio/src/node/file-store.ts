import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { LlmError } from '@modelport/core'
import type { Exchange, RunRecord, RunSummary, StudioEvent } from '../protocol/protocol.js'
import type { StudioJournals } from '../server/studio-journals.js'
import { isOver } from '../protocol/run-status.js'
import { type StudioStore, toInterrupted, toSummary } from '../server/studio-store.js'
import { JournalTables, journalTables } from './journal-tables.js'

/** Version of the tables. Version 1 had no journals; they are added to its files. */
const schemaVersion = 2

const tables = `
  CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, exchanges TEXT, cassette TEXT);
  CREATE INDEX IF NOT EXISTS runs_at ON runs (at);
  CREATE TABLE IF NOT EXISTS events (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
  ${journalTables}
`

/**
 * Keeps runs in one SQLite file that only its owner can read (mode 0600), with what they need to continue. Runs that a killed process
 * left behind are listed as `cancelled`.
 * @throws {LlmError} `config` — the file was written by a newer version, or is not a studio file.
 */
export function openFileStore(path: string): StudioStore {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 })
  chmodSync(path, 0o600)
  const database = openDatabase(path)
  const journals = new JournalTables(database, crypto.randomUUID())
  const write: Write = async (runId, work) => {
    await Promise.resolve()
    inTransaction(database, () => {
      journals.checkOwner(runId)
      work()
    })
  }
  const one = (sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined =>
    database.prepare(sql).get(...values)
  return {
    save: (run) =>
      write(run.id, () => {
        database
          .prepare('INSERT INTO runs (id, at, run) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET run = excluded.run')
          .run(run.id, run.at, JSON.stringify(run))
        if (isOver(run) && !run.canContinue) journals.delete(run.id)
      }),
    append: (runId, events) => write(runId, () => insertEvents(database, runId, events)),
    journals: toJournals(database, journals, write),
    keepExchanges: async (runId, exchanges, cassette) => {
      await Promise.resolve()
      database
        .prepare('UPDATE runs SET exchanges = ?, cassette = ? WHERE id = ?')
        .run(JSON.stringify(exchanges), JSON.stringify(cassette ?? null), runId)
    },
    run: (runId) =>
      Promise.resolve(parsed(one('SELECT run FROM runs WHERE id = ?', runId), 'run') as RunRecord | undefined),
    events: async (runId, after) => {
      await Promise.resolve()
      const rows = database.prepare('SELECT event FROM events WHERE run = ? AND seq > ? ORDER BY seq').all(runId, after)
      return rows.map(({ event }) => JSON.parse(String(event)) as StudioEvent)
    },
    exchanges: (runId) =>
      Promise.resolve((parsed(one('SELECT exchanges FROM runs WHERE id = ?', runId), 'exchanges') ?? []) as Exchange[]),
    cassette: (runId) => Promise.resolve(parsed(one('SELECT cassette FROM runs WHERE id = ?', runId), 'cassette')),
    list: async (limit) => {
      await Promise.resolve()
      const rows = database.prepare('SELECT run FROM runs ORDER BY at DESC LIMIT ?').all(limit)
      return rows.map(({ run }): RunSummary => toSummary(JSON.parse(String(run)) as RunRecord))
    },
    delete: async (runId) => {
      await Promise.resolve()
      database.prepare('DELETE FROM runs WHERE id = ?').run(runId)
    },
    close: async () => {
      await Promise.resolve()
      database.close()
    },
  }
}

/** Writes something of one run in a transaction, if this process may write it. */
type Write = (runId: string, work: () => void) => Promise<void>

const toJournals = (database: DatabaseSync, tables: JournalTables, write: Write): StudioJournals => ({
  claim: async (runId, settings) => {
    await Promise.resolve()
    inTransaction(database, () => tables.claim(runId, settings))
  },
  write: (runId, events, record) =>
    write(runId, () => {
      insertEvents(database, runId, events)
      tables.write(runId, record)
    }),
  read: async (runId) => {
    await Promise.resolve()
    return tables.read(runId)
  },
})

function insertEvents(database: DatabaseSync, runId: string, events: readonly StudioEvent[]): void {
  const insert = database.prepare('INSERT OR IGNORE INTO events (run, seq, event) VALUES (?, ?, ?)')
  for (const event of events) insert.run(runId, event.seq, JSON.stringify(event))
}

/** Runs `work` in one transaction; what it throws undoes all of it. */
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
    database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000')
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > schemaVersion)
      throw new LlmError('config', `${path} was written by a newer version of the studio; update modelport`)
    database.exec(`${tables} PRAGMA user_version = ${schemaVersion}`)
    const left = database.prepare(
      `SELECT id, run, (SELECT checkpoint FROM journals WHERE journals.run = id) IS NOT NULL AS isStored
        FROM runs WHERE json_extract(run, '$.status') IN ('running', 'waiting')`,
    )
    for (const { id, run, isStored } of left.all()) {
      const ended = toInterrupted(JSON.parse(String(run)) as RunRecord, Boolean(isStored))
      database.prepare('UPDATE runs SET run = ? WHERE id = ?').run(JSON.stringify(ended), String(id))
    }
    return database
  } catch (error) {
    database.close()
    if (error instanceof LlmError) throw error
    throw new LlmError('config', `${path} is not a file of the studio: ${(error as Error).message}`, { cause: error })
  }
}
