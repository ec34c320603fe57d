import { textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Speaks as most do.
 * @see https://docs.fireworks.ai/guides/reasoning.md ·
 * https://docs.fireworks.ai/api-reference/post-chatcompletions
 */
export const fireworks: ChatVendor = {
  name: 'fireworks',
  title: 'Fireworks',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY'],
  needsKey: true,
  keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
  model: 'accounts/fireworks/models/kimi-k3',
  cheapestModel: 'accounts/fireworks/models/gpt-oss-120b',
  nativeTools: true,
  quirks: { inputs: textAndImages },
  claims: {
    embeddings: [true, 'https://docs.fireworks.ai/guides/querying-embeddings-models'],
    reasoning: ['by-model', 'https://docs.fireworks.ai/guides/reasoning.md'],
  },
  priceList: 'fireworks',
  docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
}
