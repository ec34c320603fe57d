import { factsOf } from '../model-facts.js'
import type { ModelFacts, Vendor } from '../vendor.js'

/** The Responses API, which refuses fewer than 16 tokens, and Chat Completions. */
export const openai: Vendor = {
  name: 'openai',
  title: 'OpenAI',
  package: '@modelport/provider-openai',
  baseUrl: 'https://api.openai.com/v1',
  keyOrigins: ['https://us.api.openai.com', 'https://eu.api.openai.com'],
  baseUrlVariables: ['OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://platform.openai.com/api-keys',
  model: 'gpt-5.4',
  embeddingModel: 'text-embedding-3-small',
  fewestTokens: 16,
  priceList: 'openai',
  docs: 'https://developers.openai.com/api/reference/resources/responses',
}

/** Prices of some models, from a page that quotes the price list of the vendor. */
export const openaiModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-22', [
  {
    id: 'gpt-5.4-mini',
    prices: { input: 0.75, output: 4.5, cacheRead: 0.075 },
    source: 'https://benchlm.ai/blog/posts/openai-api-pricing',
  },
  {
    id: 'gpt-5.4-nano',
    prices: { input: 0.2, output: 1.25, cacheRead: 0.02 },
    source: 'https://benchlm.ai/blog/posts/openai-api-pricing',
  },
])
