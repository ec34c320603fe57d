import type { Embedder } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import { createEmbedder, createEndpointClient, defined, requireConfig } from '@modelport/driver'
import { toError } from './error.js'
import { name } from './messages.js'
import { configNames, connect, type OllamaConfig } from './provider.js'
import type { WireEmbeddings } from './wire.js'

/** Configuration of {@link createOllamaEmbedder}. */
export interface OllamaEmbedderConfig extends OllamaConfig {
  /** Length of the vectors, for models that can shorten them. */
  readonly dimensions?: number | undefined
  /**
   * True has the server cut texts that are too long without a word, as it does by itself; false
   * rejects them. Default false.
   */
  readonly truncate?: boolean | undefined
  /** How long the model stays loaded, for example `5m`. Default: the server's. */
  readonly keepAlive?: string | number | undefined
}

const embedderNames = [
  ...configNames,
  ...namesOf<Omit<OllamaEmbedderConfig, keyof OllamaConfig>>({
    dimensions: true,
    truncate: true,
    keepAlive: true,
  }),
]

/**
 * An embedder over `POST /api/embed`. `purpose` has no equal there and changes nothing.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is malformed.
 * @see https://docs.ollama.com/api/embed (read 2026-11-21)
 */
export function createOllamaEmbedder(config: OllamaEmbedderConfig): Embedder {
  requireConfig(config, 'createOllamaEmbedder', embedderNames)
  const { dimensions, truncate = false, keepAlive, ...common } = config
  const { url, headers, settings } = connect(common)
  const client = createEndpointClient(name, toError, settings)
  return createEmbedder({
    name,
    model: config.model,
    batchSize: 256,
    dimensions,
    embedBatch: async (input, options) => {
      const body = defined({
        model: config.model,
        input,
        truncate,
        dimensions,
        keep_alive: keepAlive,
      })
      const request = { url: `${url}/api/embed`, body, headers, inBandErrors: false }
      const response = await client.json<WireEmbeddings | null>(request, options)
      const rows: readonly unknown[] = Array.isArray(response?.embeddings)
        ? response.embeddings
        : []
      const count = response?.prompt_eval_count
      // A missing vector becomes an empty one, which the driver layer refuses.
      return {
        vectors: rows.map((row) => (Array.isArray(row) ? (row as readonly number[]) : [])),
        ...(typeof count === 'number' && { inputTokens: count }),
      }
    },
  })
}
