import { isLlmError, isRetryable, type LlmError, type ProviderError } from '@modelport/core'
import type { Clock } from '../base/clock.js'

/**
 * Tokens that retries spend, shared by all calls of one provider, so that an outage does not cause
 * a storm of retries.
 */
export interface RetryBucket {
  /** Takes the cost of one retry; false when there is not enough left. */
  take(cost: number): boolean
  /** Gives back after a success. */
  give(amount: number): void
}

/**
 * A bucket of 500 tokens. A retry costs 5, after a time-out 10; a success gives back what its call
 * spent, or 1.
 */
export function createRetryBucket(capacity = 500): RetryBucket {
  let tokens = capacity
  return {
    take: (cost) => {
      if (tokens < cost) return false
      tokens -= cost
      return true
    },
    give: (amount) => {
      tokens = Math.min(capacity, tokens + amount)
    },
  }
}

/** The longest wait a server may ask for, in milliseconds; beyond it the call fails at once. */
const longestHintMs = 60_000

/**
 * The attempts of one logical call. Decides, and only here, whether and when a call is tried again.
 */
export class RetryBudget {
  /** Requests made so far. */
  attempts = 0
  #spent = 0
  readonly #most: number
  readonly #bucket: RetryBucket
  readonly #clock: Clock

  constructor(most: number, bucket: RetryBucket, clock: Clock) {
    this.#most = most
    this.#bucket = bucket
    this.#clock = clock
  }

  succeeded(): void {
    this.#bucket.give(this.#spent || 1)
    this.#spent = 0
  }

  /**
   * How long to wait before the next attempt, or undefined when there is none. `remainingMs` is
   * what the deadline leaves.
   */
  delayAfter(error: unknown, remainingMs: number): number | undefined {
    if (!isLlmError(error) || !shouldRetry(error) || this.attempts >= this.#most) return undefined
    const hint = (error as Partial<ProviderError>).retryAfterMs
    if (hint !== undefined && hint > longestHintMs) return undefined
    const limited = error.code === 'rate-limit'
    const ceiling = Math.min(
      limited ? 20_000 : 8_000,
      (limited ? 1_000 : 500) * 2 ** (this.attempts - 1),
    )
    const wait = Math.max(hint ?? 0, this.#clock.random() * ceiling)
    if (wait >= remainingMs) return undefined
    const cost = error.code === 'timeout' ? 10 : 5
    if (!this.#bucket.take(cost)) return undefined
    this.#spent += cost
    return wait
  }
}

function shouldRetry(error: LlmError): boolean {
  const { serverRetry } = error as { readonly serverRetry?: boolean }
  return serverRetry ?? isRetryable(error)
}
