import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { CostBound } from '@modelport/core'
import type { RunRecord, RunSummary, RunTree, StudioEvent } from '../protocol/protocol.js'
import type {
  RunGrouping,
  RunGroupTotals,
  RunNames,
  RunQuery,
  RunSort,
} from '../protocol/run-query.js'
import { isOver } from '../protocol/run-status.js'
import { slotsPerMs } from './run-summary.js'
import { findWords, toRunText, toWords } from './run-text.js'

/**
 * Tables that find runs. The key of a run grows with its start, so that every index, the words
 * included, is in the order of the list.
 */
export const indexTables = `
  CREATE TABLE run_list (
    key INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE REFERENCES runs (id) ON DELETE CASCADE,
    session TEXT NOT NULL, child INTEGER NOT NULL, program TEXT, model TEXT NOT NULL, status TEXT NOT NULL, error TEXT,
    cost REAL, currency TEXT, input INTEGER, output INTEGER, cached INTEGER, latency INTEGER, parent TEXT, bound INTEGER
  );
  CREATE INDEX run_list_parent ON run_list (parent) WHERE parent IS NOT NULL;
  CREATE INDEX run_list_session ON run_list (session, child);
  CREATE INDEX run_list_program ON run_list (program) WHERE program IS NOT NULL;
  CREATE INDEX run_list_model ON run_list (model);
  CREATE INDEX run_list_status ON run_list (status);
  CREATE INDEX run_list_error ON run_list (error) WHERE error IS NOT NULL;
  CREATE INDEX run_list_cost ON run_list (cost) WHERE cost IS NOT NULL;
  CREATE TABLE run_tools (
    tool TEXT NOT NULL, key INTEGER NOT NULL REFERENCES run_list (key) ON DELETE CASCADE, PRIMARY KEY (tool, key)
  ) WITHOUT ROWID;
  CREATE INDEX run_tools_key ON run_tools (key);
  CREATE VIRTUAL TABLE run_text USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
  CREATE TRIGGER run_text_delete AFTER DELETE ON run_list BEGIN DELETE FROM run_text WHERE rowid = old.key; END;
`

type Row = Record<string, unknown>

/** The bounds of costs, the wider one last: a sum has the widest of its parts. */
const bounds: readonly CostBound[] = ['at-most', 'about']

/** The bound of the sum of these rows. */
function boundOf(rows: readonly Row[]): { readonly costBound?: CostBound } {
  const widest = Math.max(...rows.map(({ bound }) => Number(bound ?? -1)))
  const costBound = bounds[widest]
  return costBound ? { costBound } : {}
}

/** A part of a statement, and the values of its question marks. */
interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/**
 * Keeps what runs are found by, and finds them. Methods that write must be called inside a
 * transaction.
 */
export class RunIndex {
  readonly #database: DatabaseSync
  readonly #firstSlot: number

  /** @param isInMemory the keys are then in the half that no file uses, since one list has both */
  constructor(database: DatabaseSync, isInMemory = false) {
    this.#database = database
    this.#firstSlot = isInMemory ? slotsPerMs / 2 : 0
  }

  /**
   * Adds a run, or writes its state anew. The text is written at the start and at the end of a run.
   */
  put(run: RunRecord): void {
    const known = this.#one('SELECT key, session FROM run_list WHERE run = ?', run.id)
    const key = known ? Number(known['key']) : this.#newKey(run.at)
    const session = known ? String(known['session']) : this.#sessionOf(run)
    const { usage, program = null, error, cost = null, currency = null, latencyMs = null } = run
    const bound = run.costBound ? bounds.indexOf(run.costBound) : null
    this.#run(
      `INSERT INTO run_list VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
        model = excluded.model, status = excluded.status, error = excluded.error, cost = excluded.cost, currency = excluded.currency, bound = excluded.bound,
        input = excluded.input, output = excluded.output, cached = excluded.cached, latency = excluded.latency`,
      key,
      run.id,
      session,
      run.parent === undefined ? 0 : 1,
      program,
      run.model,
      run.status,
      error?.code ?? null,
      cost,
      currency,
      usage?.inputTokens ?? null,
      usage?.outputTokens ?? null,
      usage?.cacheReadTokens ?? null,
      latencyMs,
      run.parent ?? null,
      bound,
    )
    if (known && !isOver(run)) return
    // A run that happened in this one, or continued it, may have been written first.
    if (session !== run.id)
      this.#run('UPDATE run_list SET session = ? WHERE session = ?', session, run.id)
    const { text, tools } = toRunText(run, () => this.#events(run.id))
    this.#run('DELETE FROM run_text WHERE rowid = ?', key)
    this.#run('INSERT INTO run_text (rowid, text) VALUES (?, ?)', key, text)
    this.#run('DELETE FROM run_tools WHERE key = ?', key)
    for (const tool of tools)
      this.#run('INSERT OR IGNORE INTO run_tools (tool, key) VALUES (?, ?)', tool, key)
  }

  /** The newest runs that match; `toRecord` reads the columns `run` and `owner`. */
  list(limit: number, query: RunQuery, toRecord: (row: Row) => RunSummary): RunSummary[] {
    const words = toWords(query.text)
    return this.all(listSql(query), ...conditionsOf(query).values, limit).map((row) => {
      const found = words && findWords(String(row['text']), words)
      const record = toRecord(row)
      const tree = this.tree(record.id)
      return {
        ...record,
        ...(tree && { tree }),
        key: Number(row['key']),
        session: String(row['session']),
        ...(row['runs'] !== undefined && { runs: Number(row['runs']) }),
        ...(found !== undefined && { found }),
      }
    })
  }

  /** The sums of a run and of all runs in it; undefined if there is none in it. */
  tree(runId: string): RunTree | undefined {
    const rows = this.all(
      `WITH RECURSIVE tree (run) AS (
        VALUES (?) UNION SELECT c.run FROM tree JOIN run_list AS c ON c.parent = tree.run
      )
      SELECT coalesce(l.currency, 'USD') AS currency, count(*) AS runs, sum(l.cost) AS cost, max(l.bound) AS bound,
        sum(l.input) AS input, sum(l.output) AS output, sum(l.cached) AS cached
      FROM tree JOIN run_list AS l ON l.run = tree.run GROUP BY 1`,
      runId,
    )
    const sum = (name: string): number => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0)
    const runs = sum('runs')
    if (runs < 2) return undefined
    const costs = rows.flatMap(({ currency, cost }) =>
      cost === null ? [] : [[String(currency), Number(cost)] as const],
    )
    return {
      runs,
      inputTokens: sum('input'),
      outputTokens: sum('output'),
      cachedTokens: sum('cached'),
      costs: Object.fromEntries(costs),
      ...boundOf(rows),
    }
  }

  /** Sums over all runs that match. */
  totals(
    { heads: _heads, before: _before, sort: _sort, skip: _skip, ...query }: RunQuery,
    by?: RunGrouping,
  ): RunGroupTotals[] {
    const { sql, values } = conditionsOf(query)
    const group = groupSql(by)
    const costs = this.all(
      `SELECT ${group} AS g, coalesce(currency, 'USD') AS currency, sum(cost) AS cost, max(bound) AS bound FROM ${sql} AND cost IS NOT NULL GROUP BY 1, 2`,
      ...values,
    )
    const ranks = `row_number() OVER (PARTITION BY ${group} ORDER BY latency IS NULL, latency) AS i,
      count(latency) OVER (PARTITION BY ${group}) AS c`
    const rows = this.all(
      `SELECT g, count(*) AS runs, count(error) AS errors, sum(input) AS input, sum(output) AS output, sum(cached) AS cached,
        min(iif(i * 100 >= c * 50, latency, NULL)) AS p50, min(iif(i * 100 >= c * 95, latency, NULL)) AS p95
        FROM (SELECT ${group} AS g, error, input, output, cached, latency, ${by === undefined ? '0 AS i, 1 AS c' : ranks} FROM ${sql})
        GROUP BY g ORDER BY g`,
      ...values,
    )
    return rows.map((row) => ({
      ...(row['g'] !== null && { group: row['g'] as string | number }),
      runs: Number(row['runs']),
      errors: Number(row['errors']),
      inputTokens: Number(row['input']),
      outputTokens: Number(row['output']),
      cachedTokens: Number(row['cached']),
      costs: Object.fromEntries(
        costs.flatMap(({ g, currency, cost }) =>
          g === row['g'] ? [[String(currency), Number(cost)] as const] : [],
        ),
      ),
      ...boundOf(costs.filter(({ g }) => g === row['g'])),
      ...(row['p50'] !== null && { p50: Number(row['p50']), p95: Number(row['p95']) }),
    }))
  }

  /** The values that filters can have. */
  names(): RunNames {
    const distinct = (column: string, table = 'run_list'): string[] =>
      this.all(
        `SELECT DISTINCT ${column} AS name FROM ${table} WHERE ${column} IS NOT NULL ORDER BY 1`,
      ).map(({ name }) => String(name))
    return {
      programs: distinct('program'),
      models: distinct('model'),
      tools: distinct('tool', 'run_tools'),
      errors: distinct('error'),
    }
  }

  /**
   * Deletes all runs of studios that are over but the newest. Runs of other programs are neither
   * counted nor deleted.
   */
  prune(keep: number): void {
    this.#run(
      `DELETE FROM runs WHERE id IN (
        SELECT run FROM (
          SELECT run, status FROM run_list WHERE program IS NULL ORDER BY key DESC LIMIT -1 OFFSET ?
        ) WHERE status NOT IN ('running', 'waiting')
      )`,
      keep,
    )
  }

  /** All rows of a statement. */
  all(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#database.prepare(sql).all(...values)
  }

  #newKey(at: number): number {
    const from = Math.floor(at) * slotsPerMs + this.#firstSlot
    const end = from + slotsPerMs / 2
    const last = this.#one(
      'SELECT max(key) AS key FROM run_list WHERE key >= ? AND key < ?',
      from,
      end,
    )?.['key']
    const next = typeof last === 'number' ? last + 1 : from
    return next < end ? next : this.#newKey(at + 1)
  }

  #sessionOf({ id, parent, from }: RunRecord): string {
    const origin = parent ?? from?.runId
    if (origin === undefined) return id
    const found = this.#one('SELECT session FROM run_list WHERE run = ?', origin)
    return found ? String(found['session']) : origin
  }

  #events(runId: string): StudioEvent[] {
    const rows = this.all('SELECT event FROM events WHERE run = ? ORDER BY seq', runId)
    return rows.map(({ event }) => JSON.parse(String(event)) as StudioEvent)
  }

  #one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#database.prepare(sql).get(...values)
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#database.prepare(sql).run(...values)
  }
}

/** The statement of a list, without its limit; exported for the test of its plan. */
export function listSql(query: RunQuery): string {
  const { text, heads, sort } = query
  // A row of a sorted list stands for one run, not for a session.
  const hasCounts = heads && !sort
  const order = [...(sort ? [sortSql[sort]] : []), keySql[driverOf(query)]]
  return `SELECT l.key AS key, l.session AS session, r.owner AS owner,
      json_remove(r.run, '$.messages', '$.transcript', '$.settings', '$.logprobs') AS run
      ${text ? ', t.text AS text' : ''}
      ${hasCounts ? ', (SELECT count(*) FROM run_list AS s WHERE s.session = l.session) AS runs' : ''}
    FROM ${conditionsOf(query).sql.replace(' WHERE ', ' CROSS JOIN runs AS r ON r.id = l.run WHERE ')}
    ORDER BY ${order.map((column) => `${column} DESC`).join(', ')} LIMIT ?`
}

/** A sum over a run and all runs in it. Few runs have others in them: only those are added up. */
const treeSum = (column: string): string => `CASE
  WHEN EXISTS (SELECT 1 FROM run_list AS c WHERE c.parent = l.run) THEN (
    WITH RECURSIVE tree (run) AS (
      VALUES (l.run) UNION SELECT c.run FROM tree JOIN run_list AS c ON c.parent = tree.run
    )
    SELECT sum(${column}) FROM tree JOIN run_list AS s ON s.run = tree.run
  )
  ELSE (SELECT ${column} FROM run_list AS s WHERE s.key = l.key)
END`

/** What a list is sorted by; numbers that are not known come last. */
const sortSql: Readonly<Record<RunSort, string>> = {
  latency: 'l.latency',
  tokens: treeSum('s.input + s.output'),
  cost: treeSum('s.cost'),
}

/** The key of the runs in the table that is read first. */
const keySql = { run_text: 't.rowid', run_tools: 't.key', run_list: 'l.key' } as const

/** The table that is read first: its order is that of the list. */
const driverOf = ({ text, tool }: RunQuery): 'run_text' | 'run_tools' | 'run_list' =>
  toWords(text) ? 'run_text' : tool === undefined ? 'run_list' : 'run_tools'

const groupSql = (by: RunGrouping | undefined): string => {
  if (by === undefined) return 'NULL'
  if (by === 'model') return 'l.model'
  if (by === 'program') return "coalesce(l.program, '')"
  const ms = Math.trunc(by.periodMs)
  const offset = Math.trunc(by.offset)
  return `((l.key / ${slotsPerMs} - ${offset}) / ${ms} * ${ms} + ${offset})`
}

/** Tables and conditions of a query. Words are quoted, so that nothing in them is syntax. */
export function conditionsOf(query: RunQuery): Condition {
  const driver = driverOf(query)
  const {
    session,
    heads,
    program,
    model,
    status,
    error,
    minCost,
    minMs,
    since,
    until,
    before,
    tool,
    sort,
  } = query
  const parts: [sql: string, ...values: SQLInputValue[]][] = []
  if (driver === 'run_text') {
    const words = (toWords(query.text) ?? []).map((word) => `"${word.join(' ')}"`)
    parts.push(words.length > 0 ? ['t.text MATCH ?', `${words.join(' AND ')}*`] : ['0'])
  }
  if (driver === 'run_tools') parts.push(['t.tool = ?', tool ?? ''])
  else if (tool !== undefined)
    parts.push(['EXISTS (SELECT 1 FROM run_tools AS u WHERE u.tool = ? AND u.key = l.key)', tool])
  // The run that the session began with may have been deleted.
  if (session !== undefined)
    parts.push([
      'l.session = coalesce((SELECT session FROM run_list WHERE run = ?), ?)',
      session,
      session,
    ])
  for (const [column, value] of Object.entries({ program, model, status }))
    if (value !== undefined) parts.push([`l.${column} = ?`, value])
  if (error !== undefined)
    parts.push(error === 'any' ? ['l.error IS NOT NULL'] : ['l.error = ?', error])
  if (minCost !== undefined) parts.push(['l.cost >= ?', minCost])
  if (minMs !== undefined) parts.push(['l.latency >= ?', minMs])
  const key = keySql[driver]
  if (since !== undefined) parts.push([`${key} >= ?`, since * slotsPerMs])
  if (until !== undefined) parts.push([`${key} < ?`, until * slotsPerMs])
  if (before !== undefined) parts.push([`${key} < ?`, before])
  if (heads && sort) parts.push(['NOT EXISTS (SELECT 1 FROM run_list AS b WHERE b.run = l.parent)'])
  else if (heads)
    parts.push(
      [
        'NOT EXISTS (SELECT 1 FROM run_list AS b WHERE b.session = l.session AND b.child < l.child)',
      ],
      [
        'NOT EXISTS (SELECT 1 FROM run_list AS b WHERE b.session = l.session AND b.child = l.child AND b.key > l.key)',
      ],
    )
  const tables = {
    run_text: 'run_text AS t CROSS JOIN run_list AS l ON l.key = t.rowid',
    run_tools: 'run_tools AS t CROSS JOIN run_list AS l ON l.key = t.key',
    run_list: 'run_list AS l',
  }[driver]
  return {
    sql: `${tables} WHERE ${parts.map(([sql]) => sql).join(' AND ') || '1'}`,
    values: parts.flatMap(([, ...values]) => values),
  }
}
