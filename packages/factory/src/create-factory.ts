import {
  type BatchRunner,
  configError,
  type Embedder,
  type FileStore,
  type Provider,
} from '@modelport/core'
import type { HostEntry } from './base/host-entry.js'
import type { ModelConfig } from './config/model-config.js'
import type { ModelPool } from './config/model-entry.js'
import {
  type ConnectionReport,
  checkConnection,
  type TestConnectionOptions,
} from './connection/check-connection.js'
import { callCreator, type LoadCreators, newProviderWith } from './create/creation.js'
import { createProviderTable } from './providers/provider-table.js'
import type { ProviderRow } from './providers/row.js'
import { Registry, type RegistryOptions } from './registry.js'
import { apiHost, apiHosts } from './resolve/hosts.js'
import type { FactoryContext } from './resolve/resolve.js'

/** The factory's functions over one set of providers. */
export interface Factory {
  /** As {@link newProvider}, of these rows. */
  newProvider(config: ModelConfig | string): Promise<Provider>
  /** As {@link newEmbedder}, of these rows. */
  newEmbedder(config: ModelConfig | string): Promise<Embedder>
  /** As {@link newBatchRunner}, of these rows. */
  newBatchRunner(config: ModelConfig | string): Promise<BatchRunner>
  /** As {@link newFileStore}, of these rows. */
  newFileStore(config: ModelConfig | string): Promise<FileStore>
  /** As {@link apiHost}, of these rows. */
  apiHost(config: ModelConfig | string): string
  /** As {@link apiHosts}, of these rows. */
  apiHosts(configs: ModelConfig | string | readonly (ModelConfig | string)[]): HostEntry[]
  /** As {@link createRegistry}, of these rows. */
  createRegistry(pool: ModelPool, options?: Pick<RegistryOptions, 'fallbackRoles'>): Registry
  /** As {@link testConnection}, of these rows. */
  testConnection(
    config: ModelConfig | string,
    apiKey?: string,
    options?: TestConnectionOptions,
  ): Promise<ConnectionReport>
}

/**
 * A factory of already imported providers: for bundlers, and for platforms without a dynamic
 * import. Each row needs its `creators`; a bundle has what was imported for them and nothing else.
 * @throws {LlmError} `config` — a name that no provider can have.
 */
export function createFactory({
  rows,
  ...options
}: { readonly rows: readonly ProviderRow[] } & Omit<FactoryContext, 'table'>): Factory {
  const context: FactoryContext = { ...options, table: createProviderTable(rows) }
  return {
    newProvider: (config) => newProviderWith(nothingToLoad, config, context),
    newEmbedder: (config) => callCreator(nothingToLoad, 'createEmbedder', config, context),
    newBatchRunner: (config) => callCreator(nothingToLoad, 'createBatches', config, context),
    newFileStore: (config) => callCreator(nothingToLoad, 'createFiles', config, context),
    apiHost: (config) => apiHost(config, context),
    apiHosts: (configs) => apiHosts(configs, context),
    createRegistry: (pool, registry) =>
      new Registry(nothingToLoad, pool, { ...context, ...registry }),
    testConnection: (config, apiKey, options) =>
      checkConnection(nothingToLoad, config, apiKey, { ...options, context }),
  }
}

const nothingToLoad: LoadCreators = ({ name }) =>
  Promise.reject(
    configError(
      `${name}: its row has no creators; give createFactory the row with what you imported: { ...row, creators: { createProvider } }`,
    ),
  )
