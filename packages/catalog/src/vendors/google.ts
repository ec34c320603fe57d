import { factsOf } from '../model-facts.js'
import type { ModelFacts, Vendor } from '../vendor.js'

/** The Gemini API. */
export const google: Vendor = {
  name: 'google',
  title: 'Google Gemini',
  package: '@modelport/provider-google',
  aliases: ['gemini'],
  baseUrl: 'https://generativelanguage.googleapis.com',
  baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_AI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://aistudio.google.com/apikey',
  model: 'gemini-3.1-pro',
  embeddingModel: 'gemini-embedding-001',
  priceList: 'google',
  docs: 'https://ai.google.dev/api/generate-content',
}

/** Windows and prices of some models, from a list that quotes the price list of the vendor. */
export const googleModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-28', [
  {
    id: 'gemini-3.1-flash-lite',
    contextWindow: 1_048_576,
    prices: { input: 0.25, output: 1.5, cacheRead: 0.025 },
    source:
      'https://github.com/anomalyco/models.dev/blob/dev/providers/google/models/gemini-3.1-flash-lite.toml',
  },
])
