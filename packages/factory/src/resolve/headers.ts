import { configError } from '@modelport/core'
import { lookedUp, lookUp } from '../base/env.js'
import type { ModelConfig } from '../config/model-config.js'
import type { FactoryContext } from './resolve.js'

/**
 * The headers of a configuration, with the values of the variables they name; undefined if it has
 * none.
 * @throws {LlmError} `config` — a variable is not set.
 */
export function resolveHeaders(
  { headers }: Pick<ModelConfig, 'headers'>,
  context: FactoryContext = {},
): Record<string, string> | undefined {
  if (!headers) return undefined
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (typeof value !== 'object') return [name, value]
    const variable = lookUp(value.env, context)
    if (variable !== undefined) return [name, variable]
    throw configError(
      `headers: ${name}: environment variable ${lookedUp(value.env, context)} is not set; set it to the value of the header`,
    )
  })
  return Object.fromEntries(entries)
}
