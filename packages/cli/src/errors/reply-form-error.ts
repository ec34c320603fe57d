import { LlmError } from '@modelport/core'

/**
 * The reply is not in the form that was asked for. The message says what to do: advice about
 * connections does not apply.
 */
export class ReplyFormError extends LlmError {
  constructor(message: string) {
    super('protocol', message)
  }
}
Object.defineProperty(ReplyFormError.prototype, 'name', { value: 'ReplyFormError' })
