import type { RequestOptions } from './request-options.js'
import type { TokenUsage } from './usage.js'

/** Options of one embedding call. */
export interface EmbedOptions extends RequestOptions {
  /** What the vectors are for, for vendors that distinguish these. */
  readonly purpose?: 'query' | 'document' | undefined
}

/** Vectors in the order of their texts. */
export interface Embeddings {
  /** One vector for each text. */
  readonly vectors: readonly (readonly number[])[]
  /** What the texts cost; `outputTokens` is 0. */
  readonly usage: TokenUsage
}

/**
 * A model that turns texts into vectors. Separate from {@link Provider}: a capability is never an
 * optional method.
 */
export interface Embedder {
  /** Name of the provider. */
  readonly name: string
  /** The model that makes the vectors. */
  readonly model: string
  /** Vectors of the texts, in their order, all of one length. Throws like `Provider.complete`. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embeddings>
}
