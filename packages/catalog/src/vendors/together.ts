import { high, low, medium, textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Its `logprobs` is a number and answers in a form of its own.
 * - Its log probabilities have a form of their own and are not read.
 * @see https://docs.together.ai/reference/chat-completions
 */
export const together: ChatVendor = {
  name: 'together',
  title: 'Together',
  baseUrl: 'https://api.together.xyz/v1',
  keyVariables: ['TOGETHER_API_KEY'],
  needsKey: true,
  keyUrl: 'https://api.together.ai/settings/api-keys',
  model: 'openai/gpt-oss-120b',
  cheapestModel: 'openai/gpt-oss-20b',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    lacks: ['topLogprobs', 'parallelToolCalls'],
    reasoning: { none: { reasoning: { enabled: false } }, low, medium, high },
  },
  claims: {
    tools: ['by-model', 'https://docs.together.ai/docs/function-calling'],
    embeddings: [true, 'https://docs.together.ai/docs/embeddings-overview'],
  },
  priceList: 'together',
  docs: 'https://docs.together.ai/reference/chat-completions',
}
