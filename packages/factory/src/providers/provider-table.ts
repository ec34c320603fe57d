import { LlmError } from '@modelport/core'
import type { ProviderRow } from './row.js'
import { didYouMean } from '../config/suggestion.js'
import { providerRows } from './table.js'

/** Providers by name and alias. */
export type ProviderTable = ReadonlyMap<string, ProviderRow>

/** A table of one's own, to add providers to. Default: everything modelport knows. */
export function createProviderTable(rows: readonly ProviderRow[] = providerRows): Map<string, ProviderRow> {
  const table = new Map<string, ProviderRow>()
  for (const row of rows) registerProvider(table, row)
  return table
}

/**
 * Adds a provider to a table. A name that is there already is replaced, an alias is not.
 * @throws {LlmError} `config` — a name has other characters than lower-case letters, digits, `-`, `.` and `_`.
 */
export function registerProvider(table: Map<string, ProviderRow>, row: ProviderRow): void {
  const { name, aliases = [] } = row
  for (const one of [name, ...aliases]) {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(one)) {
      throw new LlmError(
        'config',
        `registerProvider: ${JSON.stringify(one)} must be lower-case letters, digits, "-", "." and "_"`,
      )
    }
  }
  table.set(name, row)
  for (const alias of aliases) if (!table.has(alias)) table.set(alias, row)
}

let known: ProviderTable | undefined

/** The table of everything modelport knows. */
export function defaultTable(): ProviderTable {
  known ??= createProviderTable()
  return known
}

/** The row of a provider. @throws {LlmError} `config` — there is none of this name. */
export function findRow(name: string, table: ProviderTable = defaultTable()): ProviderRow {
  const row = table.get(name.trim().toLowerCase())
  if (row) return row
  const known = [...new Set([...table.values()].map((one) => one.name))].join(', ')
  throw new LlmError(
    'config',
    `unsupported provider: ${JSON.stringify(name)}${didYouMean(name, table.keys())}; known: ${known}`,
  )
}
