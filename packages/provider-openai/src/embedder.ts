import { toEmbedBatch } from '@modelport/chat-completions'
import type { Embedder } from '@modelport/core'
import { createEmbedder, requireConfig } from '@modelport/driver'
import { apiClient, type JsonEndpointConfig } from './api-client.js'
import { configNames, fieldNames } from './config.js'

/** Configuration of {@link createOpenAIEmbedder}. */
export interface OpenAIEmbedderConfig extends JsonEndpointConfig {
  /** For example `text-embedding-3-small`. */
  readonly model: string
  /** Length of the vectors, for models that can shorten them. Default: the model's own. */
  readonly dimensions?: number | undefined
}

/** Maximum inputs of one request. */
const batchSize = 2048

/**
 * An embedder by `POST /embeddings`; for Azure give the embedding model's deployment.
 * @see https://developers.openai.com/api/reference/resources/embeddings (read 2026-11-21)
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function createOpenAIEmbedder(config: OpenAIEmbedderConfig): Embedder {
  requireConfig(config, 'createOpenAIEmbedder', [...configNames, 'dimensions'], fieldNames)
  const { dimensions, ...connection } = config
  const { model } = config
  const { name, client, request } = apiClient(connection, 'deployment')
  const embedBatch = toEmbedBatch({ model, dimensions }, async (body, options) =>
    client.json({ ...(await request('/embeddings')), body, inBandErrors: false }, options),
  )
  return createEmbedder({ name, model, batchSize, dimensions, embedBatch })
}
