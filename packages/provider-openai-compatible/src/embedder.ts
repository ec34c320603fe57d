import { toChatError, toEmbedBatch } from '@modelport/chat-completions'
import { type Embedder } from '@modelport/core'
import { createEmbedder, createEndpointClient, namedError, requireConfig } from '@modelport/driver'
import { capabilities } from './capabilities.js'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { authorization, endpointUrl, toSettings } from './provider.js'

/** Configuration of {@link createOpenAICompatibleEmbedder}. */
export interface OpenAICompatibleEmbedderConfig extends OpenAICompatibleConfig {
  /** Length of the vectors, for models that can shorten them. Default: the model's own. */
  readonly dimensions?: number
  /** Maximum texts of one request. Default 32: the smallest limit known of a server's defaults. */
  readonly batchSize?: number
}

/**
 * An embedder for any server with a `/v1/embeddings` endpoint.
 * @throws {LlmError} `invalid-base-url`, `config` — the base URL or the key cannot be used;
 * `unsupported` — the row of the preset table says that the vendor has no embeddings: see
 * {@link capabilities}.
 */
export function createOpenAICompatibleEmbedder(config: OpenAICompatibleEmbedderConfig): Embedder {
  requireConfig(
    config,
    'createOpenAICompatibleEmbedder',
    [...configNames, 'dimensions', 'batchSize'],
    fieldNames,
  )
  const { model, dimensions, batchSize = 32, ...common } = config
  const name = config.name ?? 'openai-compatible'
  const { supported, source } = capabilities(config).embeddings
  if (supported === false)
    throw namedError(
      name,
      'unsupported',
      `this server has no embeddings that could be read (${source})`,
    )
  const url = endpointUrl(config, '/embeddings')
  const headers = authorization(config)
  const client = createEndpointClient(
    name,
    (failure) => toChatError(name, failure),
    toSettings({ ...common, model }),
  )
  const embedBatch = toEmbedBatch({ model, dimensions }, (body, options) =>
    client.json({ url, body, headers, inBandErrors: false }, options),
  )
  return createEmbedder({ name, model, batchSize, dimensions, embedBatch })
}
