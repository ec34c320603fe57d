import { isObject, LlmError, validateOptions } from '@modelport/core'
import { type ProviderSettings, toDefaultOptions } from './config.js'
import { defined } from './defined.js'

const hold = (good: unknown, field: string, wanted: string): void => {
  if (!good) throw new LlmError('config', `${field} must be ${wanted}`)
}

/**
 * Rejects settings that would otherwise surface later as network errors.
 * @throws {LlmError} `config` — names the field, never its value, which may be a secret.
 * @returns the hosts that may be contacted; undefined for any.
 */
export function checkConfig(settings: ProviderSettings): readonly string[] | undefined {
  const { defaults, enforceHosts = false, fetch, headers, hosts, limits, model, timeouts } = settings
  const allowed = enforceHosts === true ? hosts : enforceHosts === false ? undefined : enforceHosts
  const numbers: readonly unknown[] = Object.values(defined({ ...limits, ...timeouts }))
  hold(typeof model === 'string', 'model', 'text')
  hold(typeof (fetch ?? hold) === 'function', 'fetch', 'a function')
  hold(
    enforceHosts === false ||
      (Array.isArray(allowed) && allowed.every((host) => /^[^/\sA-Z]+:\d+$/.test(String(host)))),
    'enforceHosts',
    'a boolean or a list of "host:port"',
  )
  hold(
    numbers.every((number) => typeof number === 'number' && number >= 0),
    'limits and timeouts',
    'numbers',
  )
  validateOptions(toDefaultOptions(defaults))
  mergeHeaders(headers)
  return allowed
}

/**
 * Merges headers case-insensitively; later lists win, so that a caller's header replaces ours instead of being added to it.
 * @throws {LlmError} `config` — one cannot be sent.
 */
export function mergeHeaders(...lists: readonly unknown[]): Readonly<Record<string, string>> {
  const merged = new Headers()
  for (const [name, value] of lists.flatMap((list): [string, unknown][] => Object.entries(list ?? {}))) {
    try {
      merged.set(name, (value as string).trim())
    } catch {
      hold(false, `headers: ${JSON.stringify(name)}`, 'text of one line')
    }
  }
  return Object.fromEntries(merged)
}

/**
 * Checks that a creator was given a configuration object: JavaScript can pass anything.
 * @throws {LlmError} `config` — names the creator and what it was given instead.
 */
export function requireConfig(config: unknown, creator: string): void {
  if (isObject(config)) return
  const given = config === null ? 'null' : Array.isArray(config) ? 'a list' : typeof config
  throw new LlmError('config', `${creator}: pass a configuration object, like { model: '...' }, not ${given}`)
}
