import { configError } from '@modelport/core'
import type { ConversationHistory } from '../history.js'
import { messagesTokens } from '../message-tokens.js'
import { compact } from './compact.js'
import type { CompactionRequest, CompactionResult, CompactionTools } from './request.js'

/** When {@link compactAbove} compacts a history. */
export interface CompactionThreshold {
  /** Share of the window, above 0 and at most 1. */
  readonly threshold: number
  /** The model's context window, in tokens. */
  readonly contextWindow: number
  /** Tokens of the prompt outside the history: tools, the `system` option. Default 0. */
  readonly otherTokens?: number | undefined
}

/**
 * Compacts a history when it has reached a share of the context window, and does nothing below it.
 * @returns the report, or undefined when there was nothing to do. Throws like {@link compact}.
 */
export async function compactAbove(
  history: ConversationHistory,
  { threshold, contextWindow, otherTokens = 0 }: CompactionThreshold,
  request: CompactionRequest,
  tools: CompactionTools,
): Promise<CompactionResult | undefined> {
  checkThreshold(threshold)
  if (!(contextWindow >= 1))
    throw configError(`compaction: contextWindow must be at least 1, not ${contextWindow}`)
  const used = messagesTokens(history, tools.estimate) + otherTokens
  return used < threshold * contextWindow ? undefined : compact(history, request, tools)
}

/** @throws {LlmError} `config` — the threshold is not above 0 and at most 1. */
export function checkThreshold(threshold: number): void {
  if (!(threshold > 0 && threshold <= 1))
    throw configError(`compaction: threshold must be above 0 and at most 1, not ${threshold}`)
}
