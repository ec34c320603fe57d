import type { RunIntent } from '../../journal/journal-entry.js'
import type { RunState } from '../state/run-state.js'

/**
 * Charges a model call that ended with its process in full, since nobody knows its outcome.
 * @throws {BudgetExceededError} there is no room for it.
 */
export function chargeLost(state: RunState, intent: RunIntent): void {
  if (intent.kind !== 'model' && intent.kind !== 'summary') return
  const { ledger, events, profile, turn } = state
  const { inputTokens, maxOutputTokens, provider, model } = intent
  ledger
    .reserveCall({ inputTokens, maxOutputTokens, ...(profile && { profile }) })
    .settle({ reported: false })
  const attempt = turn.skipLostAttempts()
  events.goLive()
  events.emit({
    type: 'model-retry',
    attempt,
    nextAttempt: turn.attempt + 1,
    retryInSeconds: 0,
    errorType: 'lost',
    message: `the call of ${provider}/${model} was cut off with its process; it is made again, and the lost one is charged in full`,
  })
}
