import type { JsonObject } from '@modelport/core'
import type { EmbedderDriver, JsonCallOptions } from '@modelport/driver'

/** The answer of an embeddings endpoint. */
interface WireEmbeddings {
  readonly data?: readonly ({ readonly index?: number; readonly embedding?: readonly number[] } | null)[]
  readonly usage?: { readonly prompt_tokens?: number }
}

/** Which vectors to ask for. */
export interface EmbeddingModel {
  /** The model that makes the vectors. */
  readonly model: string
  /** Length of the vectors. Unset: the model's own. */
  readonly dimensions?: number | undefined
}

/** Posts to the embeddings endpoint. */
export type AskEmbeddings = <T>(body: JsonObject, options: JsonCallOptions) => Promise<T>

/**
 * Embeds a batch in the form of the Embeddings API, which the servers of this dialect share. Vectors come in the order of their
 * `index`; what is no vector has no dimensions, which the driver layer refuses.
 * @see https://developers.openai.com/api/reference/resources/embeddings (read 2026-11-21)
 */
export function toEmbedBatch({ model, dimensions }: EmbeddingModel, ask: AskEmbeddings): EmbedderDriver['embedBatch'] {
  return async (input, { signal, deadlineMs }) => {
    const body = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
    const { data, usage } = await ask<WireEmbeddings>(body, { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) })
    const rows = Array.isArray(data) ? (data as NonNullable<WireEmbeddings['data']>) : []
    const ordered = [...rows].sort((a, b) => (a?.index ?? 0) - (b?.index ?? 0))
    return { vectors: ordered.map((row) => (Array.isArray(row?.embedding) ? (row.embedding as readonly number[]) : [])), inputTokens: usage?.prompt_tokens }
  }
}
