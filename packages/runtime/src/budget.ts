import { LlmError, type ModelProfile } from '@modelport/core'

/** Limits of a run and of everything it starts. What is not set is not limited; equal to the limit is allowed. */
export interface RunBudget {
  /** Requests to a model, retries included. */
  readonly maxCalls?: number
  /** Tokens of all prompts. */
  readonly maxInputTokens?: number
  /** Tokens of all answers, reasoning included. */
  readonly maxOutputTokens?: number
  readonly maxToolCalls?: number
  readonly maxSteps?: number
  /** Money, in the currency of the profile; calls then need a profile with both prices. */
  readonly maxCost?: number
  /** Milliseconds since the ledger was made. */
  readonly maxRuntimeMs?: number
}

/** A limit that is near (`warn`, at 80 %, once) or would be passed (`deny`). */
export interface BudgetDecision {
  readonly limit: keyof RunBudget
  readonly effect: 'warn' | 'deny'
  /** What is or would be used. */
  readonly observed: number
  readonly maximum: number
}

/** A limit of the budget would be passed; what asked for it was not begun. */
export class BudgetExceededError extends LlmError {
  readonly decision: BudgetDecision

  constructor(decision: BudgetDecision) {
    super('budget-exceeded', `budget: ${decision.limit} would be ${decision.observed}, the limit is ${decision.maximum}`)
    this.decision = decision
  }
}
Object.defineProperty(BudgetExceededError.prototype, 'name', { value: 'BudgetExceededError' })

/** What one model call may come to. */
export interface CallRequest {
  /** Estimate of the prompt, tool definitions included. */
  readonly inputTokens: number
  /** Most tokens the call may generate. */
  readonly maxOutputTokens: number
  /** Attempts wanted, the first included. Default 1. */
  readonly attempts?: number
  /** Prices; needed where a budget of the chain has `maxCost`. */
  readonly profile?: ModelProfile
}

/** What one model call came to. */
export interface CallOutcome {
  /** Of the attempt that answered. Unset: the estimate. */
  readonly inputTokens?: number
  /** Of the attempt that answered: the larger of what was reported and what was seen. Unset: everything reserved. */
  readonly outputTokens?: number
  /** False when the server gave no counts: less than the estimate is then not believed. */
  readonly reported: boolean
  /** Requests made. Default: 1 and one for each {@link CallReservation.retried}. */
  readonly attempts?: number
}

/** Room for one call, taken from a ledger and all above it until it is settled or released. */
export interface CallReservation {
  /** What to send as `maxTokens`; lower than asked for when no more is left. */
  readonly maxOutputTokens: number
  /** Where to stop reading when the answer, as counted here, reaches it: a server may ignore `maxTokens` and count nothing. */
  readonly cutOutputTokens: number
  /** What to send as `retry.attempts`; lower than asked for when no more are left. */
  readonly attempts: number
  /** What is left of the time, for `deadlineMs`. Unset: no limit. */
  readonly deadlineMs?: number
  /** An attempt failed with this error and another follows: call it from `retry.onRetry`. */
  retried(error?: unknown): void
  /** Replaces the reservation by what the call came to. Later calls do nothing. */
  settle(actual: CallOutcome): void
  /** Gives everything back: nothing was sent. Later calls do nothing. */
  release(): void
}

/** What a ledger has counted; `cost` in the currency of the profiles. */
export interface BudgetSpent {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly toolCalls: number
  readonly steps: number
  readonly cost: number
  readonly runtimeMs: number
}

/** Of a ledger. */
export interface BudgetLedgerOptions {
  /** The ledger of the run that started this one: it pays too. */
  readonly parent?: BudgetLedger
  /** Told of every warning and refusal that a request to this ledger leads to, also of a parent's limit. What it throws ends its service. */
  onDecision?(decision: BudgetDecision): void
  /** Milliseconds of a clock that never goes back. Default `performance.now`. */
  now?(): number
}

/** Counts a run against its budget, and refuses before anything is spent. docs/budgets.md says what is guaranteed. */
export class BudgetLedger {
  readonly budget: RunBudget

  constructor(budget: RunBudget, options: BudgetLedgerOptions = {}) {
    this.budget = budget
    void options
  }

  /** A ledger for a run started by this one: what it spends is spent here too. */
  child(budget: RunBudget = {}, options: Omit<BudgetLedgerOptions, 'parent'> = {}): BudgetLedger {
    return new BudgetLedger(budget, { ...options, parent: this })
  }

  /** Takes room for a call. @throws {BudgetExceededError} there is none; nothing is taken. */
  reserveCall(request: CallRequest): CallReservation {
    throw new TypeError(`not written yet ${typeof request}`)
  }

  /** Counts one tool call. @throws {BudgetExceededError} it would be one too many. */
  reserveToolCall(): void {
    throw new TypeError('not written yet')
  }

  /** Counts one step. @throws {BudgetExceededError} it would be one too many. */
  reserveStep(): void {
    throw new TypeError('not written yet')
  }
}
