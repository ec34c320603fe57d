import type { ChatMessage } from '@modelport/core'
import { closeRunLedger } from '../../budget/budget.js'
import type { ConversationHistory } from '../../history/history.js'
import type { RunOutcome } from '../result/run-outcome.js'
import type { RunResult } from '../result/run-result.js'
import type { Uses } from '../state/run-state.js'

/**
 * Completes an outcome to the result of the run, and adds to the kept history what the run added.
 */
export function toResult(
  state: Uses<'request' | 'control' | 'conversation' | 'meter' | 'turn'>,
  outcome: RunOutcome,
): RunResult {
  const { request, turn, control } = state
  if (!canResume(state, outcome)) closeRunLedger(state.meter.ledger)
  const { calls, usage, details, totals } = state.meter.tally
  const { executedActions, latencyMs, cost, costBound } = totals
  const transcript = state.conversation.transcript.sendable()
  // A resumed run asks again for a reply that was cut.
  const said =
    'checkpoint' in outcome ? transcript.filter((message) => !('cut' in message)) : transcript
  if (request.history) keep(request.history, state.conversation.historyBefore, said)
  return {
    ...outcome,
    runId: request.runId,
    transcript,
    usage,
    details,
    steps: turn.step,
    ...(control.agent !== undefined && { agent: control.agent }),
    text: turn.text,
    metrics: {
      calls,
      executedActions,
      latencyMs,
      ...(cost !== undefined && { totalCost: cost }),
      ...(costBound && { costBound }),
    },
  }
}

/** True if a checkpoint of the run may be resumed: its own, or one in its journal. */
const canResume = ({ request }: Uses<'request'>, outcome: RunOutcome): boolean =>
  'checkpoint' in outcome || (request.durable.journal !== undefined && outcome.status !== 'final')

/** Changes that others made to the history meanwhile stay: the run then only adds to it. */
function keep(
  history: ConversationHistory,
  before: readonly ChatMessage[],
  transcript: readonly ChatMessage[],
): void {
  const now = history.toList()
  if (now.length === before.length && now.every((message, at) => message === before[at])) {
    history.replace(transcript)
    return
  }
  const known = new Set(before)
  history.add(...transcript.filter((message) => !known.has(message)))
}
