export type { ProxyAddress } from './resolve/addresses.js'
export { environmentNames, keyVariables, resolveApiKey } from './resolve/api-key.js'
export type { ConfigIssue } from './config/config-error.js'
export { ConfigFileError } from './config/config-error.js'
export type { ConnectionReport, ConnectionTestOptions } from './connection/connection-test.js'
export type { Factory, FactoryOptions } from './create-factory.js'
export { createFactory } from './create-factory.js'
export type { ConnectionProblem, Diagnosis } from './connection/diagnosis.js'
export { diagnose } from './connection/diagnosis.js'
export type { Environment } from './env.js'
export { processEnvironment, proxyVariables, resolveEnvironment } from './env.js'
export { createFallback } from './fallback/fallback.js'
export type { FallbackOptions, FallbackSwitch } from './fallback/fallback-chain.js'
export { fallbackCodes } from './fallback/fallback-chain.js'
export type { HostEntry, HostPurpose } from './resolve/host-entry.js'
export { hostPort } from './resolve/host-entry.js'
export { apiHost, apiHosts } from './resolve/hosts.js'
export type {
  AzureSettings,
  FallbackSettings,
  ModelConfig,
  ValueSource,
  VertexSettings,
} from './config/model-config.js'
export type { ModelProfile } from '@modelport/core'
export type { ModelEntry, ModelPool } from './config/model-entry.js'
export { parseModel } from './config/model-string.js'
export { poolConfig } from './config/pool-config.js'
export {
  createRegistry,
  listModels,
  newEmbedder,
  newImageGenerator,
  newProvider,
  newReranker,
  newSpeechGenerator,
  newTranscriber,
} from './new-provider.js'
export type { CapabilityTypes } from './providers/make-capability.js'
export { fromOllamaHost, validateOllamaBaseUrl } from './providers/ollama-host.js'
export type { ParseConfigOptions } from './config/parse-options.js'
export { parseConfig } from './config/parse-config.js'
export type { ProviderTable } from './providers/provider-table.js'
export { createProviderTable, findRow, registerProvider } from './providers/provider-table.js'
export type { Registry } from './registry.js'
export type { FactoryContext } from './resolve/resolve.js'
export { resolveModel } from './resolve/resolve.js'
export type { ListedModel, ListModelsOptions, ProviderCreators, ProviderRow, ResolvedModel } from './providers/row.js'
export { providerRows } from './providers/table.js'
export { testConnection } from './connection/test-connection.js'
export { resolveHeaders } from './resolve/headers.js'
export { toFileNames } from './config/file-names.js'
