import type { Ending } from './run-loop.js'
import type { RunResult } from './run-result.js'
import type { RunState } from './run-state.js'

/** What a run came to: its ending, with what every outcome has. The kept history gets what the run added. */
export function toResult(state: RunState, ending: Ending): RunResult {
  const { request, runId, calls, usage, step, text, executedActions, startedAt } = state
  const transcript = state.transcript.sendable()
  request.history?.replace(transcript)
  const costs = calls.flatMap(({ cost }) => (cost ? [cost.totalCost] : []))
  return {
    ...ending,
    runId,
    transcript,
    usage,
    steps: step,
    text,
    metrics: {
      calls,
      executedActions,
      latencyMs: performance.now() - startedAt,
      ...(costs.length && { totalCost: costs.reduce((sum, cost) => sum + cost, 0) }),
    },
  }
}
