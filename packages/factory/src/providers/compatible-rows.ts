import { type ChatVendor, chatVendors, type Vendor } from '@modelport/catalog'
import type { ProviderRow } from './row.js'

/** The package of every vendor that speaks Chat Completions and needs no SDK. */
const compatiblePackage = '@modelport/provider-openai-compatible'

type RowFacts = Omit<ProviderRow, 'package' | 'settings'>

/** The facts of a vendor of the catalog, under the names of a row. */
export function rowOf({
  name,
  aliases,
  baseUrl,
  baseUrlVariables,
  keyVariables,
  keyOrigins,
  needsKey,
  selfHosted,
  model,
  cheapestModel,
  retired,
  embeddingModel,
  fewestTokens,
  keyUrl,
}: Vendor): RowFacts {
  return {
    name,
    keyEnv: keyVariables,
    needsKey,
    ...(aliases && { aliases }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(baseUrlVariables && { baseUrlEnv: baseUrlVariables }),
    ...(keyOrigins && { keyOrigins }),
    ...(selfHosted && { selfHosted }),
    ...(model !== undefined && { model }),
    ...(cheapestModel !== undefined && { cheapestModel }),
    ...(retired !== undefined && { retired }),
    ...(embeddingModel !== undefined && { embeddingModel }),
    ...(fewestTokens !== undefined && { fewestTokens }),
    ...(keyUrl !== undefined && { keyUrl }),
  }
}

const compatibleRow = (vendor: ChatVendor): ProviderRow => ({
  ...rowOf(vendor),
  package: compatiblePackage,
  settings: () => ({ preset: vendor.name }),
})

/** Vendors and servers of the catalog that speak Chat Completions. */
export const compatibleRows: readonly ProviderRow[] = Object.values(chatVendors).map(compatibleRow)
