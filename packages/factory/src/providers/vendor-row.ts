import type { Vendor } from '@modelport/catalog'
import type { ProviderRow } from './row.js'

/** What a row takes of a vendor under the same name. */
const sameFacts = [
  'name',
  'package',
  'aliases',
  'baseUrl',
  'keyOrigins',
  'needsKey',
  'selfHosted',
  'keyUrl',
  'retired',
  'model',
  'cheapestModel',
  'embeddingModel',
  'fewestTokens',
] as const

/** The facts of a vendor of the catalog, under the names of a row. */
export function rowOf(vendor: Vendor): ProviderRow {
  const same = Object.fromEntries(
    sameFacts.flatMap((name) => (vendor[name] === undefined ? [] : [[name, vendor[name]]])),
  )
  const { keyVariables, baseUrlVariables } = vendor
  return {
    ...(same as Pick<Vendor, (typeof sameFacts)[number]>),
    keyEnv: keyVariables,
    ...(baseUrlVariables && { baseUrlEnv: baseUrlVariables }),
  }
}
