import type { ModelPrices, PriceTier, TokenPrices } from '@modelport/core'
import { calcPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices'
import type { ModelFacts } from './vendor.js'
import { vendorModels } from './vendor-models.js'
import { vendors } from './vendors.js'

/** The facts of a model. Without `prices`, `reason` says why nobody knows them. */
export interface PriceFacts extends ModelFacts {
  /** Why there are no prices. Unset: there are. */
  readonly reason?: string
}

/** The day of the oldest version of the list that the peer dependency admits. */
const listDate = '2026-09-23'
const listPage = 'https://github.com/pydantic/genai-prices'

const unitOf = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWriteHour: 'cache_write_1h_mtok',
} as const satisfies Record<keyof TokenPrices, string>

const tokenUnits: readonly string[] = Object.values(unitOf)

/** Uses of a vendor's own tools. No price of ours has them, and no model call needs them. */
const toolUnits: readonly string[] = [
  'web_searches_kcount',
  'storage_searches_kcount',
  'social_searches_kcount',
  'code_executions_kcount',
]

/**
 * What is known of the prices of a model: the row of our catalog, else that of the list of
 * `@pydantic/genai-prices`. Fetches nothing.
 *
 * @param vendor its name in configurations, such as `openai`
 * @param at the moment for which the prices hold. Default: now
 */
export function findPrices(vendor: string, model: string, at: Date = new Date()): PriceFacts {
  const own = Object.hasOwn(vendorModels, vendor) ? (vendorModels[vendor] ?? []) : []
  const row = own.find(({ id }) => id === model)
  if (row?.prices) return row

  const listed = { ...factsOf(vendor, model, at), id: model }
  const { contextWindow = listed.contextWindow } = row ?? {}
  return { ...listed, ...(contextWindow !== undefined && { contextWindow }) }
}

function factsOf(vendor: string, model: string, at: Date): Omit<PriceFacts, 'id'> {
  const unknown = { source: listPage, date: listDate }
  const providerId = vendors.find(({ name }) => name === vendor)?.priceList
  if (providerId === undefined) return { ...unknown, reason: reasonOf(vendor) }

  const row = calcPrice({}, model, { providerId, timestamp: at })
  if (!row) return { ...unknown, reason: `the list has no prices of this model` }

  const { context_window: contextWindow } = row.model
  const facts = {
    source: row.provider.pricing_urls?.[0] ?? listPage,
    date: listDate,
    ...(contextWindow !== undefined && { contextWindow }),
  }
  const reason = obstacleOf(row.model, row.model_price)
  return reason === undefined
    ? { ...facts, prices: toPrices(row.model_price) }
    : { ...facts, reason }
}

function reasonOf(name: string): string {
  const vendor = vendors.find((one) => one.name === name)
  if (!vendor) return `${JSON.stringify(name)} is not a vendor of the catalog`
  return vendor.selfHosted
    ? 'no list knows what a server of your own costs'
    : 'the list has no prices of this vendor'
}

/** What keeps our prices from saying what the list says. Undefined: nothing. */
function obstacleOf({ id, prices }: ModelInfo, price: ModelPrice): string | undefined {
  const isByHour =
    Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date')
  if (isByHour) return 'its prices depend on the time of day'

  const units = Object.keys(price).filter((unit) => price[unit] !== undefined)
  const other = units.find((unit) => !tokenUnits.includes(unit) && !toolUnits.includes(unit))
  if (other !== undefined) return `it has a price in a unit that prices do not have: ${other}`
  if (price[unitOf.input] === undefined) return 'the list has no price of its prompts'

  // A model that generates nothing has no such price.
  const generates = !/embed/i.test(id)
  return generates && price[unitOf.output] === undefined
    ? 'the list has no price of its replies'
    : undefined
}

/** The prices of the list in our form. */
function toPrices(price: ModelPrice): ModelPrices {
  const starts = tokenUnits.flatMap((unit) => {
    const value = price[unit]
    return typeof value === 'object' ? value.tiers.map(({ start }) => start) : []
  })
  const tiers = [...new Set(starts)]
    .sort((a, b) => a - b)
    .map((above): PriceTier => ({ above, ...pricesAt(price, above + 1) }))
  return { ...pricesAt(price, 0), ...(tiers.length > 0 && { tiers }) }
}

/** The prices of a call with so many tokens in its prompt. */
function pricesAt(price: ModelPrice, inputTokens: number): TokenPrices {
  const entries = Object.entries(unitOf).flatMap(([name, unit]) => {
    const value = price[unit]
    if (value === undefined) return []
    if (typeof value === 'number') return [[name, value] as const]
    const tier = value.tiers.findLast(({ start }) => inputTokens > start)
    return [[name, tier?.price ?? value.base] as const]
  })
  return { input: 0, output: 0, ...Object.fromEntries(entries) }
}
