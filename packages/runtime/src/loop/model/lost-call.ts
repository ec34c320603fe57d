import type { RunIntent } from '../../journal/journal-entry.js'
import type { Uses } from '../state/run-state.js'

/**
 * Charges a model call that ended with its process in full, since nobody knows its outcome.
 * @throws {BudgetExceededError} there is no room for it.
 */
export function chargeLost(
  state: Uses<'models' | 'meter' | 'events' | 'turn'>,
  intent: RunIntent,
): void {
  if (intent.kind !== 'model' && intent.kind !== 'summary') return
  const { meter, events, models, turn } = state
  const { inputTokens, maxOutputTokens, provider, model } = intent
  meter.ledger
    .reserveCall({
      inputTokens,
      maxOutputTokens,
      ...(models.profile && { profile: models.profile }),
    })
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
