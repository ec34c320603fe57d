import { BudgetExceededError, type CallReservation } from '../../budget/budget.js'
import type { SharedAmounts } from '../../budget/shared-budget.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import { toStored } from '../../journal/journal-error.js'
import type { Uses } from '../state/run-state.js'

/** What the shared budgets of a run have left. Unset, and not later: it has none. */
export function lookAtRoom({
  meter: { ledger },
  request,
}: Uses<'meter' | 'request'>): Promise<SharedAmounts> | undefined {
  const looked = SharedCharge.room(ledger)
  // The store that has the journal too: what it cannot read now, it can later.
  return looked && request.durable.journal?.budgets ? toStored(() => looked) : looked
}

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
