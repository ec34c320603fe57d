import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ChatMessage } from '@modelport/core'
import type { RunSettings } from '../protocol/protocol.js'
import type { JournalRecord, StoredJournal } from './studio-journals.js'

/** Tables of the journals. */
export const journalTables = `
  CREATE TABLE IF NOT EXISTS journals (
    run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    settings TEXT NOT NULL,
    checkpoint TEXT
  );
  CREATE TABLE IF NOT EXISTS journal_messages (
    run TEXT NOT NULL REFERENCES journals (run) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (run, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS journal_entries (
    run TEXT NOT NULL REFERENCES journals (run) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (run, number)
  ) WITHOUT ROWID;
`

/**
 * Reads and writes the journals of one file. Methods that write must be called inside a
 * transaction.
 */
export class JournalTables {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Begins the journal of a run; one that is there stays. */
  begin(runId: string, settings: RunSettings): void {
    this.#run(
      'INSERT OR IGNORE INTO journals (run, settings) VALUES (?, ?)',
      runId,
      JSON.stringify(settings),
    )
  }

  /** Adds a record; a checkpoint replaces the entries before it. */
  write(runId: string, record: JournalRecord): void {
    if (record.type === 'entry') {
      const next = 'SELECT coalesce(max(number), 0) + 1 FROM journal_entries WHERE run = ?1'
      this.#run(
        `INSERT INTO journal_entries (run, number, entry) VALUES (?1, (${next}), ?2)`,
        runId,
        JSON.stringify(record.entry),
      )
      return
    }
    const { checkpoint, change } = record
    this.#run('UPDATE journals SET checkpoint = ? WHERE run = ?', JSON.stringify(checkpoint), runId)
    this.#run('DELETE FROM journal_entries WHERE run = ?', runId)
    this.#run('DELETE FROM journal_messages WHERE run = ? AND number >= ?', runId, change.keep)
    for (const [index, message] of change.add.entries())
      this.#run(
        'INSERT INTO journal_messages (run, number, message) VALUES (?, ?, ?)',
        runId,
        change.keep + index,
        JSON.stringify(message),
      )
  }

  /** The state that a run continues from; undefined without a checkpoint. */
  read(runId: string): StoredJournal | undefined {
    const [checkpoint] = this.#texts('SELECT checkpoint AS text FROM journals WHERE run = ?', runId)
    const [settings] = this.#texts('SELECT settings AS text FROM journals WHERE run = ?', runId)
    if (checkpoint === undefined || settings === undefined) return undefined
    const messages = this.#texts(
      'SELECT message AS text FROM journal_messages WHERE run = ? ORDER BY number',
      runId,
    )
    const entries = this.#texts(
      'SELECT entry AS text FROM journal_entries WHERE run = ? ORDER BY number',
      runId,
    )
    return {
      settings: JSON.parse(settings) as RunSettings,
      resume: JSON.parse(checkpoint) as StoredJournal['resume'],
      messages: messages.map((text) => JSON.parse(text) as ChatMessage),
      entries: entries.map((text) => JSON.parse(text) as StoredJournal['entries'][number]),
    }
  }

  /** Deletes the journal of a run that has ended. */
  delete(runId: string): void {
    this.#run('DELETE FROM journals WHERE run = ?', runId)
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#database.prepare(sql).run(...values)
  }

  /** The column `text` of each row, without empty ones. */
  #texts(sql: string, runId: string): string[] {
    const rows = this.#database.prepare(sql).all(runId)
    return rows.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  }
}
