import type { Vendor } from '../vendor.js'

/** Ollama's own API. */
export const ollama: Vendor = {
  name: 'ollama',
  title: 'Ollama',
  package: '@modelport/provider-ollama',
  baseUrl: 'http://localhost:11434',
  // The key is one of Ollama's cloud.
  keyOrigins: ['https://ollama.com'],
  baseUrlVariables: ['OLLAMA_HOST'],
  keyVariables: ['OLLAMA_API_KEY'],
  needsKey: false,
  selfHosted: true,
  keyUrl: 'https://ollama.com/settings/keys',
  model: 'llama3.2',
  embeddingModel: 'nomic-embed-text',
  docs: 'https://docs.ollama.com/api',
}
