import { BudgetExceededError, type CallReservation } from '../../budget/budget.js'
import type { SharedAmounts } from '../../budget/shared-budget.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import { toStored } from '../../journal/journal-error.js'
import type { Uses } from '../state/run-state.js'

/**
 * What the shared budgets of a run have left. Undefined, and not a promise, if it has none: such a
 * run does not wait.
 */
export function lookAtRoom({
  meter: { ledger },
  request,
}: Uses<'meter' | 'request'>): Promise<SharedAmounts> | undefined {
  const room = SharedCharge.room(ledger)
  // The store of the journal has these budgets: if it cannot be read, the run stops as it does for
  // its journal, and can be resumed.
  return room && request.durable.journal?.budgets ? toStored(() => room) : room
}

/**
 * Waits until an intent is written; if that fails, it releases the reservation. A refusal of a
 * shared budget is reported, as the ledger reports its own.
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
