import { LlmError } from '@modelport/core'

/**
 * Limits of a run and of everything it starts. What is not set is not limited; equal to the limit
 * is allowed.
 */
export interface RunBudget {
  /** Requests to a model, retries included. */
  readonly maxCalls?: number | undefined
  /** Tokens of all prompts. */
  readonly maxInputTokens?: number | undefined
  /** Tokens of all replies, reasoning included. */
  readonly maxOutputTokens?: number | undefined
  /** Maximum executed tool calls. */
  readonly maxToolCalls?: number | undefined
  /** Maximum steps. */
  readonly maxSteps?: number | undefined
  /** Money, in the currency of the profile; calls then need a profile with both prices. */
  readonly maxCost?: number | undefined
  /** Milliseconds since the ledger was made. */
  readonly maxRuntimeMs?: number | undefined
}

/** A limit that is near (`warn`, at 80 %, once) or would be passed (`deny`). */
export interface BudgetDecision {
  /** The limit it is about. */
  readonly limit: keyof RunBudget
  /** Whether it is a warning or a refusal. */
  readonly effect: 'warn' | 'deny'
  /** The amount that is or would be used. */
  readonly observed: number
  /** What the budget allows. */
  readonly maximum: number
}

/** A limit of the budget would be passed; what asked for it was not begun. */
export class BudgetExceededError extends LlmError {
  /** The limit that was met, and the amount that met it. */
  readonly decision: BudgetDecision

  constructor(decision: BudgetDecision) {
    super(
      'budget-exceeded',
      `budget: ${decision.limit} would be ${decision.observed}, the limit is ${decision.maximum}`,
    )
    this.decision = decision
  }
}
Object.defineProperty(BudgetExceededError.prototype, 'name', { value: 'BudgetExceededError' })
