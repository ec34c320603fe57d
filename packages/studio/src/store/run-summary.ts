import type { RunRecord, RunSummary } from '../protocol/protocol.js'

/**
 * Runs that can start in one millisecond and each have a key: the first half in a file, the second
 * in memory.
 */
export const slotsPerMs = 1024

/** The summary of a run: the record without its messages. */
export function toSummary(run: RunRecord): RunSummary {
  const {
    messages: _messages,
    transcript: _transcript,
    settings: _settings,
    logprobs: _logprobs,
    ...summary
  } = run
  return summary
}
