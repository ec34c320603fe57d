import { type ErrorCode, isLlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { BudgetExceededError, type LimitName, type RunResult } from '@modelport/runtime'
import { ParseError } from '../parse/parser.js'
import type { CallLimit, CallSuspension } from './call-error.js'
import type { TurnPlan } from './turn-plan.js'

/** The error that was thrown in place of a result. */
export interface EndedRun {
  readonly thrown: unknown
  /** True when it is the reason of the call's signal. */
  readonly aborted: boolean
  /** True when it is the reason of the deadline. */
  readonly isDeadline: boolean
}

/** Why a call failed. */
export interface FailureReason {
  readonly code: ErrorCode
  readonly message: string
  readonly cause?: unknown
  readonly limit?: CallLimit
  readonly suspension?: CallSuspension
}

const limitNames: Readonly<Record<LimitName, CallLimit>> = {
  steps: 'steps',
  repeats: 'repeats',
  'parse-failures': 'parse-retries',
  'no-progress': 'no-progress',
  length: 'length',
}

/** Why a run that did not end with a value makes the call fail. */
export function toFailure(
  ended: RunResult | EndedRun,
  plan: TurnPlan | undefined,
  deadline: AbortSignal | undefined,
): FailureReason {
  if ('thrown' in ended) return toThrown(ended, plan)
  switch (ended.status) {
    case 'limit': {
      const limit = limitNames[ended.limit]
      if (limit !== 'parse-retries')
        return { code: 'limit-exceeded', message: ended.message, limit }
      const { lastProblems = [], lastText } = plan ?? {}
      const { problem = lastProblems.join('\n'), text } = ended
      // The run refuses an unusable reply before the parser of the prompt sees it.
      const isParsers = problem === lastProblems.join('\n')
      const problems = isParsers ? lastProblems : [problem]
      const cause = new ParseError(problems, isParsers ? lastText : text)
      return {
        code: 'protocol',
        message: `${ended.message} The last one: ${problems.join('; ')}`,
        limit,
        cause,
      }
    }
    case 'budget':
      return {
        code: 'budget-exceeded',
        message: ended.message,
        cause: new BudgetExceededError(ended.decision),
      }
    case 'cancelled':
      return toAbort(ended.reason, deadline?.aborted === true && ended.reason === deadline.reason)
    case 'failed':
      return toThrown({ thrown: ended.error, aborted: false, isDeadline: false }, plan)
    case 'suspended': {
      const { pending, checkpoint } = ended
      const waits = `${pending.length} ${pending.length === 1 ? 'decision' : 'decisions'}`
      const message = `the call is suspended until ${waits} are known; continue it with resume and decisions`
      return { code: 'aborted', message, suspension: { pending, checkpoint } }
    }
    case 'final':
      return { code: 'unknown', message: 'the run ended with a value' }
  }
}

function toThrown(
  { thrown, aborted, isDeadline }: EndedRun,
  plan: TurnPlan | undefined,
): FailureReason {
  if (aborted) return toAbort(thrown, isDeadline)
  const message = errorText(thrown)
  const isLastCall = plan?.isLastCall() === true && isLlmError(thrown, 'limit-exceeded')
  return {
    code: isLlmError(thrown) ? thrown.code : 'unknown',
    message,
    cause: thrown,
    ...(isLastCall && { limit: 'tool-rounds' }),
  }
}

const toAbort = (reason: unknown, isDeadline: boolean): FailureReason =>
  isDeadline
    ? { code: 'timeout', message: 'the deadline of the call is over', cause: reason }
    : { code: 'aborted', message: 'the call was aborted', cause: reason }
