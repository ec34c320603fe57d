import { factsOf } from '../model-facts.js'
import { textAndImages } from '../parts.js'
import type { ChatVendor, ModelFacts } from '../vendor.js'

/**
 * Log probabilities and names of messages are a 400.
 * @see https://console.groq.com/docs/openai.md · https://console.groq.com/docs/reasoning
 */
export const groq: ChatVendor = {
  name: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.groq.com/keys',
  model: 'openai/gpt-oss-120b',
  cheapestModel: 'openai/gpt-oss-20b',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    maxTokensField: 'max_completion_tokens',
    messageNames: false,
    lacks: ['topK', 'topLogprobs'],
  },
  claims: {
    embeddings: ['by-model', 'https://github.com/groq/groq-typescript/blob/main/api.md'],
    tools: ['by-model', 'https://console.groq.com/docs/tool-use'],
  },
  priceList: 'groq',
  docs: 'https://console.groq.com/docs/api-reference#chat-create',
}

/**
 * Prices of some models, from a list that quotes the price list of the vendor.
 * @see https://console.groq.com/docs/prompt-caching (read 2026-11-28): a token that a cache had
 * costs half
 */
export const groqModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-28', [
  {
    id: 'openai/gpt-oss-120b',
    prices: { input: 0.15, output: 0.6, cacheRead: 0.075 },
    source:
      'https://github.com/anomalyco/models.dev/blob/dev/providers/groq/models/openai/gpt-oss-120b.toml',
  },
])
