import { factsOf } from '../model-facts.js'
import { high, textAndImages } from '../parts.js'
import type { ChatVendor, ModelFacts } from '../vendor.js'

/**
 * Ids of calls are nine letters or digits; a field it does not know is a 422; usage comes unasked;
 * a reply follows results.
 * - Ids of other vendors' calls become nine letters or digits; its own go back as they came.
 * - A user message right after tool results is refused: `[No reply.]` stands between them.
 * - Thinking comes as parts of the content and goes back the same way.
 * @see https://docs.mistral.ai/api/endpoint/chat ·
 * https://github.com/mistralai/mistral-vibe/issues/1075 (ids) ·
 * https://github.com/zed-industries/zed/pull/31736 (order)
 */
export const mistral: ChatVendor = {
  name: 'mistral',
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.mistral.ai/api-keys',
  model: 'mistral-medium-latest',
  cheapestModel: 'ministral-3b-latest',
  embeddingModel: 'mistral-embed',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    toolCallIds: { length: 9, forbidden: /[^a-zA-Z0-9]/g },
    streamUsage: false,
    messageNames: false,
    replyAfterResults: true,
    rename: { seed: 'random_seed' },
    countedSeparately: ['audio'],
    lacks: ['topK', 'topLogprobs'],
    reasoning: { none: { reasoning_effort: 'none' }, high },
  },
  claims: {
    embeddings: [true, 'https://docs.mistral.ai/api/endpoint/embeddings'],
    parallelTools: [true, 'https://docs.mistral.ai/api/endpoint/chat'],
    schema: [true, 'https://docs.mistral.ai/api/endpoint/chat'],
  },
  priceList: 'mistral',
  docs: 'https://docs.mistral.ai/api/endpoint/chat',
}

/**
 * Windows and prices of some models, from issues that quote the model card and the price list of
 * the vendor.
 * @see https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching (read 2026-11-28): a
 * token that a cache had costs a tenth
 */
export const mistralModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-22', [
  {
    id: 'mistral-medium-latest',
    contextWindow: 256_000,
    prices: { input: 1.5, output: 7.5, cacheRead: 0.15 },
    source: 'https://github.com/braintrustdata/braintrust-proxy/issues/802',
  },
  {
    id: 'mistral-medium-3.5',
    contextWindow: 256_000,
    prices: { input: 1.5, output: 7.5, cacheRead: 0.15 },
    source: 'https://github.com/braintrustdata/braintrust-proxy/issues/505',
  },
])
