import { LlmError } from '@modelport/core'
import { type ApiMethod, pageSize, toTypedError } from './api-request.js'
import { type GoogleVertexConfig, toEndpoint } from './config.js'
import { providerName } from './model-state.js'
import type { buildRequests as bySdk } from './requests.js'

/**
 * What stands in the place of `requests.ts` in the bundle of a browser or a worker (`browser` in
 * package.json): the same requests without the SDK, which is 78 kB there, gzipped, and takes no
 * access tokens. `browser-requests.test.ts` holds the two together.
 * @throws {LlmError} `unsupported` — credentials that need Node.
 */
export const buildRequests: typeof bySdk = (config, apiKey) => {
  const { vertex } = config
  if (vertex?.credentials || vertex?.applicationDefault) {
    throw new LlmError(
      'unsupported',
      `${providerName}: vertex.credentials and vertex.applicationDefault need Node; in a browser or a worker use vertex.accessToken`,
    )
  }
  const { baseUrl, apiVersion } = toEndpoint(config)
  return async (method, model) => ({
    url: new URL(
      `${baseUrl}/${apiVersion}/${vertex ? vertexPath(method, model, vertex) : geminiPath(method, model)}`,
    ).href,
    headers: apiKey === undefined ? await authorization(vertex) : { 'x-goog-api-key': apiKey },
  })
}

async function authorization(
  vertex: GoogleVertexConfig | undefined,
): Promise<Readonly<Record<string, string>>> {
  try {
    return { authorization: `Bearer ${await vertex?.accessToken?.()}` }
  } catch (error) {
    throw toTypedError(error)
  }
}

/** @see https://ai.google.dev/api/generate-content (read 2026-11-21) */
function geminiPath(method: ApiMethod, model: string): string {
  if (method === 'listModels') return `models?pageSize=${pageSize}`
  return `${/^(models|tunedModels)\//.test(model) ? model : `models/${model}`}:${verbOf(method, 'batchEmbedContents')}`
}

/**
 * @see
 * https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/projects.locations.publishers.models
 * (read 2026-11-21)
 */
function vertexPath(
  method: ApiMethod,
  model: string,
  { project, location = 'global' }: GoogleVertexConfig,
): string {
  if (method === 'listModels') return `publishers/google/models?pageSize=${pageSize}`
  // Some models embed by the same endpoint as on the Gemini API; the others predict.
  const embeds =
    (model.includes('gemini') && model !== 'gemini-embedding-001') || model.includes('maas')
  const path = `${modelPath(model)}:${verbOf(method, embeds ? 'embedContent' : 'predict')}`
  return project && !path.startsWith('projects/')
    ? `projects/${project}/locations/${location}/${path}`
    : path
}

function modelPath(model: string): string {
  if (/^(publishers|projects|models)\//.test(model)) return model
  const [publisher, name] = model.includes('/') ? model.split('/', 2) : ['google', model]
  return `publishers/${publisher}/models/${name}`
}

function verbOf(method: ApiMethod, embedding: string): string {
  if (method === 'embedContent') return embedding
  return method === 'streamGenerateContent' ? `${method}?alt=sse` : method
}
