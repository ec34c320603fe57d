import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { LlmError } from '@modelport/core'
import type { Exchange, RunRecord, RunSummary, StudioEvent } from '../protocol/protocol.js'
import { type StudioStore, toSummary } from '../server/studio-store.js'

/** Version of the tables below. */
const schemaVersion = 1

const tables = `
  CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, exchanges TEXT, cassette TEXT);
  CREATE INDEX IF NOT EXISTS runs_at ON runs (at);
  CREATE TABLE IF NOT EXISTS events (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
`

const interrupted = {
  code: 'interrupted',
  message: 'The studio ended while this run was under way. Run it again: what it had done is not repeated by itself.',
}

/**
 * Keeps runs in one SQLite file that only its owner can read (mode 0600). Runs that a killed process left behind are listed as
 * `cancelled`.
 * @throws {LlmError} `config` — the file was written by a newer version, or is not a studio file.
 */
export function openFileStore(path: string): StudioStore {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 })
  chmodSync(path, 0o600)
  const database = openDatabase(path)
  const one = (sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined =>
    database.prepare(sql).get(...values)
  return {
    save: async (run) => {
      await Promise.resolve()
      database
        .prepare('INSERT INTO runs (id, at, run) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET run = excluded.run')
        .run(run.id, run.at, JSON.stringify(run))
    },
    append: async (runId, events) => {
      await Promise.resolve()
      const insert = database.prepare('INSERT OR IGNORE INTO events (run, seq, event) VALUES (?, ?, ?)')
      inTransaction(database, () => {
        for (const event of events) insert.run(runId, event.seq, JSON.stringify(event))
      })
    },
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
      "SELECT id, run FROM runs WHERE json_extract(run, '$.status') IN ('running', 'waiting')",
    )
    for (const { id, run } of left.all()) {
      const ended: RunRecord = { ...(JSON.parse(String(run)) as RunRecord), status: 'cancelled', error: interrupted }
      database.prepare('UPDATE runs SET run = ? WHERE id = ?').run(JSON.stringify(ended), String(id))
    }
    return database
  } catch (error) {
    database.close()
    if (error instanceof LlmError) throw error
    throw new LlmError('config', `${path} is not a file of the studio: ${(error as Error).message}`, { cause: error })
  }
}
