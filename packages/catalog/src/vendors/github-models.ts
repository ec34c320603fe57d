import { textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Closed by the vendor, for every customer.
 * - GitHub retired the service on 2026-07-30. The row is kept for servers that speak as it did.
 * @see https://github.com/orgs/community/discussions/203602
 */
export const githubModels: ChatVendor = {
  name: 'github-models',
  title: 'GitHub Models',
  aliases: ['github'],
  baseUrl: 'https://models.github.ai/inference',
  keyVariables: ['GITHUB_TOKEN'],
  needsKey: true,
  model: 'openai/gpt-4.1',
  cheapestModel: 'openai/gpt-4.1-nano',
  nativeTools: true,
  quirks: { apiPath: '', toolCallIds: { maxLength: 40 }, inputs: textAndImages, lacks: ['topK'] },
  retired: '2026-07-30',
  claims: { embeddings: [true, 'https://docs.github.com/en/rest/models/embeddings'] },
  docs: 'https://docs.github.com/en/rest/models/inference',
}
