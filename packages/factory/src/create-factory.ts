import { type Embedder, LlmError, type Provider } from '@modelport/core'
import { checkConnection, type ConnectionReport, type ConnectionTestOptions } from './connection/connection-test.js'
import type { HostEntry } from './resolve/host-entry.js'
import { apiHost, apiHosts } from './resolve/hosts.js'
import { type LoadCreators, makeEmbedder, makeProvider } from './providers/make-provider.js'
import { type CapabilityTypes, makeCapability } from './providers/make-capability.js'
import type { ModelConfig } from './config/model-config.js'
import type { ModelPool } from './config/model-entry.js'
import { createProviderTable } from './providers/provider-table.js'
import { Registry } from './registry.js'
import type { FactoryContext } from './resolve/resolve.js'
import type { ProviderRow } from './providers/row.js'

/** The factory's functions over one set of providers. */
export interface Factory {
  /** As {@link newProvider}, of these rows. */
  newProvider(config: ModelConfig | string): Promise<Provider>
  /** As {@link newEmbedder}, of these rows. */
  newEmbedder(config: ModelConfig | string): Promise<Embedder>
  /** Makes an image generator, a speech generator, a transcriber or a reranker. Throws like {@link newProvider}; `unsupported` where the provider has none. */
  newCapability<Kind extends keyof CapabilityTypes>(
    kind: Kind,
    config: ModelConfig | string,
  ): Promise<CapabilityTypes[Kind]>
  /** As {@link apiHost}, of these rows. */
  apiHost(config: ModelConfig | string): string
  /** As {@link apiHosts}, of these rows. */
  apiHosts(configs: ModelConfig | string | readonly (ModelConfig | string)[]): HostEntry[]
  /** As {@link createRegistry}, of these rows. */
  createRegistry(pool: ModelPool): Registry
  /** As {@link testConnection}, of these rows. */
  testConnection(
    config: ModelConfig | string,
    apiKey?: string,
    options?: ConnectionTestOptions,
  ): Promise<ConnectionReport>
}

/** What {@link createFactory} takes. */
export interface FactoryOptions extends Pick<FactoryContext, 'environment'> {
  /** Providers, each with its `creators`: what was imported, and nothing else, ends up in a bundle. */
  readonly rows: readonly ProviderRow[]
}

/**
 * A factory of already imported providers: for bundlers, and for platforms without a dynamic import.
 * @throws {LlmError} `config` — a name that no provider can have.
 */
export function createFactory({ rows, environment }: FactoryOptions): Factory {
  const context: FactoryContext = { table: createProviderTable(rows), ...(environment && { environment }) }
  return {
    newProvider: (config) => makeProvider(nothingToLoad, config, context),
    newEmbedder: (config) => makeEmbedder(nothingToLoad, config, context),
    newCapability: (kind, config) => makeCapability(kind, nothingToLoad, config, context),
    apiHost: (config) => apiHost(config, context),
    apiHosts: (configs) => apiHosts(configs, context),
    createRegistry: (pool) => new Registry(nothingToLoad, pool, context),
    testConnection: (config, apiKey, options) =>
      checkConnection(nothingToLoad, config, apiKey, { ...options, context }),
  }
}

const nothingToLoad: LoadCreators = ({ name }) =>
  Promise.reject(
    new LlmError(
      'config',
      `${name}: its row has no creators; give createFactory the row with what you imported: { ...row, creators: { createProvider } }`,
    ),
  )
