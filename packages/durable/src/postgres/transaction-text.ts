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
  END $$ LANGUAGE plpgsql`

/**
 * A whole transaction without its commit, as one message: the server gets all of it or nothing, so that no statement can land on another
 * connection. Its last result is the id of the transaction.
 */
export const transactionText = (statements: readonly Statement[]): string =>
  ['BEGIN', ...statements.map(checked), 'SELECT pg_current_xact_id()::text AS id'].join(';\n')

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
