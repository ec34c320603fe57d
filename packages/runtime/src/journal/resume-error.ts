import { LlmError } from '@modelport/core'

/** Why a checkpoint cannot be resumed. */
export type ResumeProblem =
  /** It was written by another version of this package. */
  | 'version'
  /** It is not what was stored: a field is missing or has another type. */
  | 'damaged'
  /** Tools, prompts, model, limits, mode or policy are not what they were. */
  | 'fingerprint'
  /** `messages` does not begin with the transcript that the checkpoint was stored with. */
  | 'transcript'
  /** A decision fits no pending item, or approves something else than what was shown. */
  | 'decision'

/** A checkpoint does not fit the request; nothing was called. `code` is `invalid-request`. */
export class ResumeError extends LlmError {
  /** The part that does not fit. */
  readonly problem: ResumeProblem
  /** Each difference in words, for example `limits.maxSteps: 10 → 20`. */
  readonly differences: readonly string[]

  constructor(problem: ResumeProblem, message: string, differences: readonly string[] = []) {
    super('invalid-request', message)
    this.problem = problem
    this.differences = differences
  }
}
Object.defineProperty(ResumeError.prototype, 'name', { value: 'ResumeError' })
