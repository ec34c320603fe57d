import { LlmError } from '@modelport/core'
import type { LimitName } from '@modelport/runtime'

/** What the user can do about a limit. */
const fixes: Readonly<Record<LimitName, string>> = {
  steps: 'raise --max-steps, or ask it to continue',
  repeats:
    'ask in another way, raise --max-repeats, or name tools that may be called again with --repeatable',
  'no-progress': 'ask in another way, or name tools that may be called again with --repeatable',
  'parse-failures': 'ask again, or try another model',
  length: 'raise --max-tokens',
}

/** A limit ended a turn of the user before the model gave its final reply. */
export class TurnLimitError extends LlmError {
  constructor(limit: LimitName, message: string) {
    super('limit-exceeded', `${message} To go further: ${fixes[limit]}.`)
  }
}
Object.defineProperty(TurnLimitError.prototype, 'name', { value: 'TurnLimitError' })
