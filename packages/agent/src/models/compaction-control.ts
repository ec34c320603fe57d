import type { CompactionResult } from '@modelport/runtime'
import { Hydrator } from '../base/hydrate.js'

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
  /** Most tokens of a summary. Default 512. */
  readonly summaryMaxTokens: number
  /** The session whose history is compacted. */
  readonly sessionId?: string
}

/** The defaults. */
export const defaultCompaction: HistoryCompactionRequest = Object.freeze({
  strategy: 'recent',
  maxMessages: 20,
  maxTokens: 4_000,
  preserveRecent: 6,
  summaryMaxTokens: 512,
})

const whole = (source: Hydrator, key: string, fallback: number, least: number): number => {
  const value = source.number(key) ?? fallback
  if (!Number.isInteger(value) || value < least)
    source.report(key, `expected a whole number of at least ${least}, found ${value}`)
  return value
}

/**
 * Reads a compaction request from its wire form.
 * @throws {AgentError} `invalid-params`
 */
export const readCompaction = (source: unknown): HistoryCompactionRequest =>
  Hydrator.run('HistoryCompactionRequest', source, (fields) => {
    const sessionId = fields.string('session_id')
    return {
      strategy: fields.oneOf('strategy', ['recent', 'tokens', 'summary']) ?? defaultCompaction.strategy,
      maxMessages: whole(fields, 'max_messages', defaultCompaction.maxMessages, 2),
      maxTokens: whole(fields, 'max_tokens', defaultCompaction.maxTokens, 1),
      preserveRecent: whole(fields, 'preserve_recent', defaultCompaction.preserveRecent, 0),
      summaryMaxTokens: whole(fields, 'summary_max_tokens', defaultCompaction.summaryMaxTokens, 1),
      ...(sessionId !== undefined && { sessionId }),
    }
  })

/** The result of a compaction in its wire form. */
export const compactionResultToWire = (result: CompactionResult): object => ({
  strategy: result.strategy,
  before_messages: result.beforeMessages,
  after_messages: result.afterMessages,
  removed_messages: result.removedMessages,
  before_tokens: result.beforeTokens,
  after_tokens: result.afterTokens,
  summary_created: result.summaryCreated,
})
