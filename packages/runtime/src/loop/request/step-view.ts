import type { ChatMessage, TokenUsage, ToolCall } from '@modelport/core'
import type { StepChoice } from '../../journal/step-choice.js'
import type { ApplicationContext } from '../../tools/run-context.js'

/** A run between two steps, as the application sees it. */
export interface StepView {
  /** The step that begins, or that ended for `stopWhen`; the first is 1. */
  readonly step: number
  /** Identifies the run. */
  readonly runId: string
  /** The conversation so far. */
  readonly transcript: readonly ChatMessage[]
  /** Tokens so far. */
  readonly usage: TokenUsage
  /** `context` of the request. Unset: the application gave none. */
  readonly context?: ApplicationContext
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
}

/**
 * Called before each step. Its result is stored with the step, so a resume does not choose again
 * for the step that it continues. If it throws, or returns something else, the run ends as
 * `failed`.
 */
export type PrepareStep = (
  view: StepView,
) => StepChoice | undefined | Promise<StepChoice | undefined>

/** A finished step with calls, as the application sees it. */
export interface EndedStep extends StepView {
  /** The calls that the model made. */
  readonly calls: readonly ToolCall[]
}

/**
 * Decides at the end of a step with calls whether the run stops there. If it throws, the run ends
 * as `failed`.
 */
export type StopWhen = (step: EndedStep) => boolean | Promise<boolean>
