export type { HostEntry } from './base/host-entry.js'
export { hostPort } from './base/host-entry.js'
export type {
  AwsKeys,
  AzureSettings,
  BedrockSettings,
  ModelConfig,
  VertexSettings,
} from './config/model-config.js'
export type { ModelEntry, ModelPool } from './config/model-entry.js'
export type { ConnectionReport } from './connection/check-connection.js'
export type { LoadCreators } from './create/creation.js'
export type { Factory } from './create-factory.js'
export { createFactory } from './create-factory.js'
export { createFallback } from './fallback/fallback.js'
export type { FallbackOptions, FallbackSwitch } from './fallback/fallback-chain.js'
export { providerRows } from './providers/provider-rows.js'
export type { ProviderCreators, ProviderRow } from './providers/row.js'
export type { Registry } from './registry.js'
export { environmentNames, keyVariables } from './resolve/api-key.js'
export { apiHost, apiHosts } from './resolve/hosts.js'
export type { FactsSource } from './resolve/profile.js'
export type { FactoryContext } from './resolve/resolve.js'
