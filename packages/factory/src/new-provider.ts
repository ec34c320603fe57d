import type { BatchRunner, Embedder, FileStore, Provider, RequestOptions } from '@modelport/core'
import type { ModelConfig } from './config/model-config.js'
import type { ModelPool } from './config/model-entry.js'
import {
  type ConnectionReport,
  checkConnection,
  type TestConnectionOptions,
} from './connection/check-connection.js'
import { callCreator, newProviderWith } from './create/creation.js'
import { loadCreators } from './create/load-creators.js'
import type { ListedModel } from './providers/row.js'
import { Registry, type RegistryOptions } from './registry.js'
import type { FactoryContext } from './resolve/resolve.js'

/**
 * Creates a provider from a configuration or from `provider:model`. Loads the provider's package;
 * opens no connection.
 * @throws {LlmError} `config` — unknown provider, package not installed, no key, no model, no
 * address; `invalid-base-url`.
 * @example
 * ```ts
 * import { newProvider } from '@modelport/factory'
 *
 * const provider = await newProvider({ provider: 'anthropic', model: 'claude-sonnet-5', baseUrl: 'http://localhost:8080', apiKey: 'sk-example-123456' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export const newProvider = (
  config: ModelConfig | string,
  context?: FactoryContext,
): Promise<Provider> => newProviderWith(loadCreators, config, context)

/**
 * Creates an embedder. Throws like {@link newProvider}; `unsupported` if the provider has no
 * embeddings.
 */
export const newEmbedder = (
  config: ModelConfig | string,
  context?: FactoryContext,
): Promise<Embedder> => callCreator(loadCreators, 'createEmbedder', config, context)

/**
 * Makes a batch runner. Throws like {@link newProvider}; `unsupported` where the provider takes no
 * batches.
 */
export const newBatchRunner = (
  config: ModelConfig | string,
  context?: FactoryContext,
): Promise<BatchRunner> => callCreator(loadCreators, 'createBatches', config, context)

/**
 * Makes a file store; needs no model. Throws like {@link newProvider}; `unsupported` where the
 * provider keeps no files.
 */
export const newFileStore = (
  config: ModelConfig | string,
  context?: FactoryContext,
): Promise<FileStore> => callCreator(loadCreators, 'createFiles', config, context)

/**
 * Asks the vendor, or the server, which models it has; `id` is what to give as `model`. Throws like
 * {@link newProvider}; `unsupported` if the vendor has no list.
 */
export const listModels = (
  config: ModelConfig | string,
  context?: FactoryContext,
  options?: Pick<RequestOptions, 'signal' | 'deadlineMs'>,
): Promise<readonly ListedModel[]> =>
  callCreator(loadCreators, 'listModels', config, context, options ?? {})

/**
 * A registry of these models and roles.
 * @throws {LlmError} `config` — a role names a model that does not exist.
 */
export const createRegistry = (pool: ModelPool, options?: RegistryOptions): Registry =>
  new Registry(loadCreators, pool, options)

/**
 * Asks the model for one word: exactly one request, never retried, at most 15 seconds over
 * everything. An empty reply that ran into the token limit counts as success: the model can be
 * reached. Fallbacks are not asked.
 * @throws {LlmError} what is wrong; `diagnose` names it and says what to do.
 * @example
 * ```ts
 * import { testConnection } from '@modelport/factory'
 *
 * const report = await testConnection({ provider: 'ollama', model: 'llama3.2', baseUrl: 'http://localhost:11434' })
 * console.log(report.model, 'replied')
 * ```
 *
 * ```text
 * llama3.2 replied
 * ```
 */
export const testConnection = (
  config: ModelConfig | string,
  apiKey?: string,
  options?: TestConnectionOptions,
): Promise<ConnectionReport> => checkConnection(loadCreators, config, apiKey, options)
