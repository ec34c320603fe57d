import type { ChatMessage, TokenUsage, ToolCall } from '@modelport/core'
import type { StepChoice } from '../journal/step-choice.js'

/** What the application sees of a run between two steps. */
export interface StepView {
  /** The step that begins, or that ended for `stopWhen`; the first is 1. */
  readonly step: number
  readonly runId: string
  /** The conversation so far. */
  readonly transcript: readonly ChatMessage[]
  /** Tokens so far. */
  readonly usage: TokenUsage
  /** `context` of the request. */
  readonly context: unknown
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
}

/**
 * Called before each step. What it returns is stored with the step: a step that a resume continues is not chosen again. If it throws, or returns something else,
 * the run ends as `failed`.
 */
export type PrepareStep = (view: StepView) => StepChoice | undefined | Promise<StepChoice | undefined>

/** What the application sees of a step that had calls, after it. */
interface EndedStep extends StepView {
  /** The calls that the model made. */
  readonly calls: readonly ToolCall[]
}

/** Says at the end of a step that had calls whether the run stops there. If it throws, the run ends as `failed`. */
export type StopWhen = (step: EndedStep) => boolean | Promise<boolean>
