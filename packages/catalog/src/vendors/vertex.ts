import type { Vendor } from '../vendor.js'

/** Gemini on Vertex AI; the address depends on the location. */
export const vertex: Vendor = {
  name: 'vertex',
  title: 'Google Vertex AI',
  package: '@modelport/provider-google',
  minimal: { vertex: { project: 'PROJECT' } },
  aliases: ['vertexai', 'google-vertex'],
  baseUrlVariables: ['GOOGLE_VERTEX_BASE_URL'],
  keyVariables: [],
  needsKey: false,
  keyUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  model: 'gemini-3.1-pro',
  embeddingModel: 'gemini-embedding-001',
  docs: 'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest',
}
