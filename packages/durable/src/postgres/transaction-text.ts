import type { SqlValue, Statement } from '../database/database.js'

/** The SQLSTATE that `expect_count` raises; its message is the number of the statement. */
export const expectationFailed = 'MP001'

/** The SQLSTATE that `expect_transaction` raises: the connection is a new one. */
export const transactionLost = 'MP002'

/** Functions that the texts below call. */
export const helperFunctions = (schema: string): string => `
  CREATE OR REPLACE FUNCTION "${schema}".expect_count(counted BIGINT, expected BIGINT, statement INT) RETURNS INT AS $$
  BEGIN
    IF counted <> expected THEN RAISE EXCEPTION '%', statement USING ERRCODE = '${expectationFailed}'; END IF;
    RETURN NULL;
  END $$ LANGUAGE plpgsql;
  CREATE OR REPLACE FUNCTION "${schema}".expect_transaction(id TEXT) RETURNS INT AS $$
  BEGIN
    IF pg_current_xact_id_if_assigned()::text IS DISTINCT FROM id THEN
      RAISE EXCEPTION 'lost' USING ERRCODE = '${transactionLost}';
    END IF;
    RETURN NULL;
  END $$ LANGUAGE plpgsql;
  CREATE TABLE IF NOT EXISTS "${schema}".commits (writer TEXT PRIMARY KEY, counted BIGINT NOT NULL, at BIGINT NOT NULL);
  DELETE FROM "${schema}".commits WHERE at < extract(epoch FROM clock_timestamp() - interval '1 day') * 1000`

/** What one transaction leaves in the database if it is committed; each writer has one row. */
export interface CommitMark {
  readonly writer: string
  readonly counted: number
}

/**
 * A whole transaction without its commit, as one message: the server gets all of it or nothing, so that no statement can land on another
 * connection. Its last two results are that of the mark and the id of the transaction.
 */
export const transactionText = (statements: readonly Statement[], { writer, counted }: CommitMark): string =>
  [
    'BEGIN',
    ...statements.map(checked),
    `INSERT INTO commits (writer, counted, at) VALUES (${literal(writer)}, ${counted}, extract(epoch FROM clock_timestamp()) * 1000)
      ON CONFLICT (writer) DO UPDATE SET counted = excluded.counted, at = excluded.at`,
    'SELECT pg_current_xact_id()::text AS id',
  ].join(';\n')

/** Reads of one state of the database, as one message. Its first and last results are empty. */
export const snapshotText = (statements: readonly Statement[]): string =>
  ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...statements.map(checked), 'COMMIT'].join(';\n')

/** Commits if the connection still has the transaction. */
export const commitText = (id: string): string => `SELECT expect_transaction(${literal(id)}); COMMIT`

function checked({ sql, params = [], expect }: Statement, index: number): string {
  let next = 0
  const text = sql.replace(/\?/g, () => literal(params[next++] ?? null))
  if (expect === undefined) return text
  const counted = /^\s*SELECT/.test(text) ? `SELECT 1 FROM (${text}) AS found` : `${text} RETURNING 1`
  return `WITH changed AS (${counted}) SELECT expect_count(count(*), ${expect}, ${index}) FROM changed`
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  // Standard strings: a backslash is a backslash. PostgreSQL has no text with a zero byte.
  return `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`
}

/** A list of texts as PostgreSQL reads an array. */
export const toTextArray = (values: readonly string[]): string =>
  `{${values.map((value) => JSON.stringify(value)).join(',')}}`

const spelled = new Map<string, string>()

/** `?` as `$1`, `$2`, …; none of our statements has a question mark in a text. */
export function numbered(sql: string): string {
  let found = spelled.get(sql)
  if (found === undefined) {
    let index = 0
    spelled.set(sql, (found = sql.replace(/\?/g, () => `$${++index}`)))
  }
  return found
}
