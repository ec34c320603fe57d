import { createHmac } from 'node:crypto'
import type { Database, Row, Statement } from './database.js'
import { DurableError } from './durable-error.js'

/**
 * The version of the schema below. Earlier ones were never published: 1 to 3 had an engine with
 * tables of its own, 4 spelled one state in two ways, 5 wrote entries whole, 6 had no turns of
 * sessions, bodies that were encrypted without their place, and principals without an issuer, 7 had
 * no budgets.
 */
export const schemaVersion = 8

/**
 * The tables. `BIGINT` is an integer to both databases. Every time is in milliseconds since 1970.
 *
 * - `logs`: heads of append-only logs. `kept` is the number of the last entry that was taken.
 * - `entries`: what logs hold, numbered without gaps: events of tasks and runs, `journal:` what a
 *   run did, `transcript:` the messages that its checkpoint stands on.
 * - `runs`: one row per run and per task of an agent, its truth. Its claim is part of it: `holder`,
 *   `epoch`, and `due`, the time from which the run can be claimed. `journal`, `transcript` and
 *   `events` are the numbers of the last entries of its logs.
 * - `inbox`: decisions about runs, each bound to the checkpoint that asked. `outbox`: what has to
 *   reach others.
 * - `tasks`, `sessions`: the heads of the logs of agents. A session names whoever has its turn;
 *   each life of it has another `generation`, which its tasks have too, with their place in it.
 * - `documents`: small values by key, each claimed by its first writer.
 * - `workers`: the processes that are alive, and what they serve.
 * - `budgets`: limits of owners, one row for each window, with what was used and added in the one
 *   that began at `start`. `reservations`: what calls hold that are not over. `waits`: calls that
 *   wait for room, in the order of their places. Money is in billionths of a US dollar.
 */
const tables: readonly string[] = [
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL, text TEXT)',
  'CREATE TABLE logs (id TEXT PRIMARY KEY, seq BIGINT NOT NULL, kept BIGINT NOT NULL)',
  `CREATE TABLE entries (log TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (log, seq))`,
  `CREATE TABLE runs (id TEXT PRIMARY KEY, queue TEXT NOT NULL, version TEXT NOT NULL, status TEXT NOT NULL, holder TEXT,
    epoch BIGINT NOT NULL, due BIGINT, phase BIGINT NOT NULL, alone BIGINT NOT NULL, crashes BIGINT NOT NULL,
    tries BIGINT NOT NULL, progress BIGINT NOT NULL, checks BIGINT NOT NULL, mark BIGINT NOT NULL, journal BIGINT NOT NULL,
    transcript BIGINT NOT NULL, events BIGINT NOT NULL, mail BIGINT NOT NULL, accepts BIGINT NOT NULL,
    trimmed BIGINT NOT NULL, fingerprint TEXT NOT NULL, input TEXT, checkpoint TEXT, result TEXT, cancel TEXT, created BIGINT NOT NULL,
    updated BIGINT NOT NULL)`,
  // A claim reads the first row of it: nothing is sorted, and rows that cannot be claimed are not
  // in it.
  'CREATE INDEX runs_due ON runs (queue, version, phase, due) WHERE due IS NOT NULL',
  'CREATE INDEX runs_status ON runs (status, updated, id)',
  `CREATE TABLE inbox (id TEXT PRIMARY KEY, run TEXT NOT NULL, about BIGINT NOT NULL, at BIGINT NOT NULL,
    body TEXT NOT NULL)`,
  'CREATE INDEX inbox_run ON inbox (run, about, at)',
  `CREATE TABLE outbox (id TEXT PRIMARY KEY, stream TEXT NOT NULL, seq BIGINT NOT NULL, body TEXT NOT NULL,
    due BIGINT NOT NULL, tries BIGINT NOT NULL, held BIGINT NOT NULL, dead BIGINT NOT NULL, agent TEXT)`,
  'CREATE INDEX outbox_due ON outbox (dead, due)',
  'CREATE INDEX outbox_stream ON outbox (stream, dead, seq)',
  `CREATE TABLE tasks (id TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    state TEXT NOT NULL, at BIGINT NOT NULL, record TEXT NOT NULL, generation TEXT NOT NULL, place BIGINT)`,
  'CREATE INDEX tasks_newest ON tasks (principal, at, id)',
  'CREATE INDEX tasks_state ON tasks (state, at, id)',
  // A conversation is listed whole, however many tasks its owner has.
  'CREATE INDEX tasks_session ON tasks (principal, session, at, id)',
  // The tasks of a session that are not over, in their order: the others have no place any more.
  'CREATE INDEX tasks_place ON tasks (generation, place) WHERE place IS NOT NULL',
  `CREATE TABLE sessions (name TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL,
    start BIGINT NOT NULL, generation TEXT NOT NULL, places BIGINT NOT NULL, turn TEXT, until BIGINT)`,
  'CREATE UNIQUE INDEX sessions_generation ON sessions (generation)',
  'CREATE INDEX sessions_until ON sessions (until) WHERE until IS NOT NULL',
  'CREATE INDEX sessions_owner ON sessions (principal, agent, id)',
  `CREATE TABLE documents (kind TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, sort BIGINT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (kind, id))`,
  'CREATE INDEX documents_owner ON documents (kind, owner, sort, id)',
  'CREATE TABLE workers (id TEXT PRIMARY KEY, queues TEXT NOT NULL, seen BIGINT NOT NULL)',
  `CREATE TABLE budgets (id TEXT PRIMARY KEY, owner TEXT NOT NULL, span TEXT NOT NULL, zone TEXT NOT NULL, author TEXT NOT NULL,
    cost BIGINT, tokens BIGINT, calls BIGINT, start BIGINT NOT NULL, usedcost BIGINT NOT NULL, usedtokens BIGINT NOT NULL,
    usedcalls BIGINT NOT NULL, addcost BIGINT NOT NULL, addtokens BIGINT NOT NULL, addcalls BIGINT NOT NULL,
    revision BIGINT NOT NULL)`,
  'CREATE INDEX budgets_owner ON budgets (owner)',
  `CREATE TABLE reservations (id TEXT NOT NULL, budget TEXT NOT NULL, start BIGINT NOT NULL, cost BIGINT NOT NULL,
    tokens BIGINT NOT NULL, calls BIGINT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (id, budget))`,
  'CREATE INDEX reservations_budget ON reservations (budget, at)',
  `CREATE TABLE waits (id TEXT NOT NULL, budget TEXT NOT NULL, place BIGINT NOT NULL, until BIGINT NOT NULL,
    PRIMARY KEY (id, budget))`,
  'CREATE INDEX waits_budget ON waits (budget, place)',
]

/**
 * Makes the tables of a new store, once, however many processes open it at the same time.
 *
 * @param ifAbsent what to do if no store is there; unset makes it
 * @throws {DurableError} `newer-schema` — a newer version of the package wrote it; `unsupported` —
 * an unpublished older one did, or the tables are those of another program; `not-found`. Nothing
 * was changed.
 */
export async function migrate(database: Database, where: string, ifAbsent?: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const version = await versionOf(database)
    if (version === schemaVersion) return
    if (version !== undefined && version > schemaVersion)
      throw new DurableError(
        'newer-schema',
        `${where} has schema version ${version}, this version of @modelport/durable knows ${schemaVersion}; update the package`,
      )
    if (version !== undefined)
      throw new DurableError(
        'unsupported',
        `${where} has schema version ${version} of an unpublished version of @modelport/durable; let that version finish its work, then start with a new store`,
      )
    if (ifAbsent !== undefined)
      throw new DurableError('not-found', `${where} holds no store; ${ifAbsent}`)
    try {
      const mark = {
        sql: `INSERT INTO meta (name, value) VALUES ('schema', ?)`,
        params: [schemaVersion],
      }
      await database.write([...tables.map((sql): Statement => ({ sql })), mark])
    } catch (error) {
      // Another process makes them at the same time, or they are not ours.
      if (!/already exists|duplicate key/.test(String(error))) throw error
      if (attempt > 0)
        throw new DurableError(
          'unsupported',
          `${where} has tables of another program; choose another file or schema`,
          {
            cause: error,
          },
        )
    }
  }
}

async function versionOf(database: Database): Promise<number | undefined> {
  try {
    const [row] = await database.read(`SELECT value FROM meta WHERE name = 'schema'`)
    return row && Number(row['value'])
  } catch (error) {
    if (/no such table|does not exist/.test(String(error))) return undefined
    throw error
  }
}

/**
 * Makes the tables of a new database, as {@link migrate} does, and checks the key; closes the
 * database if that fails.
 *
 * @param key compared with the key of the store; `null`: there is none. Unset: not checked
 */
export async function prepareDatabase<D extends Database>(
  database: D,
  where: string,
  key: Uint8Array | null | undefined,
  ifAbsent?: string,
): Promise<D> {
  try {
    await migrate(database, where, ifAbsent)
    if (key !== undefined) await checkKey(database, where, key ?? undefined)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Refuses a key other than the one that the store was made with. The store keeps a keyed digest of
 * a fixed text, which says nothing about the key.
 *
 * @throws {DurableError} `damaged`
 */
async function checkKey(
  database: Database,
  where: string,
  key: Uint8Array | undefined,
): Promise<void> {
  const digest = key ? createHmac('sha256', key).update('modelport store').digest('hex') : ''
  const read = (): Promise<readonly Row[]> =>
    database.read(`SELECT text FROM meta WHERE name = 'key'`)
  if ((await read()).length === 0)
    await database.write([
      {
        sql: `INSERT INTO meta (name, value, text) VALUES ('key', 0, ?) ON CONFLICT DO NOTHING`,
        params: [digest],
      },
    ])
  const [row] = await read()
  const stored = String(row?.['text'] ?? '')
  if (stored === digest) return
  const problem =
    stored === ''
      ? 'is not encrypted, and cannot become so; leave encryptionKey unset, or make a new store with it'
      : digest === ''
        ? 'is encrypted; pass its encryptionKey'
        : 'is encrypted with another key; pass the encryptionKey that it was made with'
  throw new DurableError('damaged', `${where} ${problem}`)
}
