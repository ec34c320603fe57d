import type { Vendor } from '../vendor.js'

/** The Gemini API. */
export const google: Vendor = {
  name: 'google',
  title: 'Google Gemini',
  aliases: ['gemini'],
  baseUrl: 'https://generativelanguage.googleapis.com',
  baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_AI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://aistudio.google.com/apikey',
  model: 'gemini-3.1-pro',
  embeddingModel: 'gemini-embedding-001',
  docs: 'https://ai.google.dev/api/generate-content',
}
