import {
  type BatchRunner,
  type CallOptions,
  configError,
  type Embedder,
  type EmbedOptions,
  type JsonObject,
  LlmError,
  type Provider,
} from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import { createFallback } from '../fallback/fallback.js'
import type { ListedModel, ProviderCreators, ProviderRow, ResolvedModel } from '../providers/row.js'
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
  const { missingKey: _, ...fallbackOptions } = (typeof config === 'string' ? undefined : config.fallbackOptions) ?? {}
  return createFallback(providers, { ...fallbackOptions, onSwitch: context.onSwitch })
}

async function makeOne(load: LoadCreators, config: ModelConfig | string, context: FactoryContext): Promise<Provider> {
  const model = resolveModel(config, context)
  const settings = toSettings(model, context)
  const creators = await creatorsOf(model.row, load)
  // The one cast: each package declares its own settings, and the row has made exactly those.
  return ofConfig(() => (creators.createProvider as (settings: JsonObject) => Provider)(settings))
}

/** Makes something of a configuration: a setting that the package does not know is a mistake of the configuration, which may be a file. */
export function ofConfig<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.includes(': unknown setting "')) throw error
    throw configError(error.message, { cause: error })
  }
}

/** Makes the embedder of a configuration. Throws like {@link newProviderWith}; `unsupported` if the provider has no embeddings. */
export async function newEmbedderWith(
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext = {},
): Promise<Embedder> {
  const model = resolveModel(withEmbeddingModel(config, context), context)
  const settings = toSettings(model, context)
  const { createEmbedder } = await creatorsOf(model.row, load)
  if (!createEmbedder)
    throw new LlmError(
      'unsupported',
      `${model.row.name}: it has no embeddings; choose another provider for the embedding role`,
    )
  return ofConfig(() => (createEmbedder as (settings: JsonObject) => Embedder)(settings))
}

/** Makes the batch runner of a configuration. Throws like {@link newProviderWith}; `unsupported` if the provider takes no batches. */
export async function newBatchRunnerWith(
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext = {},
): Promise<BatchRunner> {
  const model = resolveModel(config, context)
  const settings = toSettings(model, context)
  const { createBatches } = await creatorsOf(model.row, load)
  if (!createBatches)
    throw new LlmError('unsupported', `${model.row.name}: modelport has no batches for it; choose another provider`)
  return ofConfig(() => (createBatches as (settings: JsonObject) => BatchRunner)(settings))
}

/** Asks which models there are. Throws like {@link newProviderWith}; `unsupported` if there is no list. */
export async function listModelsWith(
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext = {},
  options: Pick<EmbedOptions, 'signal' | 'deadlineMs'> = {},
): Promise<readonly ListedModel[]> {
  const { config: resolved } = resolveModel(config, context)
  // The list is of all models, so none needs to be named.
  const model = resolveModel({ ...resolved, model: resolved.model ?? '-' }, context)
  const settings = toSettings(model, context)
  const { listModels } = await creatorsOf(model.row, load)
  if (!listModels) throw new LlmError('unsupported', `${model.row.name}: it has no list of models`)
  type List = (settings: JsonObject, options: EmbedOptions) => Promise<readonly ListedModel[]>
  return (listModels as List)(settings, options)
}

/** The configuration with the provider's embedding model, if it names none. */
export function withEmbeddingModel(config: ModelConfig | string, context: FactoryContext): ModelConfig | string {
  const { row, config: resolved } = resolveModel(config, context)
  const named =
    typeof config === 'string' ? config.includes(':') : config.model !== undefined || config.provider.includes(':')
  return named || row.embeddingModel === undefined ? config : { ...resolved, model: row.embeddingModel }
}

/** The creators of a row, loaded if need be. */
export function creatorsOf(row: ProviderRow, load: LoadCreators): Promise<ProviderCreators> {
  const { creators } = row
  if (typeof creators === 'function') return creators()
  return creators ? Promise.resolve(creators) : load(row)
}

/** The settings for a package's creator: always with the address, so that nothing else can choose where requests go. */
export function toSettings(model: ResolvedModel, context: FactoryContext): JsonObject {
  const { row, config, baseUrl, proxy } = model
  const { enforceHosts, fetch, vendor } = config
  const usual = baseUrl?.source === 'default'
  if (row.retired && usual)
    throw configError(
      `${row.name}: the vendor closed this service on ${row.retired}; choose another provider, or give the baseUrl of another service`,
    )
  if (!config.model)
    throw configError(`${row.name}: the model is missing; give model, or write provider as "${row.name}:MODEL"`)
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
  return defined({ ...config.settings, ...defined(common), ...row.settings?.(model) })
}

const defined = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))

/** Default options with vendor fields; `'vendor'` stands for no token limit and no temperature. */
function withVendor(defaults: ModelConfig['defaults'], vendor: ModelConfig['vendor']): ModelConfig['defaults'] {
  if (!vendor) return defaults
  const options: CallOptions = defaults === 'vendor' ? { maxTokens: null, temperature: null } : (defaults ?? {})
  return { ...options, vendor: { ...options.vendor, ...vendor } }
}
