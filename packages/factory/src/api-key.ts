import { LlmError } from '@modelport/core'
import { processEnvironment, resolveEnvironment } from './env.js'
import { fallbackOrder } from './fallback-order.js'
import type { ModelConfig } from './model-config.js'
import { type FactoryContext, resolveModel } from './resolve.js'
import type { ResolvedModel } from './row.js'

/**
 * The key of a configuration: its own, else of the variable it names (and that with `OP_` before), else of the vendor's variables
 * in order. The vendor's variables are read only where the API is the vendor's own, or at an address the vendor's variables give:
 * a key is not sent to a host it was not made for. A server that may do without a key, such as Ollama's, gets none where the named
 * variable is not set: `modelport doctor` says so.
 * @throws {LlmError} `config` — a key is needed and there is none; the names of the variables are given, never a value.
 */
export function resolveApiKey(
  model: ResolvedModel,
  { environment = processEnvironment }: FactoryContext = {},
): string | undefined {
  const { row, config } = model
  const given = config.apiKey?.trim()
  if (given) return given
  const names = keyVariables(model)
  for (const name of names) {
    const value = resolveEnvironment(name, environment)
    if (value !== undefined) return value
  }
  if (!row.needsKey || config.azure?.azureADTokenProvider || !(config.apiKeyEnv || isOwnHost(model))) return undefined
  const list = names.length ? names : row.keyEnv
  const [first = ''] = list
  const what =
    list.length === 1
      ? `environment variable ${first} (or OP_${first}) is not set`
      : `environment variables ${list.join(', ')} (or these with OP_ before) are not set`
  throw new LlmError('config', `${row.name}: ${what}${row.keyUrl ? `; keys: ${row.keyUrl}` : ''}`)
}

/** The variables a key is looked for in, in order; for `--allow-env` of a sandbox, add each with `OP_` before. */
export function keyVariables(model: ResolvedModel): string[] {
  const { row, config } = model
  const vendors = row.selfHosted || isOwnHost(model) ? row.keyEnv : []
  return [...new Set([...(config.apiKeyEnv ? [config.apiKeyEnv] : []), ...vendors])]
}

/** Every variable a program with these configurations may read, `OP_` forms included, in order. */
export function environmentNames(configs: readonly (ModelConfig | string)[], context?: FactoryContext): string[] {
  const names = configs.flatMap(fallbackOrder).flatMap((one) => {
    const model = resolveModel(one, context)
    const { row, config } = model
    const doubled = [...keyVariables(model), config.baseUrlEnv, config.proxyEnv].filter((name) => name !== undefined)
    const plain = config.useEnvironmentBaseUrls ? (row.baseUrlEnv ?? []) : []
    return [...doubled.flatMap((name) => [name, `OP_${name}`]), ...plain]
  })
  return [...new Set(names)]
}

/** True where the API is the vendor's own, a regional host of its included, or where its variables say it is. */
function isOwnHost({ row, baseUrl }: ResolvedModel): boolean {
  if (!baseUrl || baseUrl.source === 'default' || typeof row.baseUrl === 'function') return true
  if (baseUrl.variable !== undefined && row.baseUrlEnv?.includes(baseUrl.variable)) return true
  if (row.baseUrl === undefined) return false
  const { hostname } = new URL(row.baseUrl)
  const contacted = new URL(baseUrl.href)
  return (
    contacted.protocol === 'https:' && (contacted.hostname === hostname || contacted.hostname.endsWith(`.${hostname}`))
  )
}
