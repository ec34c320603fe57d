import type { ActionMode } from '../../reply/action-mode.js'
import type { StepView } from '../request/step-view.js'
import type { Uses } from './run-state.js'

/** What the application sees of the run between two steps. */
export function viewOf({
  request,
  turn,
  conversation,
  meter,
}: Uses<'request' | 'turn' | 'conversation' | 'meter'>): StepView {
  const { runId, context, signal } = request
  return {
    step: turn.step,
    runId,
    transcript: conversation.transcript.messages,
    usage: meter.tally.usage,
    context,
    signal,
  }
}

/**
 * How the model says what it wants in the current step. Plain text, as in native mode, if there is
 * nothing to call and no schema to fill.
 */
export function modeOf({
  request,
  models,
  tools,
}: Uses<'request' | 'models' | 'tools'>): ActionMode {
  const { mode = 'auto', preset, outputCheck, agents } = request
  const isAsked = mode !== 'auto' || preset.unknownMode !== undefined
  const isPlain = !isAsked && !outputCheck && !agents?.length && !tools.definitions.length
  return isPlain && models.current.mode === 'json' ? 'native' : models.current.mode
}
