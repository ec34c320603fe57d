import type { SqlValue, Statement } from '../database/database.js'

/** The SQLSTATE that `expect_count` raises; its message is the number of the statement. */
export const expectationFailed = 'MP001'

/**
 * The SQLSTATE of a transaction that cannot move the mark of its writer: the transaction is
 * committed already, or somebody moved the mark to find out whether it is.
 */
export const markTaken = 'MP002'

/** Functions that the texts below call. */
export const helperFunctions = (schema: string): string => `
  CREATE OR REPLACE FUNCTION "${schema}".expect_count(counted BIGINT, expected BIGINT, statement INT) RETURNS INT AS $$
  BEGIN
    IF counted <> expected THEN RAISE EXCEPTION '%', statement USING ERRCODE = '${expectationFailed}'; END IF;
    RETURN NULL;
  END $$ LANGUAGE plpgsql;
  CREATE OR REPLACE FUNCTION "${schema}".expect_mark(counted BIGINT) RETURNS INT AS $$
  BEGIN
    IF counted <> 1 THEN RAISE EXCEPTION 'taken' USING ERRCODE = '${markTaken}'; END IF;
    RETURN NULL;
  END $$ LANGUAGE plpgsql;
  CREATE TABLE IF NOT EXISTS "${schema}".commits (writer TEXT PRIMARY KEY, counted BIGINT NOT NULL, at BIGINT NOT NULL);
  DELETE FROM "${schema}".commits WHERE at < extract(epoch FROM clock_timestamp() - interval '1 day') * 1000`

/** The mark that a committed transaction leaves in the database; each writer has one row. */
export interface CommitMark {
  readonly writer: string
  /** The number of the transaction among those of its writer, from 1. */
  readonly counted: number
}

/**
 * A whole transaction as one message: the server gets all of it or nothing, so that no statement
 * can run on another connection. Its mark comes first, so that the row of the writer stays locked
 * until it is known whether the transaction is committed. The first two results are those of BEGIN
 * and of the mark; one for each statement follows. The client joins that of COMMIT with the last.
 */
export const transactionText = (statements: readonly Statement[], mark: CommitMark): string =>
  [
    'BEGIN',
    `WITH changed AS (${moveMark(mark, mark.counted)}) SELECT expect_mark(count(*)) FROM changed`,
    ...statements.map(statementText),
    'COMMIT',
  ].join(';\n')

/** Moves the mark of a writer to a number, if it still is at the one before this mark. */
export const moveMark = ({ writer, counted }: CommitMark, to: number): string =>
  `UPDATE commits SET counted = ${to}, at = extract(epoch FROM clock_timestamp()) * 1000
    WHERE writer = ${literal(writer)} AND counted = ${counted - 1} RETURNING 1 AS moved`

/** Makes the row of a writer, unless it exists. */
export const writerText = (writer: string): string =>
  `INSERT INTO commits (writer, counted, at) VALUES (${literal(writer)}, 0, extract(epoch FROM clock_timestamp()) * 1000) ON CONFLICT DO NOTHING`

/** A statement with its parameters, and with the check of its row count if it expects one. */
function statementText({ sql, params = [], expect }: Statement, index: number): string {
  let next = 0
  const text = sql.replace(/\?/g, () => literal(params[next++] ?? null))
  if (expect === undefined) return text

  const rowEach = /^\s*SELECT/.test(text)
    ? `SELECT 1 FROM (${text}) AS found`
    : `${text} RETURNING 1`
  return `WITH changed AS (${rowEach}) SELECT expect_count(count(*), ${expect}, ${index}) FROM changed`
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  // Standard strings: a backslash is a backslash. PostgreSQL has no text with a zero byte.
  return `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`
}

const numberedTexts = new Map<string, string>()

/**
 * The statement with `$1`, `$2`, … in place of each `?`. None of our statements has a question mark
 * in a text.
 */
export function withNumbers(sql: string): string {
  const known = numberedTexts.get(sql)
  if (known !== undefined) return known

  let index = 0
  const text = sql.replace(/\?/g, () => `$${++index}`)
  numberedTexts.set(sql, text)
  return text
}
