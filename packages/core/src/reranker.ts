import type { RequestOptions } from './request-options.js'
import type { TokenUsage } from './usage.js'

/** Options of one call of a {@link Reranker}. */
export interface RerankOptions extends RequestOptions {
  /** Maximum results. Default: one for each document. */
  readonly topN?: number
}

/** One document of a ranking. */
export interface RankedDocument {
  /** Which of the given documents, counted from 0. */
  readonly index: number
  /** How well it fits the query. Compare scores of one call only: their scale is the model's. */
  readonly score: number
}

/** The result of one call of a {@link Reranker}. */
export interface Ranking {
  /** The best first; documents of equal score in the order given. */
  readonly results: readonly RankedDocument[]
  /** What the vendor counted; `outputTokens` is 0. */
  readonly usage: TokenUsage
}

/** A model that orders documents by how well they fit a query. Separate from {@link Provider}: a capability is never an optional method. */
export interface Reranker {
  /** Name of the provider. */
  readonly name: string
  /** The model that scores. */
  readonly model: string
  /** Orders documents. No documents: no request, no results. Throws like `Provider.complete`. */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<Ranking>
}
