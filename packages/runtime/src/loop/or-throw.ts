import { type ErrorCode, LlmError } from '@modelport/core'
import type { RunResult } from './run-result.js'

/** A run that did not end with a final reply. */
export class RunError extends LlmError {
  /** How the run ended. */
  readonly status: Exclude<RunResult['status'], 'final'>
  /** The part of the model's last text that had arrived. */
  readonly text: string
  /** Everything else about the run, such as the `checkpoint` and `pending` of a suspended one. */
  readonly result: Exclude<RunResult, Record<'status', 'final'>>

  constructor(result: Exclude<RunResult, Record<'status', 'final'>>) {
    const [code, message, cause] = reasonOf(result)
    super(
      code,
      `the run ended as ${result.status}: ${message}`,
      cause === undefined ? {} : { cause },
    )
    this.status = result.status
    this.text = result.text
    this.result = result
    // Hidden, since it repeats the error: a printed failure would be 30 lines long.
    Object.defineProperty(this, 'result', { enumerable: false })
  }
}
Object.defineProperty(RunError.prototype, 'name', { value: 'RunError' })

/**
 * Returns the result of a run that ended with a final reply, and throws for any other: a failed run
 * then cannot look like an empty reply.
 * @throws {RunError} with the `status` of the result, and the code of its error: `limit-exceeded`,
 * `budget-exceeded`, `aborted` for a run that was cancelled or is suspended, or that of the failed
 * model call.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { infer, orThrow } from '@modelport/runtime'
 *
 * const provider = createMock({ responses: ['It is warm.'] })
 * console.log(orThrow(await infer(provider, { query: 'Is it warm in Rome?' })).text)
 * ```
 *
 * ```text
 * It is warm.
 * ```
 */
export function orThrow<Output>(
  result: RunResult<Output>,
): Extract<RunResult<Output>, Record<'status', 'final'>> {
  if (result.status !== 'final') throw new RunError(result)
  return result
}

function reasonOf(
  result: Exclude<RunResult, Record<'status', 'final'>>,
): readonly [ErrorCode, string, unknown?] {
  switch (result.status) {
    case 'limit':
      return [
        'limit-exceeded',
        result.problem === undefined
          ? result.message
          : `${result.message} The last one: ${result.problem}`,
      ]
    case 'budget':
      return ['budget-exceeded', result.message]
    case 'cancelled':
      return ['aborted', 'its signal aborted', result.reason]
    case 'failed':
      return [result.error.code, result.error.message, result.error]
    case 'suspended':
      return [
        'aborted',
        `it waits for ${result.pending.map(({ type, id }) => `${type} ${id}`).join(', ')}; resume it with decisions`,
      ]
  }
}
