import { LlmError } from '@modelport/core'

/** One thing that is wrong with a prompt file. */
export interface PromptFileProblem {
  /** Begins with the file and the place, if it is known. */
  readonly message: string
  /** Line of the file, from 1. Unset: the problem has no place. */
  readonly line?: number
  /** Column of the line, from 1. */
  readonly column?: number
}

/** A prompt file that cannot be read. Its message has a line for each problem. */
export class PromptFileError extends LlmError {
  /** Everything that is wrong, in the order of its place; at least one. */
  readonly problems: readonly PromptFileProblem[]

  constructor(problems: readonly PromptFileProblem[], options?: ErrorOptions) {
    super('config', problems.map(({ message }) => message).join('\n'), options)
    this.problems = problems
  }
}
Object.defineProperty(PromptFileError.prototype, 'name', { value: 'PromptFileError' })
