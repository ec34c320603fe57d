import type { ToolCall } from '@modelport/core'
import type { RunOutcome } from '../result/run-outcome.js'
import type { Uses } from '../state/run-state.js'
import { viewOf } from '../state/run-view.js'

/**
 * Ends the run after a step with these calls where `stopWhen` says so: what the model said last is
 * its reply.
 */
export async function stopRun(
  state: Uses<'request' | 'conversation' | 'meter' | 'events' | 'turn'>,
  calls: readonly ToolCall[],
): Promise<RunOutcome | undefined> {
  const { request, events, turn } = state
  const view = viewOf(state)
  const { stopWhen = [] } = request
  for (const condition of typeof stopWhen === 'function' ? [stopWhen] : stopWhen) {
    if (!(await state.meter.wait(condition({ ...view, calls })))) continue
    events.emit({ type: 'final', action: { type: 'final', content: turn.text } })
    return { status: 'final', content: turn.text, stopped: true }
  }
  return undefined
}
