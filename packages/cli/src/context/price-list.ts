import type { findPrices, PriceFacts } from '@modelport/catalog/prices'

let find: typeof findPrices | undefined

/** Loads the prices of many models. Called where they are needed, since they are large. */
export async function loadPriceList(): Promise<typeof findPrices> {
  find ??= (await import('@modelport/catalog/prices')).findPrices
  return find
}

/** The facts of a model, once the list is loaded. */
export const listedFacts = (provider: string, model: string): PriceFacts | undefined =>
  find?.(provider, model)
