import { LlmError } from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import { BudgetExceededError } from '../budget/run-budget.js'

/**
 * The journal or the event sink failed: the run stopped, and nothing was started that is not
 * recorded. `code` is `unknown`, `cause` the failure.
 */
export class JournalError extends LlmError {
  constructor(store: 'journal' | 'sink', cause: unknown) {
    super('unknown', `the ${store} of the run failed, and the run stopped: ${messageOf(cause)}`, {
      cause,
    })
  }
}
Object.defineProperty(JournalError.prototype, 'name', { value: 'JournalError' })

/**
 * Calls a method of the journal; its error becomes the cause of a {@link JournalError}, unless a
 * budget refuses the call.
 */
export async function toStored<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof BudgetExceededError) throw error
    throw new JournalError('journal', error)
  }
}
