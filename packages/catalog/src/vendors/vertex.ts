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
  priceList: 'google',
  docs: 'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest',
}

/**
 * The address of Vertex AI in a location: a region, one of the locations that stand for several
 * regions, or `global`, the default. Undefined for what is not a location.
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations (read 2026-11-21)
 */
export function vertexUrl(location = 'global'): string | undefined {
  if (!/^[a-z0-9-]+$/.test(location)) return undefined
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  return ['us', 'eu'].includes(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}
