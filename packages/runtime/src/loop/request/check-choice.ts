import { isObject, LlmError, validateOptions } from '@modelport/core'
import { checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import { messageOf } from '../../base/message-of.js'
import type { StepChoice } from '../../journal/step-choice.js'

const choiceNames = namesOf<StepChoice>({
  model: true,
  options: true,
  tools: true,
  system: true,
})
const stepOptions = optionNames.call.filter(
  (name) => !['signal', 'retry', 'tools', 'system'].includes(name),
)

/** @throws {LlmError} `config` — what is wrong with it, and where it is from. */
export function checkChoice(
  where: string,
  choice: unknown,
  models: readonly string[],
): asserts choice is StepChoice {
  const refuse = (why: string): never => {
    throw new LlmError('config', `${where}: ${why}`)
  }
  if (!isObject(choice)) return refuse('it must return an object, or nothing')
  const { model, options, tools } = choice
  try {
    checkSettings(where, choice, choiceNames, { options: stepOptions })
    if (options !== undefined) {
      if (!isObject(options)) return refuse('options must be an object')
      checkSettings(`${where}: options`, options, stepOptions)
      validateOptions(options)
    }
  } catch (error) {
    throw new LlmError('config', messageOf(error), { cause: error })
  }
  if (model !== undefined && !models.includes(model as string))
    return refuse(
      `there is no model ${JSON.stringify(model)} in models; known: ${models.join(', ') || 'none'}`,
    )
  if (
    tools !== undefined &&
    !(Array.isArray(tools) && tools.every((name) => typeof name === 'string'))
  )
    return refuse('tools must be a list of names')
  return undefined
}
