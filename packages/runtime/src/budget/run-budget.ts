import { LlmError } from '@modelport/core'
import type { BudgetWindow } from './budget-window.js'

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
  readonly limit: keyof RunBudget | 'maxTokens'
  /** Whether it is a warning or a refusal. */
  readonly effect: 'warn' | 'deny'
  /** The amount that is or would be used. */
  readonly observed: number
  /** What the budget allows. */
  readonly maximum: number
  /** The shared budget whose limit it is. Unset: a limit of the run. */
  readonly budget?: NamedBudget
}

/** A shared budget that refused a call. */
export interface NamedBudget {
  /** Whose budget. */
  readonly owner: string
  /** How long its limits hold. */
  readonly window: BudgetWindow
  /** When the window ends, as ISO 8601. Unset: it does not end. */
  readonly endsAt?: string
  /**
   * What calls hold that are not over, in the unit of `observed`; none of them ended while this one
   * waited. Unset: the call does not fit what is spent.
   */
  readonly reserved?: number
}

/** A limit of the budget would be passed; what asked for it was not begun. */
export class BudgetExceededError extends LlmError {
  /** The limit that was met, and the amount that met it. */
  readonly decision: BudgetDecision

  constructor(decision: BudgetDecision) {
    super('budget-exceeded', describeDecision(decision))
    this.decision = decision
  }
}

/** What was refused, and by which budget. */
function describeDecision({ limit, observed, maximum, budget }: BudgetDecision): string {
  const problem =
    observed > maximum
      ? `${limit} would be ${observed}, the limit is ${maximum}`
      : `other calls wait for ${limit} before this one`
  if (!budget) return `budget: ${problem}`
  const { owner, window, endsAt, reserved } = budget
  const name = JSON.stringify(owner)
  const whose =
    window === 'none' ? `the budget of ${name}` : `the budget of ${name} for a ${window}`
  const end = endsAt === undefined ? 'it does not begin anew' : `its window ends at ${endsAt}`
  const others =
    reserved === undefined ? '' : `; calls that are not over hold ${reserved}, wait longer for them`
  return `${whose}: ${problem}${others}; ${end}`
}
Object.defineProperty(BudgetExceededError.prototype, 'name', { value: 'BudgetExceededError' })
