import { isObject, LlmError, validateOptions } from '@modelport/core'
import { checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import { messageOf } from '../base/message-of.js'
import type { StepChoice } from '../journal/step-choice.js'
import type { InferRequest } from './run-request.js'
import type { RunState } from './run-state.js'

const choiceNames = namesOf<StepChoice>({ model: 1, options: 1, tools: 1, system: 1 })
const stepOptions = optionNames.call.filter((name) => !['signal', 'retry', 'tools', 'system'].includes(name))

/** True for a request whose application is asked before each step. */
export const isChosen = ({ prepareStep, system }: InferRequest): boolean =>
  prepareStep !== undefined || typeof system === 'function'

/**
 * Asks the application for the settings of the new step, or reuses the recorded ones.
 * @throws {LlmError} `config` — the answer is not a choice.
 */
export async function chooseStep(state: RunState): Promise<StepChoice> {
  const { request, log, view } = state
  const { prepareStep, system } = request
  const key = log.keyOf('step', 0)
  const recorded = log.find(key)?.receipt
  if (recorded?.kind === 'step') {
    state.events.skipTo(recorded.seq)
    return recorded.choice
  }
  const instructions = typeof system === 'function' ? await state.wait(system(view)) : undefined
  const given = (await state.wait(prepareStep?.(view))) ?? {}
  checkChoice(given, Object.keys(request.models ?? {}))
  const text = given.system ?? instructions
  if (text !== undefined && typeof text !== 'string')
    throw new LlmError('config', 'system must be a text, or a function that gives one')
  const choice: StepChoice = text === undefined ? given : { ...given, system: text }
  const stored = log.record(key, { entry: 'receipt', kind: 'step', choice })
  if (stored) await stored
  return choice
}

function checkChoice(choice: unknown, models: readonly string[]): asserts choice is StepChoice {
  const refuse = (why: string): never => {
    throw new LlmError('config', `prepareStep: ${why}`)
  }
  if (!isObject(choice)) return refuse('it must return an object, or nothing')
  const { model, options, tools } = choice
  try {
    checkSettings('prepareStep', choice, choiceNames, { options: stepOptions })
    if (options !== undefined) {
      if (!isObject(options)) return refuse('options must be an object')
      checkSettings('prepareStep: options', options, stepOptions)
      validateOptions(options)
    }
  } catch (error) {
    throw new LlmError('config', messageOf(error), { cause: error })
  }
  if (model !== undefined && !models.includes(model as string))
    return refuse(`there is no model ${JSON.stringify(model)} in models; known: ${models.join(', ') || 'none'}`)
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === 'string')))
    return refuse('tools must be a list of names')
  return undefined
}
