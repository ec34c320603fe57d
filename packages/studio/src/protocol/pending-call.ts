import type { PendingQuestion } from '@modelport/runtime'

/** A question of a tool to the user; its texts are those of `from`, or of the tool. */
export type QuestionInfo = PendingQuestion['question'] & Pick<PendingQuestion, 'digest'>

/** A tool call that a person must decide on. */
export interface PendingCall {
  /** Identifies the call; the decision names it. */
  readonly callId: string
  /** Name of the tool or agent that is called. */
  readonly tool: string
  /** The exact arguments. */
  readonly args: unknown
  /** Why it is asked, in the words of the agent; of an uncertain call, with its idempotency key. */
  readonly reason?: string
  /**
   * True for a call that was started and whose outcome nobody knows: its reply was lost, or the
   * studio or the agent ended during it. It is neither allowed nor denied: its decision says what
   * became of it.
   */
  readonly uncertain?: boolean
  /** Set for a call that is not to be approved, but asks the user. */
  readonly question?: QuestionInfo
}
