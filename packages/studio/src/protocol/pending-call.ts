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
  /** True for a call that was started before the studio ended, with an unknown outcome. */
  readonly uncertain?: boolean
  /** Set for a call that is not to be approved, but asks the user. */
  readonly question?: QuestionInfo
}
