import {
  anthropic,
  azureOpenai,
  bedrock,
  type ChatVendor,
  chatVendors,
  google,
  llamacpp,
  ollama,
  openai,
  type Vendor,
  vertex,
} from '@modelport/catalog'
import { configError } from '@modelport/core'
import type { Environment } from '../base/env.js'
import type { ModelConfig } from '../config/model-config.js'
import {
  bedrockBaseUrl,
  bedrockHosts,
  bedrockOrigins,
  bedrockSettings,
  mantleUrl,
} from './bedrock-hosts.js'
import {
  azureBaseUrl,
  azureHosts,
  vertexBaseUrl,
  vertexHosts,
  vertexSettings,
} from './cloud-hosts.js'
import { fromOllamaHost } from './ollama-host.js'
import type { ProviderRow } from './row.js'

/** The package of every vendor that speaks Chat Completions and needs no SDK. */
const compatiblePackage = '@modelport/provider-openai-compatible'

type RowFacts = Omit<ProviderRow, 'package' | 'settings'>

/** What a row takes of a vendor under the same name. */
const facts = [
  ...([
    'name',
    'aliases',
    'baseUrl',
    'keyOrigins',
    'needsKey',
    'selfHosted',
    'keyUrl',
    'retired',
  ] as const),
  ...(['model', 'cheapestModel', 'embeddingModel', 'fewestTokens'] as const),
]

/** The facts of a vendor of the catalog, under the names of a row. */
function rowOf(vendor: Vendor): RowFacts {
  const same = Object.fromEntries(
    facts.flatMap((name) => (vendor[name] === undefined ? [] : [[name, vendor[name]]])),
  )
  const { keyVariables, baseUrlVariables } = vendor
  return {
    ...(same as Pick<Vendor, (typeof facts)[number]>),
    keyEnv: keyVariables,
    ...(baseUrlVariables && { baseUrlEnv: baseUrlVariables }),
  }
}

const compatibleRow = (vendor: ChatVendor): ProviderRow => ({
  ...rowOf(vendor),
  package: compatiblePackage,
  settings: () => ({ preset: vendor.name }),
})

const truthy = (value: string | undefined): boolean => /^(1|true|yes)$/i.test(value ?? '')

const wantsVertex = (
  config: ModelConfig,
  environment: Environment | undefined,
): string | undefined =>
  config.vertex || truthy(environment?.('GOOGLE_GENAI_USE_VERTEXAI')) ? 'vertex' : undefined

/** Location and project as Google's own SDK takes them. */
const fillInVertex = (config: ModelConfig, environment: Environment): ModelConfig => {
  const location = config.vertex?.location ?? environment('GOOGLE_CLOUD_LOCATION')
  const project = config.vertex?.project ?? environment('GOOGLE_CLOUD_PROJECT')
  return {
    ...config,
    vertex: { ...config.vertex, ...(location && { location }), ...(project && { project }) },
  }
}

/** The region as AWS's own SDK takes it. */
const fillInRegion = (config: ModelConfig, environment: Environment): ModelConfig => {
  const region =
    config.bedrock?.region ?? environment('AWS_REGION') ?? environment('AWS_DEFAULT_REGION')
  return { ...config, bedrock: { ...config.bedrock, ...(region && { region }) } }
}

/** What differs by the cloud that serves Claude. */
interface CloudRow extends Partial<ProviderRow> {
  /** Credentials that are not taken there, if the configuration has some. */
  readonly other: (config: ModelConfig) => unknown
  /** What to give in their place. Default: a key. */
  readonly wanted?: string
}

/** Claude by the Messages API of a cloud. */
const inCloud = (
  cloud: string,
  { other, wanted = 'a key', settings, ...row }: CloudRow,
): ProviderRow => ({
  name: `anthropic-${cloud}`,
  package: '@modelport/provider-anthropic',
  keyEnv: bedrock.keyVariables,
  needsKey: true,
  needsKeyAnywhere: true,
  ...row,
  settings: (model, key) => {
    if (other(model.config))
      throw configError(`anthropic-${cloud}: give ${wanted}; other credentials are not taken`)
    return settings?.(model, key) ?? { cloud }
  },
})

/**
 * Every provider modelport knows: the vendors of the catalog, with what the configuration changes
 * of each. Asking loads no provider package.
 */
export const providerRows: readonly ProviderRow[] = [
  { ...rowOf(anthropic), package: '@modelport/provider-anthropic' },
  {
    ...rowOf(openai),
    package: '@modelport/provider-openai',
    redirect: ({ azure }) => (azure ? 'azure-openai' : undefined),
  },
  {
    ...rowOf(azureOpenai),
    package: '@modelport/provider-openai',
    needsKeyAnywhere: true,
    baseUrl: azureBaseUrl('azure-openai', 'https://RESOURCE.openai.azure.com'),
    furtherHosts: azureHosts,
    settings: ({ config, baseUrl }) => {
      const { endpoint: _, ...azure } = config.azure ?? {}
      return { baseUrl: undefined, azure: { ...azure, endpoint: baseUrl?.href } }
    },
  },
  {
    ...rowOf(google),
    package: '@modelport/provider-google',
    needsKeyAnywhere: true,
    redirect: wantsVertex,
  },
  {
    ...rowOf(vertex),
    package: '@modelport/provider-google',
    baseUrl: vertexBaseUrl,
    fillIn: fillInVertex,
    furtherHosts: vertexHosts,
    settings: (model) => ({ vertex: vertexSettings(model) }),
  },
  {
    ...rowOf(bedrock),
    package: '@modelport/provider-bedrock',
    baseUrl: bedrockBaseUrl,
    keyOrigins: bedrockOrigins,
    fillIn: fillInRegion,
    furtherHosts: bedrockHosts,
    settings: bedrockSettings,
  },
  inCloud('foundry', {
    other: ({ azure }) => azure?.azureADTokenProvider,
    keyEnv: ['ANTHROPIC_FOUNDRY_API_KEY'],
    baseUrl: azureBaseUrl('anthropic-foundry', 'https://RESOURCE.services.ai.azure.com/anthropic'),
    baseUrlEnv: ['ANTHROPIC_FOUNDRY_BASE_URL'],
  }),
  inCloud('bedrock', {
    other: (config) => config.bedrock?.credentials,
    baseUrl: (config) => mantleUrl(bedrockBaseUrl(config)),
    baseUrlEnv: ['ANTHROPIC_BEDROCK_MANTLE_BASE_URL'],
    keyOrigins: (config) => bedrockOrigins(config).flatMap((url) => [url, mantleUrl(url)]),
    fillIn: fillInRegion,
  }),
  inCloud('vertex', {
    other: ({ vertex }) => vertex?.credentials ?? vertex?.applicationDefault,
    wanted: 'vertex.accessToken',
    settings: ({ config: { vertex } }, authToken) => {
      const { project, location, accessToken } = vertex ?? {}
      return { vertex: { project, location, accessToken }, apiKey: undefined, authToken }
    },
    keyEnv: [],
    baseUrl: vertexBaseUrl,
    baseUrlEnv: ['ANTHROPIC_VERTEX_BASE_URL'],
    fillIn: fillInVertex,
  }),
  { ...rowOf(ollama), package: '@modelport/provider-ollama', fromEnvironment: fromOllamaHost },
  ...Object.values(chatVendors).map(compatibleRow),
  {
    ...rowOf(llamacpp),
    package: '@modelport/provider-llamacpp',
    offline: true,
    // The model is a file, unless the settings name one: then it is the name of that.
    settings: ({ config }) =>
      config.settings?.['modelPath'] === undefined
        ? { modelPath: config.model, model: undefined }
        : {},
  },
  {
    name: 'mock',
    package: '@modelport/provider-mock',
    offline: true,
    keyEnv: [],
    needsKey: false,
    model: 'mock',
  },
]
