import { configError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { providerRows } from './provider-rows.js'
import type { ProviderRow } from './row.js'

/**
 * Providers by name and alias, for `table` of a context:
 * `createProviderTable([...providerRows, row])` adds one. The later of two rows with one name
 * counts; an alias replaces nothing. Default: every provider modelport knows.
 * @throws {LlmError} `config` — a name has other characters than lower-case letters, digits, `-`,
 * `.` and `_`.
 */
export function createProviderTable(
  rows: readonly ProviderRow[] = providerRows,
): ReadonlyMap<string, ProviderRow> {
  const table = new Map<string, ProviderRow>()
  for (const row of rows) register(table, row)
  return table
}

function register(table: Map<string, ProviderRow>, row: ProviderRow): void {
  const { name, aliases = [] } = row
  for (const one of [name, ...aliases]) {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(one)) {
      throw configError(
        `a provider cannot be named ${JSON.stringify(one)}; use lower-case letters, digits, "-", "." and "_"`,
      )
    }
  }
  table.set(name, row)
  for (const alias of aliases) if (!table.has(alias)) table.set(alias, row)
}

let usualTable: ReadonlyMap<string, ProviderRow> | undefined

/** The table of every provider modelport knows. */
export function defaultTable(): ReadonlyMap<string, ProviderRow> {
  usualTable ??= createProviderTable()
  return usualTable
}

/** The row of a provider. @throws {LlmError} `config` — no provider has this name. */
export function findRow(
  name: string,
  table: ReadonlyMap<string, ProviderRow> = defaultTable(),
): ProviderRow {
  const row = table.get(name.trim().toLowerCase())
  if (row) return row
  // Gateways of other libraries write a slash.
  const [vendor = '', ...model] = name.split('/')
  if (model.length && table.has(vendor.trim().toLowerCase()))
    throw configError(
      `unsupported provider: ${JSON.stringify(name)}; write "${vendor}:${model.join('/')}"`,
    )
  const names = [...new Set([...table.values()].map((one) => one.name))].join(', ')
  throw configError(
    `unsupported provider: ${JSON.stringify(name)}${suggest(name, table.keys(), '')}; known: ${names}`,
  )
}
