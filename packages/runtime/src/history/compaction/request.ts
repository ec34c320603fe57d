import type { ChatMessage } from '@modelport/core'

/** How a history is made shorter; docs/history.md compares them. */
export type CompactionStrategy = 'recent' | 'tokens' | 'summary'

/** What to keep. Every number has a default and must be at least 1, `maxMessages` at least 2. */
export interface CompactionRequest {
  /** Default `recent`. */
  readonly strategy?: CompactionStrategy | undefined
  /** `recent`: most messages left, system prompt included. Default 20. */
  readonly maxMessages?: number | undefined
  /**
   * `tokens`: estimated tokens to keep, a soft limit if the protected messages have more. Default
   * 4000.
   */
  readonly maxTokens?: number | undefined
  /** `tokens`, `summary`: newest messages that stay as they are. Default 6. */
  readonly preserveRecent?: number | undefined
  /** `summary`: most tokens of the summary. Default 512. */
  readonly summaryMaxTokens?: number | undefined
}

/** The result of a compaction, in exact numbers of messages and estimated tokens. */
export interface CompactionResult {
  /** The strategy that was used. */
  readonly strategy: CompactionStrategy
  /** Messages before. */
  readonly beforeMessages: number
  /** Messages now. */
  readonly afterMessages: number
  /** Number of messages that are gone, with those that a summary replaced. */
  readonly removedMessages: number
  /** Their estimated tokens. */
  readonly beforeTokens: number
  /** Their estimated tokens. */
  readonly afterTokens: number
  /** True when a summary was put in. */
  readonly summaryCreated: boolean
  /** False when the history was left as it was. */
  readonly changed: boolean
}

/** The input of a summary. */
export interface SummaryRequest {
  /** The messages it will stand for, in order. */
  readonly messages: readonly ChatMessage[]
  /** Maximum tokens it may have. */
  readonly maxTokens: number
  /** Aborts the call for the summary. */
  readonly signal?: AbortSignal
}

/** Makes a summary in a call of its own. If it throws, the history stays as it was. */
export type Summarize = (request: SummaryRequest) => Promise<string>

/** The input of a compaction. */
export interface CompactionTools {
  /** Counts the tokens of a text: a provider's `estimateTokens`. */
  readonly estimate: (text: string) => number
  /** Needed for `summary`; `createSummarizer` makes one of a provider. */
  readonly summarize?: Summarize | undefined
  /** Aborts the call for a summary. */
  readonly signal?: AbortSignal | undefined
}
