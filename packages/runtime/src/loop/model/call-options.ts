import { type CallOptions, mergeOptions, type RetryNotice } from '@modelport/core'
import type { CallReservation } from '../../budget/budget.js'
import type { SharedCharge } from '../../budget/shared-charge.js'
import type { PromptPlan } from '../../reply/prompt-plan.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'

/** Options of the step over those of the request, and these over those of the preset. */
export const givenOptions = ({ request, models }: Uses<'request' | 'models'>): CallOptions =>
  mergeOptions(request.preset.options, request.options, models.choice?.options ?? {})

/** The application's instructions for the step. */
export function instructionsOf(
  { request: { system }, models }: Uses<'request' | 'models'>,
  given: CallOptions,
): string {
  return models.choice?.system ?? (typeof system === 'string' ? system : (given.system ?? ''))
}

/** The options of the call: the given ones, with those that this step needs over them. */
export function callOptions(
  state: Uses<'request' | 'models' | 'tools' | 'meter'>,
  plan: PromptPlan,
  isLast: boolean,
): CallOptions {
  const { request, models, meter } = state
  const given = givenOptions(state)
  // A choice that forces a call is for the first step only, or for one that was prepared: nothing
  // would ever end otherwise.
  const { toolChoice, responseFormat, reasoning, ...rest } = given
  // In JSON mode the instructions ask for reasoning; a model without a parameter for it would
  // refuse the call.
  const keepsReasoning =
    modeOf(state) !== 'json' || models.capabilities?.reasoning.supported !== false
  const forced =
    !models.choice?.options?.toolChoice &&
    toolChoice !== undefined &&
    toolChoice !== 'auto' &&
    toolChoice !== 'none'
  const keepsChoice =
    toolChoice !== undefined &&
    plan.definitions.length > 0 &&
    !(forced && meter.tally.executedActions > 0) &&
    !isLast
  const system = [plan.prompt, instructionsOf(state, given)].filter(Boolean).join('\n\n')
  const { temperaturePerFailure } = request.preset
  return mergeOptions(
    rest,
    keepsReasoning && reasoning !== undefined ? { reasoning } : {},
    // The parser of the request may have asked for a form that the API can hold the model to.
    request.output && responseFormat && !plan.definitions.length && modeOf(state) === 'native'
      ? { responseFormat }
      : {},
    plan.options,
    system ? { system } : {},
    keepsChoice ? { toolChoice } : {},
    temperaturePerFailure === undefined
      ? {}
      : {
          temperature: Math.min(
            2,
            Math.round(meter.tally.failedActions * temperaturePerFailure * 1000) / 1000,
          ),
        },
    { signal: state.request.signal },
  )
}

/** Options that keep a call within its reservation. */
export function reservedOptions(
  state: Uses<'events' | 'turn'>,
  options: CallOptions,
  reservation: CallReservation,
  charge?: SharedCharge,
): CallOptions {
  const { deadlineMs, maxOutputTokens, limitsReply } = reservation
  const onRetry = async (notice: RetryNotice): Promise<void> => {
    reservation.retried(notice.error)
    await charge?.retried()
    state.events.emit({
      type: 'model-retry',
      attempt: state.turn.attempt,
      nextAttempt: ++state.turn.attempt,
      retryInSeconds: notice.delayMs / 1000,
      errorType: notice.error.code,
      message: notice.error.message,
    })
    await options.retry?.onRetry?.(notice)
  }
  return {
    // Without such a limit the options stand as they are: nobody may have asked for a number.
    ...(limitsReply && { maxTokens: maxOutputTokens }),
    retry: { ...options.retry, onRetry },
    ...(deadlineMs !== undefined && {
      deadlineMs: Math.min(deadlineMs, options.deadlineMs ?? Infinity),
    }),
  }
}
