import { LlmError } from '@modelport/core'
import type { ModelConfig } from './model-config.js'
import type { ModelEntry } from './model-entry.js'
import { didYouMean } from './suggestion.js'

/** What each field must be. An entry of a pool is a configuration too. `fallback` is read, and told of, where it is followed. */
const fields: Readonly<Record<keyof ModelConfig | keyof ModelEntry, 'string' | 'boolean' | 'object' | 'function' | 'any'>> = {
  provider: 'string', model: 'string', apiKey: 'string', apiKeyEnv: 'string', baseUrl: 'string', baseUrlEnv: 'string',
  useEnvironmentBaseUrls: 'boolean', proxy: 'string', proxyEnv: 'string', cheapestModel: 'string', fallback: 'any', defaults: 'object',
  vendor: 'object', headers: 'object', enforceHosts: 'any', fetch: 'function', azure: 'object', vertex: 'object', settings: 'object',
  name: 'any', purpose: 'any', profile: 'any',
}

/**
 * Holds a configuration to its fields. One that was read from JSON has not met the compiler, and an address that is misspelt would be
 * the vendor's own.
 * @throws {LlmError} `config` — names the field, never its value, which may be a key.
 */
export function checkFields(config: ModelConfig): void {
  checkNames(config)
  for (const [name, value] of Object.entries(config.headers ?? {}) as [string, unknown][]) {
    // eslint-disable-next-line no-control-regex -- these are what a header may not have
    const sendable = typeof value === 'string' && !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !sendable) throw new LlmError('config', `headers: ${JSON.stringify(name)} cannot be sent: a name is letters, digits and "-", a value a text of one line`)
  }
  const { enforceHosts: hosts = false } = config as { readonly enforceHosts?: unknown }
  const listed = Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')
  if (typeof hosts !== 'boolean' && !listed) throw new LlmError('config', 'enforceHosts must be true, false or a list of "host:port"')
}

function checkNames(config: ModelConfig): void {
  for (const [name, value] of Object.entries(config) as [string, unknown][]) {
    if (value === undefined) continue
    if (!Object.hasOwn(fields, name)) throw new LlmError('config', `unknown field ${JSON.stringify(name)}${didYouMean(name, Object.keys(fields))}; what only the provider's package knows goes into settings`)
    const wanted = fields[name as keyof ModelConfig]
    if (wanted !== 'any' && (typeof value !== wanted || value === null || Array.isArray(value))) {
      throw new LlmError('config', `${name} must be ${wanted === 'object' ? 'an object' : `a ${wanted}`}, not ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}; leave it out where it is unset`)
    }
  }
}
