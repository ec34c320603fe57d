import { configError, isObject, validateOptions } from '@modelport/core'
import { checkPrices, checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import { defined } from '../base/defined.js'
import type { ResponseLimits, Timeouts } from '../base/limits.js'
import { type CommonConfig, type ProviderSettings, toDefaultOptions } from './config.js'

const hold = (good: unknown, field: string, expected: string): void => {
  if (!good) throw configError(`${field} must be ${expected}`)
}

/**
 * Rejects settings that would otherwise surface later as network errors.
 * @throws {LlmError} `config` — names the field, never its value, which may be a secret.
 * @returns the hosts that may be contacted; undefined for any.
 */
export function checkConfig(
  settings: ProviderSettings,
  driver: { name: string },
): readonly string[] | undefined {
  const {
    defaults,
    enforceHosts = false,
    fetch,
    headers,
    hosts,
    limits,
    model,
    profile,
    timeouts,
  } = settings
  const allowed = enforceHosts === true ? hosts : enforceHosts === false ? undefined : enforceHosts
  const numbers: readonly unknown[] = Object.values(defined({ ...limits, ...timeouts }))
  // Only a provider has a decoder; a client of other endpoints may have no model.
  const isNamed = typeof model === 'string' && (model || !('decoder' in driver))
  hold(isNamed, `${driver.name}: model`, 'text: the name of a model')
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
  if (profile?.prices !== undefined) checkPrices('profile.prices', profile.prices)
  validateOptions(toDefaultOptions(defaults))
  mergeHeaders(headers)
  return allowed
}

/**
 * Merges headers case-insensitively. Later lists win, so that a caller's header replaces ours
 * instead of being added to it.
 * @throws {LlmError} `config` — one cannot be sent.
 */
export function mergeHeaders(...lists: readonly unknown[]): Readonly<Record<string, string>> {
  // Nearly all calls have none, and a `Headers` takes longer than the rest of this.
  if (lists.every((list) => !list)) return {}
  const merged = new Headers()
  for (const [name, value] of lists.flatMap((list): [string, unknown][] =>
    Object.entries(list ?? {}),
  )) {
    try {
      merged.set(name, (value as string).trim())
    } catch {
      hold(false, `headers: ${JSON.stringify(name)}`, 'text of one line')
    }
  }
  return Object.fromEntries(merged)
}

/** Names of {@link CommonConfig}. */
export const commonNames: readonly string[] = namesOf<CommonConfig>({
  model: true,
  cheapestModel: true,
  profile: true,
  defaults: true,
  headers: true,
  fetch: true,
  proxy: true,
  enforceHosts: true,
  timeouts: true,
  limits: true,
  retryBucket: true,
  lenientEof: true,
  onResponse: true,
  onWarning: true,
  tokenFactor: true,
  clock: true,
})

const commonFields: Readonly<Record<string, readonly string[]>> = {
  defaults: optionNames.call,
  profile: optionNames.profile,
  timeouts: namesOf<Timeouts>({
    connectMs: true,
    headersMs: true,
    idleMs: true,
    semanticIdleMs: true,
  }),
  limits: namesOf<ResponseLimits>({
    maxEventBytes: true,
    maxBodyBytes: true,
    maxJsonValues: true,
    maxToolCalls: true,
    maxToolArgumentLength: true,
    maxToolArgumentDepth: true,
  }),
}

/**
 * Checks what a creator was given: JavaScript can pass anything. `own` are the names of settings
 * besides those of {@link CommonConfig}, `fields` the names within some of them.
 * @throws {LlmError} `config` — it is not an object; names the creator and what it was given
 * instead.
 * @throws {TypeError} a setting that nothing reads; says where it is, and what was probably meant.
 */
export function requireConfig(
  config: unknown,
  creator: string,
  own: readonly string[] = [],
  fields: Readonly<Record<string, readonly string[]>> = {},
): void {
  if (!isObject(config)) {
    const kind = config === null ? 'null' : Array.isArray(config) ? 'a list' : typeof config
    throw configError(`${creator}: pass a configuration object, like { model: '...' }, not ${kind}`)
  }
  const nested = { ...commonFields, ...fields }
  checkSettings(creator, config, [...commonNames, ...own], nested)
  for (const [field, names] of Object.entries(nested)) {
    const value = config[field]
    if (isObject(value)) checkSettings(`${creator}: ${field}`, value, names)
  }
}
