import { configError } from '@modelport/core'
import { type Environment, lookedUp, lookUp, processEnvironment } from '../base/env.js'
import { type ConfiguredCloud, cloudNames, configuredCloud } from '../clouds/clouds.js'
import type { ModelConfig } from '../config/model-config.js'
import { parseModel } from '../config/model-string.js'
import type { FallbackSwitch } from '../fallback/fallback-chain.js'
import { rowFor } from '../providers/own-row.js'
import { defaultTable, findRow } from '../providers/provider-table.js'
import type { ProviderRow, ResolvedModel } from '../providers/row.js'
import { parseNamed, parseProxy } from './addresses.js'
import { type FactsSource, profileOf } from './profile.js'

/** The context in which a configuration is read. */
export interface FactoryContext {
  /** Default: the environment of this process. */
  readonly environment?: Environment | undefined
  /**
   * A variable that is unset or empty is looked up again with this before its name. Default `''`:
   * each name is looked up once.
   */
  readonly environmentPrefix?: string | undefined
  /**
   * Replaces the windows and prices of the catalog for configurations with `profile: { catalog:
   * true }`: rows by the name of the provider, or a function such as `findPrices` of
   * `@modelport/catalog/prices`.
   */
  readonly models?: FactsSource | undefined
  /**
   * Imports the module of a configuration with `package`, which is code that runs in this process.
   * Default: none, and such a configuration is refused. `importModule` of `@modelport/factory/node`
   * imports any; check the name first.
   */
  readonly importModule?: ((specifier: string) => Promise<unknown>) | undefined
  /** Default: every provider modelport knows. */
  readonly table?: ReadonlyMap<string, ProviderRow> | undefined
  /** Called when a fallback of a configuration goes from one provider to the next. */
  readonly onSwitch?: ((change: FallbackSwitch) => void) | undefined
  /**
   * Called when `missingKey: 'next'` passes over a model: names the variable, and the hosts that do
   * and do not get its prompts.
   */
  readonly onWarning?: ((warning: string) => void) | undefined
}

/**
 * Reads a configuration: finds its row, the address of the API and the proxy. Clients and lists of
 * hosts both use this function, so that they cannot disagree. Loads nothing and contacts nothing.
 * @throws {LlmError} `config`, `invalid-base-url`
 */
export function resolveModel(
  model: ModelConfig | string,
  context: FactoryContext = {},
): ResolvedModel {
  const { table = defaultTable(), environment = processEnvironment } = context
  const parsed = parseModel(model)
  const variables = parsed.useEnvironmentBaseUrls ? environment : undefined
  const named = rowFor(parsed, table, context.importModule)
  const target = named.redirect?.(parsed, variables)
  const row = target === undefined ? named : findRow(target, table)
  const filled = (variables && row.fillIn?.(parsed, variables)) ?? parsed
  refuseOtherClouds(row, filled)
  const config: ModelConfig = {
    ...filled,
    provider: row.name,
    ...(filled.model === undefined && row.model !== undefined && { model: row.model }),
  }
  const baseUrl = resolveBaseUrl(row, config, context)
  const proxy = resolveProxy(row, config, context)
  const profile = profileOf(row, config, baseUrl, context.models)
  return {
    row,
    config: { ...config, ...(profile && { profile }) },
    ...(baseUrl && { baseUrl }),
    ...(proxy && { proxy }),
  }
}

function resolveBaseUrl(
  row: ProviderRow,
  config: ModelConfig,
  context: FactoryContext,
): ResolvedModel['baseUrl'] {
  const { baseUrl: ownBaseUrl, baseUrlEnv } = config
  if (row.offline) {
    if (ownBaseUrl?.trim() || baseUrlEnv)
      throw configError(
        `${row.name}: it opens no connection, so a base URL means nothing; leave it out`,
      )
    return undefined
  }
  const configured = configuredCloud(row.cloud, config)
  const address = addressIn(configured)
  if (ownBaseUrl?.trim() && address)
    throw configError(`${row.name}: give either baseUrl or ${address.setting}, not both`)
  const named = [ownBaseUrl?.trim(), address?.value].find((text) => text)
  if (named) return { ...parseNamed(named, row.name), source: 'config' }
  if (baseUrlEnv) {
    const value = lookUp(baseUrlEnv, context)
    if (value === undefined)
      throw configError(
        `${row.name}: environment variable ${lookedUp(baseUrlEnv, context)} is not set; set it to the base URL`,
      )
    return fromVariable(row, baseUrlEnv, value)
  }
  for (const name of config.useEnvironmentBaseUrls ? (row.baseUrlEnv ?? []) : []) {
    const value = (context.environment ?? processEnvironment)(name)?.trim()
    if (value) return fromVariable(row, name, value)
  }
  if (row.baseUrl === undefined)
    throw configError(
      `${row.name}: baseUrl is missing; give the address of the server, for example http://localhost:8080/v1`,
    )
  if (typeof row.baseUrl === 'string')
    return { ...parseNamed(row.baseUrl, row.name), source: 'default' }
  const isPlaced = configured?.cloud.isPlaced(configured.settings)
  return { ...parseNamed(row.baseUrl(config), row.name), source: isPlaced ? 'config' : 'default' }
}

/** The address that the settings of a cloud are, with the name of the setting. */
function addressIn(
  configured: ConfiguredCloud | undefined,
): { readonly setting: string; readonly value: string } | undefined {
  const { addressSetting } = configured?.cloud ?? {}
  if (!configured || addressSetting === undefined) return undefined
  const value = configured.cloud.address(configured.settings)
  return value === undefined
    ? undefined
    : { setting: `${configured.name}.${addressSetting}`, value }
}

/** @throws {LlmError} `config` — the settings of a cloud that the row is not in. */
function refuseOtherClouds(row: ProviderRow, config: ModelConfig): void {
  const other = cloudNames.find((name) => name !== row.cloud && config[name] !== undefined)
  if (other !== undefined)
    throw configError(
      `${row.name}: ${other} has the settings of another provider; leave it out, or choose a provider of that cloud`,
    )
}

const fromVariable = (
  row: ProviderRow,
  variable: string,
  value: string,
): ResolvedModel['baseUrl'] => ({
  ...parseNamed(
    row.fromEnvironment?.(value) ?? value,
    `${row.name}: environment variable ${variable}`,
  ),
  source: 'env',
  variable,
})

function resolveProxy(
  row: ProviderRow,
  { proxy, proxyEnv }: ModelConfig,
  context: FactoryContext,
): ResolvedModel['proxy'] {
  if (row.offline) return undefined
  if (proxy?.trim()) return { ...parseProxy(proxy, `${row.name}: proxy`), source: 'config' }
  const value = proxyEnv ? lookUp(proxyEnv, context) : undefined
  return value === undefined
    ? undefined
    : { ...parseProxy(value, `${row.name}: environment variable ${proxyEnv ?? ''}`), source: 'env' }
}
