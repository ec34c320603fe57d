import type { Vendor } from '../vendor.js'

/** The Responses API, which refuses fewer than 16 tokens, and Chat Completions. */
export const openai: Vendor = {
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyOrigins: ['https://us.api.openai.com', 'https://eu.api.openai.com'],
  baseUrlVariables: ['OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://platform.openai.com/api-keys',
  model: 'gpt-5.4',
  embeddingModel: 'text-embedding-3-small',
  fewestTokens: 16,
  docs: 'https://developers.openai.com/api/reference/resources/responses',
}
