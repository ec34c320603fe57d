import { BudgetExceededError, type CallReservation } from '../../budget/budget.js'
import type { Uses } from '../state/run-state.js'

/**
 * Writes an intent, or gives its reservation back. A refusal of a shared budget is reported, as the
 * ledger reports its own.
 */
export function intendOrRelease(
  { events }: Uses<'events'>,
  reservation: CallReservation,
  intent: Promise<void>,
): Promise<void> {
  return intent.catch((error: unknown) => {
    reservation.release()
    if (error instanceof BudgetExceededError)
      events.emit({ type: 'budget-decision', decision: error.decision })
    throw error
  })
}
