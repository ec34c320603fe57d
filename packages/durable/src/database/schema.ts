import type { Database } from './database.js'
import { DurableError } from './durable-error.js'

/**
 * Migrations, forward only: migration n brings the store from version n - 1 to n. `BIGINT` is an integer to both databases. Every time is
 * in milliseconds since 1970.
 *
 * - `logs`, `entries`: append-only logs, numbered without gaps. `kept` is the number of the last entry that retention removed.
 * - `runs`: one row per run, its truth. `journal`: what ran. `transcript`: the messages that a checkpoint stands on.
 * - `inbox`: what people and other processes sent to a run. `outbox`: what has to reach others.
 * - `tasks`, `sessions`: the heads of the logs of agents. `documents`: small values by key, each claimed by its first writer.
 * - `workers`: the processes that are alive, and the queues they serve.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    'CREATE TABLE logs (id TEXT PRIMARY KEY, seq BIGINT NOT NULL, kept BIGINT NOT NULL)',
    `CREATE TABLE entries (log TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (log, seq))`,
    `CREATE TABLE runs (id TEXT PRIMARY KEY, queue TEXT NOT NULL, engine TEXT NOT NULL, claim BIGINT NOT NULL,
      epoch BIGINT NOT NULL, crashes BIGINT NOT NULL, writes BIGINT NOT NULL, seen BIGINT NOT NULL, mark BIGINT NOT NULL,
      status TEXT NOT NULL, fingerprint TEXT NOT NULL, input TEXT, checkpoint TEXT, result TEXT, wake BIGINT,
      created BIGINT NOT NULL, updated BIGINT NOT NULL)`,
    'CREATE INDEX runs_status ON runs (status, updated, id)',
    'CREATE INDEX runs_queue ON runs (queue, status)',
    `CREATE TABLE journal (run TEXT NOT NULL, seq BIGINT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
      at BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq))`,
    'CREATE TABLE transcript (run TEXT NOT NULL, seq BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq))',
    `CREATE TABLE inbox (id TEXT PRIMARY KEY, run TEXT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
      taken BIGINT)`,
    'CREATE INDEX inbox_run ON inbox (run, taken, at)',
    `CREATE TABLE outbox (id TEXT PRIMARY KEY, stream TEXT NOT NULL, seq BIGINT NOT NULL, body TEXT NOT NULL,
      due BIGINT NOT NULL, tries BIGINT NOT NULL, held BIGINT NOT NULL, dead BIGINT NOT NULL)`,
    'CREATE INDEX outbox_due ON outbox (dead, due)',
    'CREATE INDEX outbox_stream ON outbox (stream, dead, seq)',
    `CREATE TABLE tasks (id TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
      state TEXT NOT NULL, at BIGINT NOT NULL, record TEXT NOT NULL)`,
    'CREATE INDEX tasks_newest ON tasks (principal, at, id)',
    `CREATE TABLE sessions (name TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL,
      start BIGINT NOT NULL, holder TEXT)`,
    'CREATE INDEX sessions_owner ON sessions (principal, agent, id)',
    `CREATE TABLE documents (kind TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, sort BIGINT NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (kind, id))`,
    'CREATE INDEX documents_owner ON documents (kind, owner, sort, id)',
    'CREATE TABLE workers (id TEXT PRIMARY KEY, queues TEXT NOT NULL, seen BIGINT NOT NULL)',
  ],
  // `due`: when the first request of a waiting task expires.
  ['ALTER TABLE tasks ADD COLUMN due BIGINT', 'CREATE INDEX tasks_state ON tasks (state, at, id)'],
  // `agent`: set for cancels that other agents have to be asked for, unset for notifications.
  ['ALTER TABLE outbox ADD COLUMN agent TEXT'],
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
