import { textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * The models up to `grok-4-0709`, and with it `grok-4-latest`, closed 2026-05-15.
 * - `grok-4-latest` and the models before it closed on 2026-05-15. Models of the 4.5 line and later
 *   cannot turn reasoning off; the server says so.
 * @see https://docs.x.ai/developers/migration/may-15-retirement.md ·
 * https://docs.x.ai/guides/reasoning
 */
export const grok: ChatVendor = {
  name: 'grok',
  title: 'Grok (xAI)',
  aliases: ['xai'],
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY', 'GROK_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.x.ai',
  model: 'grok-latest',
  cheapestModel: 'grok-4.3',
  nativeTools: true,
  quirks: { inputs: textAndImages, lacks: ['topK'] },
  claims: {
    embeddings: [undefined, 'https://docs.x.ai/developers/rest-api-reference/inference'],
    reasoning: ['by-model', 'https://docs.x.ai/guides/reasoning'],
  },
  priceList: 'x-ai',
  docs: 'https://docs.x.ai/docs/api-reference',
}
