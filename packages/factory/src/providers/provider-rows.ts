import {
  anthropic,
  type ChatVendor,
  chatVendors,
  google,
  llamacpp,
  ollama,
  openai,
  vendors,
} from '@modelport/catalog'
import type { Environment } from '../base/env.js'
import type { ModelConfig } from '../config/model-config.js'
import { cloudRows } from './cloud-rows.js'
import { fromOllamaHost } from './ollama-host.js'
import type { ProviderRow } from './row.js'
import { rowOf } from './vendor-row.js'

const compatibleRow = (vendor: ChatVendor): ProviderRow => ({
  ...rowOf(vendor),
  package: '@modelport/provider-openai-compatible',
  settings: () => ({ preset: vendor.name }),
})

const truthy = (value: string | undefined): boolean => /^(1|true|yes)$/i.test(value ?? '')

const wantsVertex = (
  config: ModelConfig,
  environment: Environment | undefined,
): string | undefined =>
  config.vertex || truthy(environment?.('GOOGLE_GENAI_USE_VERTEXAI')) ? 'vertex' : undefined

/** The vendors of whom a configuration changes something, and those of Chat Completions. */
const knownRows: readonly ProviderRow[] = [
  rowOf(anthropic),
  { ...rowOf(openai), redirect: ({ azure }) => (azure ? 'azure-openai' : undefined) },
  { ...rowOf(google), needsKeyAnywhere: true, redirect: wantsVertex },
  ...cloudRows,
  { ...rowOf(ollama), fromEnvironment: fromOllamaHost },
  ...Object.values(chatVendors).map(compatibleRow),
  {
    ...rowOf(llamacpp),
    offline: true,
    // The model is a file, unless the settings name one: then it is the name of that.
    settings: ({ config }) =>
      config.settings?.['modelPath'] === undefined
        ? { modelPath: config.model, model: undefined }
        : {},
  },
]

/**
 * Every provider modelport knows: the vendors of the catalog, with what the configuration changes
 * of each. Asking loads no provider package.
 */
export const providerRows: readonly ProviderRow[] = [
  ...knownRows,
  ...vendors.filter((vendor) => !knownRows.some(({ name }) => name === vendor.name)).map(rowOf),
  {
    name: 'mock',
    package: '@modelport/provider-mock',
    offline: true,
    keyEnv: [],
    needsKey: false,
    model: 'mock',
  },
]
