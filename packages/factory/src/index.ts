export type { Environment } from './base/env.js'
export { processEnvironment, proxyVariables, resolveEnvironment } from './base/env.js'
export type { HostEntry } from './base/host-entry.js'
export { hostPort } from './base/host-entry.js'
export { installAdvice } from './base/install-advice.js'
export type { AzureSettings } from './clouds/azure.js'
export type { AwsKeys, BedrockSettings } from './clouds/bedrock.js'
export type { CloudQuestion } from './clouds/cloud.js'
export type { CloudFields, CloudName } from './clouds/clouds.js'
export type { VertexSettings } from './clouds/vertex.js'
export type { ModelConfig } from './config/model-config.js'
export type { ModelEntry, ModelPool } from './config/model-entry.js'
export { parseModel } from './config/model-string.js'
export type { ConnectionReport, TestConnectionOptions } from './connection/check-connection.js'
export type { Diagnosis } from './connection/diagnosis.js'
export { diagnose } from './connection/diagnosis.js'
export type { LoadCreators } from './create/creation.js'
export type { Factory } from './create-factory.js'
export { createFactory } from './create-factory.js'
export { createFallback } from './fallback/fallback.js'
export {
  type FallbackOptions,
  type FallbackSwitch,
  fallbackCodes,
} from './fallback/fallback-chain.js'
export { ConfigFileError, type ConfigIssue } from './file/config-error.js'
export { toFileNames } from './file/file-names.js'
export { parseConfig } from './file/parse-config.js'
export type { ParseConfigOptions } from './file/parse-options.js'
export { parseYaml, type YamlSource } from './file/yaml-source.js'
export {
  createRegistry,
  listModels,
  newBatchRunner,
  newEmbedder,
  newFileStore,
  newProvider,
  testConnection,
} from './new-provider.js'
export { providerRows } from './providers/provider-rows.js'
export { createProviderTable, findRow } from './providers/provider-table.js'
export type {
  ListedModel,
  ProviderCreators,
  ProviderRow,
  ResolvedModel,
  RowSecrets,
} from './providers/row.js'
export type { Registry, RegistryOptions } from './registry.js'
export { environmentNames, keyVariables, resolveApiKey } from './resolve/api-key.js'
export { resolveHeaders } from './resolve/headers.js'
export { apiHost, apiHosts } from './resolve/hosts.js'
export type { FactsSource } from './resolve/profile.js'
export type { FactoryContext } from './resolve/resolve.js'
export { resolveModel } from './resolve/resolve.js'
