import type { Database } from './database.js'
import { DurableError } from './durable-error.js'

/**
 * Migrations, forward only: migration n brings the store from version n - 1 to n. `BIGINT` is an integer to both databases.
 *
 * - `logs`, `entries`: append-only logs, numbered without gaps. `kept` is the number of the oldest entry that retention left.
 * - `runs`: one row per run, its truth. `journal`: what ran, one row per model or tool call.
 * - `inbox`: what people and other processes sent a run. `outbox`: what has to reach others.
 * - `documents`: everything with a version and no log. `workers`: who is alive, and what it can run.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    'CREATE TABLE logs (id TEXT PRIMARY KEY, seq BIGINT NOT NULL, kept BIGINT NOT NULL)',
    `CREATE TABLE entries (log TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (log, seq))`,
    `CREATE TABLE runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, queue TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL,
      engine TEXT, claim BIGINT NOT NULL, epoch BIGINT NOT NULL, crashes BIGINT NOT NULL, writes BIGINT NOT NULL,
      input TEXT NOT NULL, state TEXT NOT NULL, wake BIGINT, created BIGINT NOT NULL, updated BIGINT NOT NULL)`,
    'CREATE INDEX runs_status ON runs (status, updated, id)',
    `CREATE TABLE journal (run TEXT NOT NULL, seq BIGINT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, epoch BIGINT NOT NULL,
      at BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq))`,
    `CREATE TABLE inbox (id TEXT PRIMARY KEY, run TEXT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
      taken BIGINT)`,
    'CREATE INDEX inbox_run ON inbox (run, taken, at)',
    `CREATE TABLE outbox (id TEXT PRIMARY KEY, topic TEXT NOT NULL, stream TEXT NOT NULL, seq BIGINT NOT NULL, body TEXT NOT NULL,
      due BIGINT NOT NULL, deadline BIGINT, tries BIGINT NOT NULL, held BIGINT NOT NULL, dead BIGINT NOT NULL, error TEXT)`,
    'CREATE INDEX outbox_due ON outbox (topic, dead, due)',
    `CREATE TABLE documents (kind TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, version BIGINT NOT NULL, sort BIGINT NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (kind, id))`,
    'CREATE INDEX documents_owner ON documents (kind, owner, sort, id)',
    'CREATE TABLE workers (id TEXT PRIMARY KEY, queues TEXT NOT NULL, seen BIGINT NOT NULL)',
  ],
]

/**
 * Brings the store to the newest version, once, however many processes open it at the same time.
 *
 * @throws {DurableError} `newer-schema` — a newer version of the package wrote it; nothing was changed.
 */
export async function migrate(database: Database, where: string): Promise<void> {
  await database.write([{ sql: 'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL)' }])
  for (;;) {
    const version = Number((await database.read(`SELECT value FROM meta WHERE name = 'schema'`))[0]?.['value'] ?? 0)
    if (version > migrations.length)
      throw new DurableError(
        'newer-schema',
        `${where} has schema version ${version}, this version of @modelport/durable knows ${migrations.length}; update the package`,
      )
    const next = migrations[version]
    if (!next) return
    const step =
      version === 0
        ? { sql: `INSERT INTO meta (name, value) VALUES ('schema', 1) ON CONFLICT DO NOTHING`, expect: 1 }
        : { sql: `UPDATE meta SET value = value + 1 WHERE name = 'schema' AND value = ?`, params: [version], expect: 1 }
    // Another process that migrates at the same time was first: read the version again.
    await database.write([step, ...next.map((sql) => ({ sql }))])
  }
}
