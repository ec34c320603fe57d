import type { Embedder, ImageGenerator, Provider, Reranker, SpeechGenerator, Transcriber } from '@modelport/core'
import { makeCapability } from './providers/make-capability.js'
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

/** Makes an image generator. Throws like {@link newProvider}; `unsupported` where the provider makes no images. */
export const newImageGenerator = (config: ModelConfig | string, context?: FactoryContext): Promise<ImageGenerator> =>
  makeCapability('images', loadCreators, config, context)

/** Makes a speech generator. Throws like {@link newProvider}; `unsupported` where the provider makes no speech. */
export const newSpeechGenerator = (config: ModelConfig | string, context?: FactoryContext): Promise<SpeechGenerator> =>
  makeCapability('speech', loadCreators, config, context)

/** Makes a transcriber. Throws like {@link newProvider}; `unsupported` where the provider transcribes nothing. */
export const newTranscriber = (config: ModelConfig | string, context?: FactoryContext): Promise<Transcriber> =>
  makeCapability('transcription', loadCreators, config, context)

/** Makes a reranker. Throws like {@link newProvider}; `unsupported` where the provider ranks nothing. */
export const newReranker = (config: ModelConfig | string, context?: FactoryContext): Promise<Reranker> =>
  makeCapability('reranking', loadCreators, config, context)

/** Asks the vendor, or the server, which models it has. Throws like {@link newProvider}; `unsupported` where there is no list. */
export const listModels = (
  config: ModelConfig | string,
  context?: FactoryContext,
  options?: ListModelsOptions,
): Promise<readonly ListedModel[]> => askForModels(loadCreators, config, context, options)

/** A registry of these models and roles. @throws {LlmError} `config` — a role names a model that is not there. */
export const createRegistry = (pool: ModelPool, context?: FactoryContext): Registry =>
  new Registry(loadCreators, pool, context)
