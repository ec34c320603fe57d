import { LlmError } from '@modelport/core'
import { type Environment, lookedUp, lookUp, processEnvironment, withPrefix } from '../base/env.js'
import { clouds, configuredCloud } from '../clouds/clouds.js'
import { fallbackOrder } from '../config/fallback-order.js'
import type { ModelConfig } from '../config/model-config.js'
import type { ProviderRow, ResolvedModel } from '../providers/row.js'
import { type FactoryContext, resolveModel } from './resolve.js'

/**
 * The error for a configuration without a key: the only mistake that `missingKey: 'next'` passes
 * over.
 */
export class MissingKeyError extends LlmError {
  constructor(message: string) {
    super('config', message)
  }
}

/**
 * The key to send to the address of a configuration: `apiKey`, else the value of a variable. A key
 * goes only to the origin (scheme, host, port) it was given for, so a variable counts in three
 * cases: the configuration names it as `apiKeyEnv`; it belongs to the vendor and so does the
 * address; it belongs to the vendor and its companion variable, such as `OLLAMA_HOST`, names the
 * same origin. With `apiKeyEnv` no other variable is read. Returns undefined if no key is to be
 * sent.
 * @throws {MissingKeyError} the provider needs a key and there is none. The message names
 * variables, never a value.
 */
export function resolveApiKey(
  model: ResolvedModel,
  context: FactoryContext = {},
): string | undefined {
  const { row, config } = model
  const ownKey = config.apiKey?.trim()
  if (ownKey) return ownKey
  for (const name of keyVariables(model, context)) {
    const value = lookUp(name, context)
    if (value !== undefined) return value
  }
  if (!row.needsKey || hasCredentials(model)) return undefined
  if (!keyVariables(model, context).length) {
    // At another address than the vendor's own the server may need no key.
    if (!row.needsKeyAnywhere) return undefined
    throw new MissingKeyError(`${row.name}: no key for this address; ${howToName(row)}`)
  }
  const list = config.apiKeyEnv ? [config.apiKeyEnv] : row.keyEnv
  const [first = ''] = list
  const { environmentPrefix: prefix = '' } = context
  const what =
    list.length === 1
      ? `environment variable ${lookedUp(first, context)} is not set`
      : `environment variables ${list.join(', ')}${prefix && ` (or these with ${prefix} before)`} are not set`
  throw new MissingKeyError(
    `${row.name}: ${what}${row.keyUrl ? `; get a key at ${row.keyUrl}` : ''}`,
  )
}

/** True if the settings of a cloud prove who calls, in place of a key. */
function hasCredentials({ row, config }: ResolvedModel): boolean {
  const configured = configuredCloud(row.cloud, config)
  return !!configured?.cloud.hasCredentials(configured.settings)
}

function howToName({ cloud, keyEnv, baseUrlEnv = [] }: ProviderRow): string {
  const own = 'name its variable as apiKeyEnv (in a file: api_key_env)'
  if (cloud && !keyEnv.length) return `${own}, or give ${cloud}.${clouds[cloud].tokenSetting}`
  if (!baseUrlEnv.length) return own
  return `${own}, or set ${baseUrlEnv.join(' or ')} to this address so that ${keyEnv.join(' or ')} counts`
}

/**
 * The variables that may hold the key of a configuration, in order; each may also be set with the
 * prefix of the context before its name. Empty if no variable may: a vendor's variable does not
 * count at an address that it was not given for, nor next to credentials of a cloud.
 */
export function keyVariables(
  model: ResolvedModel,
  { environment = processEnvironment }: FactoryContext = {},
): string[] {
  const { row, config } = model
  if (config.apiKeyEnv) return [config.apiKeyEnv]
  return !hasCredentials(model) && isGivenTo(model, environment) ? [...row.keyEnv] : []
}

/**
 * Every variable that providers of these configurations read, with and without the prefix, in
 * order: what `--allow-env` of a sandbox needs.
 */
export function environmentNames(
  configs: readonly (ModelConfig | string)[],
  context?: FactoryContext,
): string[] {
  const names = configs.flatMap(fallbackOrder).flatMap((one) => {
    const model = resolveModel(one, context)
    const { row, config } = model
    const headers = Object.values(config.headers ?? {}).map((value) =>
      typeof value === 'string' ? undefined : value.env,
    )
    const doubled = [
      ...keyVariables(model, context),
      config.baseUrlEnv,
      config.proxyEnv,
      ...headers,
    ]
    const decidesOnKey =
      row.keyEnv.length > 0 && !config.apiKey && !config.apiKeyEnv && !isOwnOrigin(model)
    const plain = config.useEnvironmentBaseUrls || decidesOnKey ? (row.baseUrlEnv ?? []) : []
    return [
      ...doubled
        .filter((name) => name !== undefined)
        .flatMap((name) => withPrefix(name, context?.environmentPrefix)),
      ...plain,
    ]
  })
  return [...new Set(names)]
}

/** True if the vendor's variables were given for the address of this configuration. */
const isGivenTo = (model: ResolvedModel, environment: Environment): boolean =>
  isOwnOrigin(model) || isCompanionOrigin(model, environment)

/**
 * True at the vendor's own origins. A server of the user's without a companion variable has none:
 * its port may be anybody's.
 */
function isOwnOrigin({ row, config, baseUrl }: ResolvedModel): boolean {
  const { keyOrigins = [] } = row
  if (!baseUrl || (row.selfHosted && !row.baseUrlEnv)) return false
  const listed =
    typeof row.baseUrl === 'string' && typeof keyOrigins !== 'function'
      ? [row.baseUrl, ...keyOrigins]
      : []
  const own = typeof keyOrigins === 'function' ? keyOrigins(config) : listed
  return own.some((address) => new URL(address).origin === new URL(baseUrl.href).origin)
}

/** True if a variable that goes with the key, such as `OPENAI_BASE_URL`, names the origin. */
function isCompanionOrigin({ row, baseUrl }: ResolvedModel, environment: Environment): boolean {
  if (!baseUrl) return false
  if (baseUrl.variable !== undefined && row.baseUrlEnv?.includes(baseUrl.variable)) return true
  const { origin } = new URL(baseUrl.href)
  return (row.baseUrlEnv ?? []).some((name) => {
    const value = environment(name)?.trim()
    const address = value && (row.fromEnvironment?.(value) ?? value)
    return address ? URL.canParse(address) && new URL(address).origin === origin : false
  })
}
