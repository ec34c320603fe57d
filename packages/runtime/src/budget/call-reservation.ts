import type { ModelProfile, TokenUsage } from '@modelport/core'
import type { BudgetDecision } from './run-budget.js'
import type { SharedAmounts } from './shared-budget.js'

/** The maximum of one model call. */
export interface ReservationRequest {
  /** Estimate of the prompt, tool definitions included. */
  readonly inputTokens: number
  /** Maximum tokens the call may generate. */
  readonly maxOutputTokens: number
  /** Smallest `maxTokens` that the API takes: with less room nothing is sent. Default 1. */
  readonly fewestOutputTokens?: number | undefined
  /**
   * Attempts to take room for at once, the first included; each further one is asked for by
   * {@link CallReservation.retried}. Default 1.
   */
  readonly attempts?: number | undefined
  /**
   * The model, for the margin learnt from its earlier calls. Default: one margin for all calls
   * without a model.
   */
  readonly model?: string | undefined
  /**
   * What shared budgets have left, with `cost` in billionths of a US dollar: the reply gets no
   * longer than that, as far as `fewestOutputTokens` allows. Default: nobody has looked.
   */
  readonly room?: SharedAmounts | undefined
  /** Prices; needed where a budget of the chain has `maxCost`. */
  readonly profile?: ModelProfile | undefined
}

/** The result of one model call. */
export interface SettledCall {
  /**
   * Input tokens of the attempt that brought a reply. The estimate counts if it is larger, or if
   * this is unset.
   */
  readonly inputTokens?: number | undefined
  /**
   * Output tokens of the attempt that brought a reply: the larger of reported and seen. Unset:
   * everything reserved.
   */
  readonly outputTokens?: number | undefined
  /** False when the server gave no counts. */
  readonly reported: boolean
  /**
   * What is paid for of the attempt that brought a reply: cached tokens have their own prices.
   * Unset: the most that its tokens can cost.
   */
  readonly usage?: TokenUsage | undefined
  /**
   * Requests made, where it is known; those not reported to {@link CallReservation.retried} count
   * in full.
   */
  readonly attempts?: number | undefined
  /**
   * The error of the last attempt: unless it was refused or never arrived, the server may have made
   * a whole reply. Unset: it did not fail.
   */
  readonly error?: unknown
}

/**
 * Room for one call, taken from an account and all above it, or from none, until it is settled or
 * released.
 */
export interface CallReservation {
  /** The `maxTokens` to send; lower than requested if no more is left. */
  readonly maxOutputTokens: number
  /**
   * True if an account limits output tokens or money: `maxOutputTokens` then has to be sent, and
   * the reply is over where {@link CallReservation.admits} says so.
   */
  readonly limitsReply: boolean
  /** Attempts there is room for; at most what was asked for. */
  readonly attempts: number
  /** The remaining time, for `deadlineMs`. Unset: no limit. */
  readonly deadlineMs?: number

  /**
   * True while a reply of this length is paid for. Ask before each read, with one more than was
   * seen: a server may ignore `maxTokens`. Beyond `maxOutputTokens` half as much is taken in
   * addition while there is room, since an estimate errs high. False: stop reading.
   */
  admits(outputTokens: number): boolean

  /**
   * The limit that a reply of this length passes, which {@link CallReservation.admits} did not
   * admit: money, if that is what made the reply short.
   */
  refusalOf(outputTokens: number): BudgetDecision

  /**
   * An attempt failed with this error and another follows: for `retry.onRetry`.
   * @throws {BudgetExceededError} there is no room for another.
   */
  retried(error?: unknown): void

  /**
   * Replaces the reservation by what the call used. Later calls do nothing.
   * @returns the limit that ends the run: of tokens, if the server reports more than was reserved;
   * of time, if it ran out during the call
   */
  settle(actual: SettledCall): BudgetDecision | undefined

  /** Returns the rest of the reservation: nothing (more) was sent. Later calls do nothing. */
  release(): void
}
