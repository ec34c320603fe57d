import { LlmError } from '@modelport/core'
import type { ModelConfig } from './model-config.js'
import type { ModelEntry } from './model-entry.js'
import { didYouMean } from './suggestion.js'

/** What each field must be. An entry of a pool is a configuration too. `fallback` is read, and told of, where it is followed. */
const fields: Readonly<
  Record<keyof ModelConfig | keyof ModelEntry, 'string' | 'boolean' | 'object' | 'function' | 'any'>
> = {
  provider: 'string',
  model: 'string',
  apiKey: 'string',
  apiKeyEnv: 'string',
  baseUrl: 'string',
  baseUrlEnv: 'string',
  useEnvironmentBaseUrls: 'boolean',
  proxy: 'string',
  proxyEnv: 'string',
  cheapestModel: 'string',
  fallback: 'any',
  defaults: 'object',
  vendor: 'object',
  headers: 'object',
  enforceHosts: 'any',
  fetch: 'function',
  azure: 'object',
  vertex: 'object',
  settings: 'object',
  name: 'any',
  purpose: 'any',
  profile: 'any',
}

/**
 * Holds a configuration to its fields. One that was read from JSON has not met the compiler, and an address that is misspelt would be
 * the vendor's own.
 * @throws {LlmError} `config` — names the field, never its value, which may be a key.
 */
export function checkFields(config: ModelConfig): void {
  for (const [name, value] of Object.entries(config) as [string, unknown][]) {
    if (value === undefined) continue
    if (!Object.hasOwn(fields, name))
      throw new LlmError(
        'config',
        `unknown field ${JSON.stringify(name)}${didYouMean(name, Object.keys(fields))}; what only the provider's package knows goes into settings`,
      )
    const wanted = fields[name as keyof ModelConfig]
    if (wanted !== 'any' && (typeof value !== wanted || value === null || Array.isArray(value))) {
      throw new LlmError(
        'config',
        `${name} must be ${wanted === 'object' ? 'an object' : `a ${wanted}`}, not ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}; leave it out where it is unset`,
      )
    }
  }
}
