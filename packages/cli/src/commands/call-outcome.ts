import type { UncertainOutcome } from '@modelport/agent'
import { UsageError } from '../errors/exit-codes.js'

/** Options that say what became of a call whose outcome is unknown. */
export interface OutcomeOptions {
  readonly happened?: string
  readonly didNotHappen?: boolean
  readonly giveUp?: boolean
}

/** What became of a call, and what it returned if it happened. */
export interface KnownOutcome {
  readonly outcome: UncertainOutcome
  readonly result?: string
}

/**
 * What the options say; undefined if they say nothing.
 * @throws {UsageError} the result is missing
 */
export function toKnownOutcome({
  happened,
  didNotHappen,
  giveUp,
}: OutcomeOptions): KnownOutcome | undefined {
  if (happened === 'RESULT')
    throw new UsageError('--happened RESULT: write what the call returned in place of RESULT')
  if (happened !== undefined) return { outcome: 'happened', result: happened }
  if (didNotHappen) return { outcome: 'did-not-happen' }
  return giveUp ? { outcome: 'unknown' } : undefined
}

/** The flags of {@link OutcomeOptions}, as a person types them. */
export const outcomeFlags = ['--happened RESULT', '--did-not-happen', '--give-up'] as const

/** The flags in a sentence. */
export const anyOutcome = '--happened RESULT, --did-not-happen or --give-up'
