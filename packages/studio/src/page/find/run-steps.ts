import type { CostBound } from '@modelport/core'
import type { StudioEvent } from '../../protocol/protocol.js'
import { pretty } from '../parts/format.js'

/** A tool call of a step, as texts. */
interface StepCall {
  readonly id: string
  readonly args: string
  result: string
}

/** One model call of a run, with the tool calls that it asked for. */
export interface RunStep {
  text: string
  readonly calls: StepCall[]
  from: number
  ms?: number
  inputTokens?: number
  outputTokens?: number
  cost?: number
  /** Unset: every price is known. */
  costBound?: CostBound
  hasFailedCall?: boolean
}

/** The steps of a run, from its events. A remote agent has one step: it does not show its own. */
export function toSteps(events: readonly StudioEvent[]): RunStep[] {
  const steps: RunStep[] = []
  const stepAt = (number: number, at: number): RunStep =>
    (steps[number - 1] ??= { text: '', calls: [], from: at })
  for (const { at, ...one } of events) {
    if (one.type === 'agent' && one.event.type === 'text-delta') {
      const step = stepAt(1, at)
      step.text = (one.event.first ? '' : step.text) + one.event.text
    }
    if (one.type !== 'run') continue
    const { event } = one
    const step = stepAt(event.step, at)
    // A later attempt replaces what an earlier one gave.
    if (event.type === 'model-call-start') Object.assign(step, { text: '', from: at })
    else if (event.type === 'text-delta') step.text += event.text
    else if (event.type === 'model-call-end') {
      const { usage, cost } = event.metrics
      const { inputTokens, outputTokens } = usage
      Object.assign(step, {
        ms: at - step.from,
        inputTokens,
        outputTokens,
        cost: cost?.totalCost,
        costBound: cost?.bound,
      })
    } else if (event.type === 'action-requested') {
      const { action, actionId: id } = event
      const name = action.type === 'tool_call' ? action.tool : action.agent
      step.calls.push({
        id,
        args: `${name} ${pretty('args' in action ? action.args : '')}`,
        result: '',
      })
    } else if ('actionId' in event) {
      const call = step.calls.find(({ id }) => id === event.actionId)
      step.hasFailedCall ||= event.type.endsWith('-error')
      if (call && 'result' in event) call.result = pretty(event.result)
      else if (call && event.type.endsWith('-error') && 'message' in event)
        call.result = event.message
    }
  }
  return steps.filter(Boolean)
}
