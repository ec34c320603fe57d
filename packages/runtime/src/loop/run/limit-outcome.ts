import type { LimitName } from '../../base/limit-name.js'
import type { ModelReply } from '../../reply/read-reply.js'
import type { RunGuards } from '../guards/run-guards.js'
import { givenOptions } from '../model/call-options.js'
import type { RunLimits } from '../request/run-limits.js'
import type { RunOutcome } from '../result/run-outcome.js'
import type { Uses } from '../state/run-state.js'
import { describeCut } from './cut-reply.js'

type LimitOutcome = Extract<RunOutcome, { status: 'limit' }>

/** The outcome of a run that a limit ended. */
export const toLimit = (
  limit: Exclude<LimitName, 'length'>,
  { request, guards }: Uses<'request' | 'guards'>,
): LimitOutcome => ({
  status: 'limit',
  limit,
  message: describeLimit(limit, request.limits, guards),
})

function describeLimit(
  limit: Exclude<LimitName, 'length'>,
  { maxSteps }: RunLimits,
  { repeatStreak, parseFailures, progress }: RunGuards,
): string {
  switch (limit) {
    case 'steps':
      return `Maximum inference steps (${maxSteps}) exceeded without producing final response. The model may be stuck in a loop: simplify the task, or check the prompts.`
    case 'repeats':
      return `The model only repeated what it had done, ${repeatStreak.count} steps in a row.`
    case 'parse-failures':
      return parseFailures.count === 1
        ? 'The model gave a reply that could not be used.'
        : `The model gave ${parseFailures.count} replies in a row that could not be used.`
    case 'no-progress':
      return `No step brought anything new, ${progress.idleSteps} in a row: calls failed, or gave what was known.`
  }
}

/** The outcome of a run whose reply was cut off. */
export const toLengthLimit = (
  state: Uses<'request' | 'models'>,
  reply: ModelReply,
): LimitOutcome => ({
  status: 'limit',
  limit: 'length',
  message: describeCut(reply, givenOptions(state).maxTokens),
})
