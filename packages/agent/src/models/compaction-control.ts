/** A request to make the conversation of a session shorter. */
export interface HistoryCompactionRequest {
  /** Default `recent`. */
  readonly strategy: 'recent' | 'tokens' | 'summary'
  /** Messages that `recent` keeps. Default 20. */
  readonly maxMessages: number
  /** Tokens that `tokens` keeps. Default 4,000. */
  readonly maxTokens: number
  /** Newest messages that are never summarized. Default 6. */
  readonly preserveRecent: number
  /** Maximum tokens of a summary. Default 512. */
  readonly summaryMaxTokens: number
}

/** The defaults. */
export const defaultCompaction: HistoryCompactionRequest = Object.freeze({
  strategy: 'recent',
  maxMessages: 20,
  maxTokens: 4_000,
  preserveRecent: 6,
  summaryMaxTokens: 512,
})
