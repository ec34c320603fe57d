import type { Embedder, Provider } from '@modelport/core'
import { askForModels, makeEmbedder, makeProvider } from './providers/make-provider.js'
import type { ModelConfig } from './config/model-config.js'
import type { ModelPool } from './config/model-entry.js'
import { loadCreators } from './providers/providers.js'
import { Registry } from './registry.js'
import type { FactoryContext } from './resolve/resolve.js'
import type { ListedModel, ListModelsOptions } from './providers/row.js'

/**
 * Makes a provider of a configuration, or of `provider:model`. Loads the provider's package; opens no connection.
 * @throws {LlmError} `config` — unknown provider, package not installed, no key, no model, no address; `invalid-base-url`.
 */
export const newProvider = (config: ModelConfig | string, context?: FactoryContext): Promise<Provider> =>
  makeProvider(loadCreators, config, context)

/** Makes an embedder. Throws like {@link newProvider}; `unsupported` where the provider has no embeddings. */
export const newEmbedder = (config: ModelConfig | string, context?: FactoryContext): Promise<Embedder> =>
  makeEmbedder(loadCreators, config, context)

/** Asks the vendor, or the server, which models it has. Throws like {@link newProvider}; `unsupported` where there is no list. */
export const listModels = (
  config: ModelConfig | string,
  context?: FactoryContext,
  options?: ListModelsOptions,
): Promise<readonly ListedModel[]> => askForModels(loadCreators, config, context, options)

/** A registry of these models and roles. @throws {LlmError} `config` — a role names a model that is not there. */
export const createRegistry = (pool: ModelPool, context?: FactoryContext): Registry =>
  new Registry(loadCreators, pool, context)
