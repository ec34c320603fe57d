import { high, low, medium, textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Searches the web by itself and takes no tools.
 * - It searches the web for every reply: sources are in `citations`, of `generate` and of a
 *   stream's `details()`. Roles must alternate.
 * - With `vendor: { stream_mode: 'concise' }` a stream has the steps of the search as reasoning.
 * - Perplexity announced the end of this API for 2026-09-27, in favour of its Agent API, which
 *   speaks another protocol.
 * - Its embeddings come as base64 integers, which the embedder does not read.
 * @see https://docs.perplexity.ai/guides/chat-completions-guide
 */
export const perplexity: ChatVendor = {
  name: 'perplexity',
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyVariables: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
  needsKey: true,
  keyUrl: 'https://www.perplexity.ai/account/api',
  model: 'sonar-pro',
  cheapestModel: 'sonar',
  nativeTools: false,
  quirks: {
    apiPath: '',
    inputs: textAndImages,
    responseFormats: ['json-schema'],
    lacks: [
      'tools',
      'providerTools',
      'toolChoice',
      'parallelToolCalls',
      'seed',
      'stop',
      'topLogprobs',
    ],
    reasoning: { low, medium, high },
  },
  claims: {
    schema: [
      true,
      'https://docs.perplexity.ai/docs/grounded-llm/output-control/structured-outputs',
    ],
    embeddings: [false, 'https://docs.perplexity.ai/docs/embeddings/quickstart'],
  },
  priceList: 'perplexity',
  docs: 'https://docs.perplexity.ai/docs/sonar/openai-compatibility',
}
