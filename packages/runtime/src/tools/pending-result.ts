import type { StoredQuestion } from './question.js'

/** Says that the call ended by asking the user: it is sent again with the answer. */
export class AskedResult {
  readonly question: StoredQuestion

  constructor(question: StoredQuestion) {
    this.question = question
  }
}

/** Says that the work continues elsewhere: see {@link pending}. */
export class PendingResult {
  /** The id of the work, for whoever resumes the run. */
  readonly id: string
  /** When to look again, in milliseconds since 1970. Unset: when somebody reports the result. */
  readonly until?: number

  constructor(id: string, until?: number) {
    this.id = id
    if (until !== undefined) this.until = until
  }
}

/**
 * What a tool or an {@link AgentTarget} returns when its result will come later, perhaps to another
 * process. The other calls of the step finish, then the run ends as `suspended`; resume it with a
 * decision of type `result` or `failure`.
 * @param id the id of the work: of a child task, a timer, a job
 * @param options `until`: when to look again, in milliseconds since 1970
 */
export const pending = (id: string, options: { readonly until?: number } = {}): PendingResult =>
  new PendingResult(id, options.until)
