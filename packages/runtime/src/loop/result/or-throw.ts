import { type ErrorCode, LlmError } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import type { RunResult } from './run-result.js'

/** A run that did not end with a final reply, or whose final reply was cut off. */
export class RunError extends LlmError {
  /** How the run ended; `final` if its reply was cut off. */
  readonly status: RunResult['status']
  /** The part of the model's last text that had arrived. */
  readonly text: string
  /** Everything else about the run, such as the `checkpoint` and `pending` of a suspended one. */
  readonly result: RunResult

  constructor(result: RunResult) {
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

/** What else `orThrow` returns. */
export interface OrThrowOptions {
  /**
   * `truncated` also returns a final reply that the limit of output tokens cut off. Default: it
   * throws.
   */
  readonly accept?: 'truncated' | undefined
}

/**
 * Returns the result of a run that ended with a whole final reply, and throws for any other: a
 * failed run then cannot look like an empty reply, nor a part of a reply like all of it.
 * @throws {RunError} with the `status` of the result, and the code of its error: `limit-exceeded`
 * for a limit of the run and for a reply that was cut off, whose `text` has the part that came,
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
  options: OrThrowOptions = {},
): Extract<RunResult<Output>, Record<'status', 'final'>> {
  checkSettings('orThrow', options, ['accept'])
  if (result.status !== 'final') throw new RunError(result)
  if (result.truncated && options.accept !== 'truncated') throw new RunError(result)
  return result
}

function reasonOf(result: RunResult): readonly [ErrorCode, string, unknown?] {
  switch (result.status) {
    case 'final':
      return [
        'limit-exceeded',
        'its reply was cut off at the limit of output tokens; raise options.maxTokens, or take the part with orThrow(result, { accept: "truncated" })',
      ]
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
