import { configError } from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import { defaultTable, findRow } from './provider-table.js'
import type { ProviderCreators, ProviderRow } from './row.js'

/**
 * The row of a configuration: one of the table, or with `package` a row of its own.
 * @throws {LlmError} `config` — no provider has this name, or `package` comes with the name of a
 * provider of the table.
 */
export function rowFor(
  { provider, package: specifier }: Pick<ModelConfig, 'provider' | 'package'>,
  table: ReadonlyMap<string, ProviderRow> = defaultTable(),
  importModule?: (specifier: string) => Promise<unknown>,
): ProviderRow {
  if (!specifier) return findRow(provider, table)
  const name = provider.trim().toLowerCase()
  if (table.has(name))
    throw configError(
      `${JSON.stringify(name)} is a provider of modelport, which has its own package; leave package out, or give your provider another name`,
    )
  return {
    name,
    keyEnv: [],
    needsKey: false,
    creators: () => importCreators(name, specifier, importModule),
  }
}

async function importCreators(
  name: string,
  specifier: string,
  importModule: ((specifier: string) => Promise<unknown>) | undefined,
): Promise<ProviderCreators> {
  if (!importModule)
    throw configError(
      `${name}: a configuration cannot load the package ${specifier} by itself; to allow it, pass importModule of @modelport/factory/node in the context`,
    )
  const imported: unknown = await importModule(specifier)
  const { default: fallback } = imported as { readonly default?: unknown }
  const creators = [imported, fallback].find(hasCreator)
  if (creators) return creators
  throw configError(`${name}: ${specifier} must export a function createProvider`)
}

const hasCreator = (value: unknown): value is ProviderCreators =>
  typeof (value as Partial<ProviderCreators> | null | undefined)?.createProvider === 'function'
