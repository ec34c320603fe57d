import { DurableError } from '../database/durable-error.js'
import { schemaVersion } from '../database/schema.js'
import type { RunParts } from '../runs/held-run.js'
import { type ExportEnd, type ExportHeader, type ExportUnit, insertRow } from './export-format.js'

/** The result of `import` of the operations. */
export interface ImportReport {
  /** Tasks, runs and conversations that were stored. */
  readonly imported: number
  /** Rows that existed already, which stay as they are. */
  readonly skipped: number
}

/** Reads an export into the store; each line is one transaction. */
export async function importStore(
  parts: RunParts,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportReport> {
  let [number, imported, skipped] = [0, 0, 0]
  let isWhole = false
  for await (const line of lines) {
    number++
    if (number === 1) checkHeader(line)
    else if (line.trim() !== '') {
      const unit = parseUnit(line, number)
      if ((isWhole = unit.type === 'end')) continue
      if (await importUnit(parts, unit, number)) imported++
      else skipped++
    }
  }
  if (number === 0) throw new DurableError('damaged', 'the export is empty; its first line must be its header')
  if (!isWhole)
    throw new DurableError(
      'damaged',
      `the export was cut off after line ${number}, which is imported; export again, and import that too`,
    )
  return { imported, skipped }
}

function checkHeader(line: string): void {
  let header: Partial<ExportHeader> | null
  try {
    header = JSON.parse(line) as Partial<ExportHeader> | null
  } catch {
    header = null
  }
  if (header?.format !== 'modelport-durable')
    throw new DurableError('damaged', 'line 1 is not the header of an export of this package')
  if (header.version !== 3 || header.schema !== schemaVersion)
    throw new DurableError(
      'newer-schema',
      'another version of @modelport/durable wrote the export; import it with that version',
    )
  if (header.redacted)
    throw new DurableError('conflict', 'the export was redacted and cannot be imported; export without redaction')
}

function parseUnit(line: string, number: number): ExportUnit | ExportEnd {
  try {
    const unit = JSON.parse(line) as Partial<ExportUnit> | ExportEnd | null
    if (unit?.type === 'end' || Array.isArray(unit?.rows)) return unit as ExportUnit | ExportEnd
  } catch {
    // Such a line is not a unit either.
  }
  throw new DurableError('damaged', `line ${number} of the export is not a task, run or conversation`)
}

/** False if the task, run or conversation is there already. */
async function importUnit({ database, codec }: RunParts, { rows }: ExportUnit, number: number): Promise<boolean> {
  let statements: ReturnType<typeof insertRow>[]
  try {
    statements = rows.map(([name, row]) =>
      insertRow(name, name === 'runs' ? withoutHolder(row, database.now()) : row, codec),
    )
  } catch (error) {
    throw new DurableError('damaged', `line ${number} of the export cannot be read: ${String(error)}`, { cause: error })
  }
  const result = await database.write(statements)
  if (!result.ok && result.failed > 0)
    throw new DurableError('conflict', `line ${number} of the export holds a row that this store has already`)
  return result.ok
}

/** A run as nobody holds it. */
const withoutHolder = (row: Readonly<Record<string, unknown>>, now: number): Readonly<Record<string, unknown>> => ({
  ...row,
  ...(row['status'] === 'running' && { status: 'ready' }),
  ...((row['status'] === 'running' || row['status'] === 'ready') && { due: now }),
})
