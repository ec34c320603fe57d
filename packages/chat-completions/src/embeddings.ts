import type { JsonObject, RequestOptions } from '@modelport/core'
import type { EmbedderDriver } from '@modelport/driver'
import { asObject } from './wire.js'

/** Which vectors to ask for. */
export interface EmbeddingModel {
  /** The model that makes the vectors. */
  readonly model: string
  /** Length of the vectors. Unset: the model's own. */
  readonly dimensions?: number | undefined
}

/** Posts to the embeddings endpoint. */
export type AskEmbeddings = <T>(body: JsonObject, options: RequestOptions) => Promise<T>

/**
 * Embeds a batch in the form of the Embeddings API, which the servers of this dialect share.
 * Vectors come in the order of their `index`. A row without a vector becomes an empty one, which
 * the driver layer refuses.
 * @see https://developers.openai.com/api/reference/resources/embeddings (read 2026-11-21)
 */
export function toEmbedBatch(
  { model, dimensions }: EmbeddingModel,
  ask: AskEmbeddings,
): EmbedderDriver['embedBatch'] {
  return async (input, options) => {
    const body = {
      model,
      input,
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
    }
    const { data, usage } = asObject(await ask<unknown>(body, options))
    const rows = Array.isArray(data) ? data.map((row: unknown) => asObject(row)) : []
    const vectors = rows
      .sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
      .map(({ embedding }) => (Array.isArray(embedding) ? (embedding as readonly number[]) : []))
    const tokens = asObject(usage)['prompt_tokens']
    return { vectors, ...(typeof tokens === 'number' && { inputTokens: tokens }) }
  }
}
