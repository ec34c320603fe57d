import type { CallOptions } from '@modelport/core'

/**
 * The settings of one step; unset ones are those of the request. Plain JSON, since it is stored
 * with the step.
 */
export interface StepChoice {
  /** The name of one of `models`. Unset: the model of the run. */
  readonly model?: string | undefined
  /** Options of the model call, over those of the request. A `toolChoice` holds in any step. */
  readonly options?: Omit<CallOptions, 'signal' | 'retry' | 'tools' | 'system'> | undefined
  /** Names of the tools and agents that the model may use. Unset: all. */
  readonly tools?: readonly string[] | undefined
  /** The instructions, in place of `system` of the request. */
  readonly system?: string | undefined
}
