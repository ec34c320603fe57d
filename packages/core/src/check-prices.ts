import { configError } from './error.js'
import type { ModelPrices } from './prices.js'
import { suggest } from './suggest.js'
import { isObject } from './unknown-values.js'

const required = ['input', 'output']
const optional = ['cacheRead', 'cacheWrite', 'cacheWriteHour']
const tierNames = ['above', ...required, ...optional]
const names = [...required, ...optional, 'currency', 'tiers']

/**
 * Checks prices before anything is counted with them.
 * @throws {LlmError} `config` — `where` and the field that is missing, wrong or not known.
 */
export function checkPrices(where: string, prices: unknown): asserts prices is ModelPrices {
  if (!isObject(prices))
    throw configError(`${where} must be an object with input and output, for a million tokens`)
  checkNames(where, prices, names)
  checkEach(where, prices, required, optional)
  const { currency, tiers = [] } = prices
  if (currency !== undefined && typeof currency !== 'string')
    throw configError(`${where}.currency must be a text such as "USD"`)
  if (!Array.isArray(tiers)) throw configError(`${where}.tiers must be a list`)
  for (const [index, tier] of (tiers as unknown[]).entries()) {
    const at = `${where}.tiers[${index}]`
    if (!isObject(tier)) throw configError(`${at} must be an object with above, input and output`)
    checkNames(at, tier, tierNames)
    checkEach(at, tier, ['above', ...required], optional)
  }
}

function checkNames(where: string, prices: object, known: readonly string[]): void {
  const unknown = Object.keys(prices).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw configError(`${where}: unknown field ${JSON.stringify(unknown)}${suggest(unknown, known)}`)
}

function checkEach(
  where: string,
  prices: Readonly<Record<string, unknown>>,
  needed: readonly string[],
  others: readonly string[],
): void {
  for (const name of [...needed, ...others]) {
    const value = prices[name]
    if (value === undefined && others.includes(name)) continue
    if (typeof value === 'number' && value >= 0 && value < Infinity) continue
    const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
    throw configError(`${where}.${name} must be a number of at least 0, not ${text}`)
  }
}
