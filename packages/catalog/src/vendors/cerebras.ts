import { textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * The limit of tokens has the newer name.
 * @see https://inference-docs.cerebras.ai/api-reference/chat-completions
 */
export const cerebras: ChatVendor = {
  name: 'cerebras',
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  keyVariables: ['CEREBRAS_API_KEY'],
  needsKey: true,
  keyUrl: 'https://cloud.cerebras.ai',
  model: 'gpt-oss-120b',
  cheapestModel: 'gpt-oss-120b',
  nativeTools: true,
  quirks: { inputs: textAndImages, maxTokensField: 'max_completion_tokens', lacks: ['topK'] },
  claims: {
    embeddings: [undefined, 'https://inference-docs.cerebras.ai/api-reference/chat-completions'],
  },
  priceList: 'cerebras',
  docs: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
}
