import {
  type CallOptions,
  configError,
  type JsonObject,
  LlmError,
  type Provider,
} from '@modelport/core'
import { configuredCloud } from '../clouds/clouds.js'
import type { ModelConfig } from '../config/model-config.js'
import { createFallback } from '../fallback/fallback.js'
import { findRow } from '../providers/provider-table.js'
import type { ProviderCreators, ProviderRow, ResolvedModel } from '../providers/row.js'
import { resolveApiKey } from '../resolve/api-key.js'
import { resolveHeaders } from '../resolve/headers.js'
import { keyedModels } from '../resolve/keyed-models.js'
import { type FactoryContext, resolveModel } from '../resolve/resolve.js'

/** Loads the package of a row. */
export type LoadCreators = (row: ProviderRow) => Promise<ProviderCreators>

/**
 * Makes the provider of a configuration, and those it falls back to.
 * @throws {LlmError} `config`, `invalid-base-url` — nothing has been sent.
 */
export async function newProviderWith(
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext = {},
): Promise<Provider> {
  const { models, warning } = keyedModels(config, context)
  const providers = await Promise.all(models.map((one) => makeOne(load, one, context)))
  if (warning !== undefined) context.onWarning?.(warning)
  const [only] = providers
  if (only && providers.length === 1) return only
  const { missingKey: _, ...fallbackOptions } =
    (typeof config === 'string' ? undefined : config.fallbackOptions) ?? {}
  return createFallback(providers, { ...fallbackOptions, onSwitch: context.onSwitch })
}

async function makeOne(
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext,
): Promise<Provider> {
  const model = resolveModel(config, context)
  const settings = toSettings(model, context, await accessTokenOf(load, model, context))
  const creators = await creatorsOf(model.row, load)
  // The one cast: each package declares its own settings, and the row has made exactly those.
  return ofConfig(() => (creators.createProvider as (settings: JsonObject) => Provider)(settings))
}

/**
 * Makes something of a configuration: a setting that the package does not know is a mistake of the
 * configuration, which may be a file.
 */
export function ofConfig<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.includes(': unknown setting "')) throw error
    throw configError(error.message, { cause: error })
  }
}

/**
 * What there is next to providers, by the creator that makes it, and what is said of a provider
 * without it.
 */
const absent = {
  createEmbedder: 'it has no embeddings; choose another provider for the embedding role',
  createBatches: 'modelport has no batches for it; choose another provider',
  createFiles: 'modelport has no files for it; choose anthropic, openai or google',
  listModels: 'it has no list of models',
}

type Kind = keyof typeof absent
type Made<One extends Kind> =
  NonNullable<ProviderCreators[One]> extends (...given: never) => infer Result
    ? Awaited<Result>
    : never

/**
 * Calls a creator of the provider's package with the settings of a configuration; files and lists
 * need no model. Throws like {@link newProviderWith}; `unsupported` if the package has no such
 * creator.
 */
export async function callCreator<One extends Kind>(
  load: LoadCreators,
  kind: One,
  config: ModelConfig | string,
  context: FactoryContext = {},
  ...more: readonly unknown[]
): Promise<Made<One>> {
  const { config: resolved } = resolveModel(config, context)
  const ofAll = kind === 'createFiles' || kind === 'listModels'
  const modelConfig = kind === 'createEmbedder' ? withEmbeddingModel(config, context) : config
  const model = resolveModel(
    ofAll ? { ...resolved, model: resolved.model ?? '-' } : modelConfig,
    context,
  )
  const settings = toSettings(model, context, await accessTokenOf(load, model, context))
  const create = (await creatorsOf(model.row, load))[kind]
  if (!create) throw new LlmError('unsupported', `${model.row.name}: ${absent[kind]}`)
  return ofConfig(() => (create as (...given: readonly unknown[]) => Made<One>)(settings, ...more))
}

/** The configuration with the provider's embedding model, if it names none. */
export function withEmbeddingModel(
  config: ModelConfig | string,
  context: FactoryContext,
): ModelConfig | string {
  const { row, config: resolved } = resolveModel(config, context)
  const named =
    typeof config === 'string'
      ? config.includes(':')
      : config.model !== undefined || config.provider.includes(':')
  return named || row.embeddingModel === undefined
    ? config
    : { ...resolved, model: row.embeddingModel }
}

/** The creators of a row, loaded if need be. */
export function creatorsOf(row: ProviderRow, load: LoadCreators): Promise<ProviderCreators> {
  const { creators } = row
  if (typeof creators === 'function') return creators()
  return creators ? Promise.resolve(creators) : load(row)
}

/**
 * The function that exchanges the credentials of a cloud for access tokens, where another row's
 * package has it. Undefined if nothing has to be exchanged.
 */
async function accessTokenOf(
  load: LoadCreators,
  model: ResolvedModel,
  context: FactoryContext,
): Promise<(() => Promise<string>) | undefined> {
  const { row, config, proxy } = model
  const configured = configuredCloud(row.cloud, config)
  if (row.tokenRow === undefined || !configured) return undefined
  const { name, cloud, settings } = configured
  if (!cloud.needsExchange?.(settings)) return undefined

  const tokenRow = findRow(row.tokenRow, context.table)
  const { createAccessToken } = await creatorsOf(tokenRow, load)
  if (!createAccessToken)
    throw configError(
      `${row.name}: the package of ${tokenRow.name} exchanges no credentials; give ${name}.${cloud.tokenSetting}`,
    )
  const { enforceHosts, fetch } = config
  const connection = { proxy: proxy?.url(), enforceHosts, fetch }
  const tokenSettings = defined({ ...tokenRow.settings?.(model, {}), ...connection })
  return ofConfig(() =>
    (createAccessToken as (settings: JsonObject) => () => Promise<string>)(tokenSettings),
  )
}

/**
 * The settings for a package's creator: always with the address, so that nothing else can choose
 * where requests go.
 */
export function toSettings(
  model: ResolvedModel,
  context: FactoryContext,
  accessToken?: () => Promise<string>,
): JsonObject {
  const { row, config, baseUrl, proxy } = model
  const { enforceHosts, fetch, vendor } = config
  const usual = baseUrl?.source === 'default'
  if (row.retired && usual)
    throw configError(
      `${row.name}: the vendor closed this service on ${row.retired}; choose another provider, or give the baseUrl of another service`,
    )
  if (!config.model)
    throw configError(
      `${row.name}: the model is missing; give model, or write provider as "${row.name}:MODEL"`,
    )
  const cheapestModel = config.cheapestModel ?? (usual ? row.cheapestModel : undefined)
  const apiKey = row.offline ? undefined : resolveApiKey(model, context)
  const defaults = withVendor(config.defaults, vendor)
  const common = {
    model: config.model,
    apiKey,
    baseUrl: baseUrl?.href,
    proxy: proxy?.url(),
    cheapestModel,
    profile: config.profile,
    defaults,
    // A provider that opens no connection takes no settings of connections.
    ...(!row.offline && { headers: resolveHeaders(config, context), enforceHosts, fetch }),
  }
  // Settings come first: nothing in them can replace the address, the transport or the key.
  return defined({
    ...config.settings,
    ...defined(common),
    ...row.settings?.(model, { apiKey, accessToken }),
  })
}

const defined = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))

/**
 * Default options with vendor fields; `'vendor'` stands for no token limit and no temperature.
 * @throws {LlmError} `config` — `'reference'` has no fields.
 */
function withVendor(
  defaults: ModelConfig['defaults'],
  vendor: ModelConfig['vendor'],
): ModelConfig['defaults'] {
  if (!vendor) return defaults
  if (defaults === 'reference')
    throw configError(
      "defaults: 'reference' takes no vendor fields; set defaults to { maxTokens: 4096, temperature: 0.7 }, which is what it stands for",
    )
  const options: CallOptions =
    defaults === 'vendor' ? { maxTokens: null, temperature: null } : (defaults ?? {})
  return { ...options, vendor: { ...options.vendor, ...vendor } }
}
