import { toChatError } from '@modelport/chat-completions'
import type { Embedder } from '@modelport/core'
import { createEmbedder, createJsonClient } from '@modelport/driver'
import { authorization, endpointUrl, type OpenAICompatibleConfig, toSettings } from './provider.js'

/** Configuration of {@link createOpenAICompatibleEmbedder}. */
export interface OpenAICompatibleEmbedderConfig extends OpenAICompatibleConfig {
  /** Length of the vectors, for models that can shorten them. Default: the model's own. */
  readonly dimensions?: number
  /** Most texts of one request. Default 32: the smallest limit known of a server's defaults. */
  readonly batchSize?: number
}

interface WireEmbeddings {
  readonly data?: readonly ({ readonly index?: number; readonly embedding?: readonly number[] } | null)[]
  readonly usage?: { readonly prompt_tokens?: number }
}

/**
 * An embedder for any server with a `/v1/embeddings` endpoint.
 * @see https://platform.openai.com/docs/api-reference/embeddings (read 2026-11-21)
 * @throws {LlmError} `invalid-base-url`, `config` — the base URL or the key cannot be used.
 */
export function createOpenAICompatibleEmbedder(config: OpenAICompatibleEmbedderConfig): Embedder {
  const { model, dimensions, batchSize = 32, ...common } = config
  const name = config.name ?? 'openai-compatible'
  const url = endpointUrl(config, '/embeddings')
  const headers = authorization(config)
  const client = createJsonClient(name, (failure) => toChatError(name, failure), toSettings({ ...common, model }))
  return createEmbedder({
    name,
    model,
    batchSize,
    dimensions,
    embedBatch: async (input, { signal, deadlineMs }) => {
      const body = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
      const options = { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) }
      const { data, usage } = await client.request<WireEmbeddings>({ url, body, headers }, options)
      const rows = Array.isArray(data) ? (data as NonNullable<WireEmbeddings['data']>) : []
      const ordered = [...rows].sort((a, b) => (a?.index ?? 0) - (b?.index ?? 0))
      // What is no vector has no dimensions, which the driver layer refuses.
      return { vectors: ordered.map((row) => (Array.isArray(row?.embedding) ? (row.embedding as readonly number[]) : [])), inputTokens: usage?.prompt_tokens }
    },
  })
}
