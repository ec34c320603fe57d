import { isObject, type JsonObject } from '@modelport/core'
import { invalidParams } from '../base/invalid-params.js'

/**
 * The values that a request may have in a field that the agent does not support; anything else is
 * refused.
 */
const unsupported: Readonly<Record<string, (value: unknown) => boolean>> = {
  tools: (value) => Array.isArray(value) && !value.length,
  functions: (value) => Array.isArray(value) && !value.length,
  tool_choice: (value) => value === 'none' || value === 'auto',
  function_call: (value) => value === 'none' || value === 'auto',
  n: (value) => value === 1,
  response_format: (value) => isObject(value) && value['type'] === 'text',
  stop: (value) => Array.isArray(value) && !value.length,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => isObject(value) && !Object.keys(value).length,
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  audio: () => false,
  prediction: () => false,
  web_search_options: () => false,
}

/**
 * A caller that sends tools must not believe that the agent has them.
 * @throws {AgentError} `invalid-params`
 */
export function checkFields(body: JsonObject): void {
  for (const [name, isHarmless] of Object.entries(unsupported)) {
    const value = body[name]
    if (value !== undefined && value !== null && !isHarmless(value))
      throw invalidParams(`/${name}`, 'the agent does not support this; leave it out')
  }
}
