import { type Embedder, type EmbedOptions, LlmError } from '@modelport/core'
import {
  createEmbedder,
  createEndpointClient,
  type EmbeddingBatch,
  listOf,
  requireConfig,
} from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'

/**
 * Configuration of {@link createGoogleEmbedder}; `model` is the embedding model, for example
 * `gemini-embedding-001`.
 */
export interface GoogleEmbedderConfig extends GoogleConfig {
  /** Length of the vectors, for models that can shorten them. */
  readonly dimensions?: number | undefined
}

interface WireEmbedding {
  readonly values?: unknown
  readonly statistics?: { readonly token_count?: unknown } | null
}

interface WireEmbeddings {
  readonly embeddings?: readonly WireEmbedding[]
  readonly predictions?: readonly { readonly embeddings?: WireEmbedding | null }[]
}

const taskTypes = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const

/** The Gemini API takes 100 texts a request; on Vertex AI `gemini-embedding-001` takes one. */
const batchSizes = { gemini: 100, vertex: 1 } as const

/**
 * Makes an embedder over `batchEmbedContents`, on Vertex AI over `predict`.
 * @see https://ai.google.dev/api/embeddings (read 2026-11-21)
 * @see
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 * (read 2026-11-21)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work.
 */
export function createGoogleEmbedder(config: GoogleEmbedderConfig): Embedder {
  requireConfig(config, 'createGoogleEmbedder', [...configNames, 'dimensions'], fieldNames)
  const { model, vertex } = config
  const client = createClient(config)
  const endpoint = createEndpointClient(providerName, toGoogleError, client.settings)
  return createEmbedder({
    name: providerName,
    model,
    dimensions: config.dimensions,
    batchSize: vertex ? batchSizes.vertex : batchSizes.gemini,
    embedBatch: async (texts, options): Promise<EmbeddingBatch> => {
      const { url, headers } = await client.request('embedContent', model)
      const { purpose, ...call } = options
      const body = vertex
        ? toPredictBody(url, texts, purpose, config)
        : toBatchBody(texts, purpose, config)
      const request = { url, headers, body, inBandErrors: false }
      return fromWire(await endpoint.json<WireEmbeddings | null>(request, call))
    },
  })
}

function toBatchBody(
  texts: readonly string[],
  purpose: EmbedOptions['purpose'],
  { model, dimensions }: GoogleEmbedderConfig,
): unknown {
  const requests = texts.map((text) => ({
    model: model.includes('/') ? model : `models/${model}`,
    content: { parts: [{ text }] },
    ...(purpose && { taskType: taskTypes[purpose] }),
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }))
  return { requests }
}

function toPredictBody(
  url: string,
  texts: readonly string[],
  purpose: EmbedOptions['purpose'],
  { model, dimensions }: GoogleEmbedderConfig,
): unknown {
  if (!url.endsWith(':predict')) {
    throw new LlmError(
      'unsupported',
      `google: the model "${model}" embeds by another endpoint on Vertex AI; use gemini-embedding-001 or the Gemini API`,
    )
  }
  const instances = texts.map((content) => ({
    content,
    ...(purpose && { task_type: taskTypes[purpose] }),
  }))
  return {
    instances,
    ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }),
  }
}

/** A missing vector becomes an empty one, which the driver layer refuses. */
function fromWire(response: WireEmbeddings | null): EmbeddingBatch {
  const predicted = listOf(response?.predictions).map(({ embeddings }) => embeddings ?? {})
  const all: readonly WireEmbedding[] = response?.embeddings
    ? listOf(response.embeddings)
    : predicted
  const counts = all.flatMap(({ statistics }) =>
    typeof statistics?.token_count === 'number' ? [statistics.token_count] : [],
  )
  return {
    vectors: all.map(({ values }) => (Array.isArray(values) ? (values as readonly number[]) : [])),
    ...(counts.length > 0 &&
      counts.length === all.length && {
        inputTokens: counts.reduce((sum, count) => sum + count, 0),
      }),
  }
}
