import { LlmError, mergeOptions } from '@modelport/core'
import type { StepChoice } from '../../journal/step-choice.js'
import { checkChoice } from '../request/check-choice.js'
import type { InferRequest } from '../request/run-request.js'
import type { Uses } from '../state/run-state.js'
import { viewOf } from '../state/run-view.js'

/** The parts of a run that the choice of a step uses. */
type ChoiceParts = Uses<
  'request' | 'control' | 'conversation' | 'meter' | 'events' | 'storage' | 'turn'
>

/** True for a request whose steps may differ. */
export const isChosen = ({ prepareStep, system, handoffs }: InferRequest): boolean =>
  prepareStep !== undefined || handoffs !== undefined || typeof system === 'function'

/**
 * Asks the application for the settings of the new step, or reuses the recorded ones.
 * @throws {LlmError} `config` — the answer is not a choice.
 */
export async function chooseStep(state: ChoiceParts): Promise<StepChoice> {
  const { storage } = state
  const key = storage.log.keyOf('step', 0)
  if (!storage.log.find(key)) {
    const effect = { kind: 'step', label: 'prepareStep', repeat: 'always', input: {} } as const
    const made = await storage.log.perform(key, effect, () => makeChoice(state, key))
    if (made) return made.value
  }
  const recorded = storage.log.find(key)?.receipt
  if (recorded?.kind !== 'step') throw new TypeError(`${key} was recorded as something else`)
  state.events.skipTo(recorded.seq)
  return recorded.choice
}

async function makeChoice(state: ChoiceParts, key: string): Promise<StepChoice> {
  const { request, storage, control } = state
  const view = viewOf(state)
  const { prepareStep, system } = request
  const instructions =
    typeof system === 'function' ? await state.meter.wait(system(view)) : undefined
  const given = (await state.meter.wait(prepareStep?.(view))) ?? {}
  checkChoice('prepareStep', given, Object.keys(request.models ?? {}))
  const own = control.choice
  const text = given.system ?? own.system ?? instructions
  if (text !== undefined && typeof text !== 'string')
    throw new LlmError('config', 'system must be a text, or a function that gives one')
  const options = mergeOptions(own.options ?? {}, given.options ?? {})
  const choice: StepChoice = {
    ...own,
    ...given,
    ...(Object.keys(options).length && { options }),
    ...(text !== undefined && { system: text }),
  }
  await storage.log.record(key, { entry: 'receipt', kind: 'step', choice })
  return choice
}
