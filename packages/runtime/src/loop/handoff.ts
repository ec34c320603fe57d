import type { StepChoice } from '../journal/step-choice.js'
import type { Authorize } from '../policy/authorize.js'
import type { Tool } from '../tools/tool.js'

/**
 * An agent to whom the model can hand the conversation: the settings of each step while it is in
 * control. Unset ones are those of the request.
 */
export interface Handoff extends Omit<StepChoice, 'tools'> {
  /** What it is for; the model reads it. */
  readonly description: string
  /**
   * What it may use: names of tools and agents of the request, and tools of its own. Unset: all of
   * the request.
   */
  readonly tools?: readonly (string | Tool)[] | undefined
  /** Asked before each of its calls, in place of `authorize` of the request. */
  readonly authorize?: Authorize | undefined
}

/** Name of the tool by which control passes. */
export const handoffTool = 'hand_off'
