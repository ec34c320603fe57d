import { azureOpenai, bedrock, vertex } from '@modelport/catalog'
import { configError } from '@modelport/core'
import { type CloudName, clouds } from '../clouds/clouds.js'
import type { VertexSettings } from '../clouds/vertex.js'
import type { ModelConfig } from '../config/model-config.js'
import { refuseElsewhere } from './own-credentials.js'
import type { ProviderRow, ResolvedModel } from './row.js'
import { rowOf } from './vendor-row.js'

/**
 * A row of a cloud. `example` is an address that the error names if the settings of the cloud have
 * none.
 */
interface CloudRow extends ProviderRow {
  readonly cloud: CloudName
  readonly example?: string
}

/** Fills from the cloud what its row does not set. */
function inCloud({ example, ...row }: CloudRow): ProviderRow {
  const { cloud: field } = row
  const cloud = clouds[field]
  const settingsOf = (config: ModelConfig): object => config[field] ?? {}
  return {
    baseUrl: (config) => {
      const address = cloud.address(settingsOf(config))
      if (address !== undefined) return address
      throw configError(
        `${row.name}: the address of the resource is missing; give baseUrl: ${example ?? ''}`,
      )
    },
    ...(cloud.question && { question: cloud.question }),
    ...(cloud.keyOrigins && {
      keyOrigins: (config) => cloud.keyOrigins?.(settingsOf(config), config) ?? [],
    }),
    fillIn: (config, environment) => ({
      ...config,
      ...(cloud.fillIn && { [field]: cloud.fillIn(settingsOf(config), environment) }),
    }),
    furtherHosts: (config, environment) => cloud.hosts(settingsOf(config), config, environment),
    ...row,
  }
}

const claude = {
  package: '@modelport/provider-anthropic',
  needsKey: true,
  needsKeyAnywhere: true,
} as const

/**
 * Turns an address of Bedrock into that of Claude's Messages API in the same region.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (read
 * 2026-11-27)
 */
const mantleUrl = (url: string): string =>
  url.replace('bedrock-runtime', 'bedrock-mantle').replace('amazonaws.com', 'api.aws/anthropic')

/**
 * The Vertex settings of a configuration.
 * @throws {LlmError} `config` — default credentials would go to another host than Google's.
 */
export function vertexSettings(model: ResolvedModel): VertexSettings {
  const { vertex: settings = {} } = model.config
  const { applicationDefault, accessToken, credentials } = settings
  if (applicationDefault && !accessToken && !credentials)
    refuseElsewhere(model, {
      what: "vertex: applicationDefault sends this computer's own credentials",
      domains: ['googleapis.com'],
      instead: 'vertex.accessToken or vertex.credentials',
    })
  return settings
}

/** The providers in clouds: one for each vendor in each cloud that has its models. */
export const cloudRows: readonly ProviderRow[] = [
  inCloud({
    ...rowOf(azureOpenai),
    cloud: 'azure',
    example: 'https://RESOURCE.openai.azure.com',
    needsKeyAnywhere: true,
    settings: ({ config, baseUrl }) => ({
      baseUrl: undefined,
      azure: { ...config.azure, endpoint: baseUrl?.href },
    }),
  }),
  inCloud({
    ...rowOf(vertex),
    cloud: 'vertex',
    settings: (model) => ({ vertex: vertexSettings(model) }),
  }),
  inCloud({
    ...rowOf(bedrock),
    cloud: 'bedrock',
    settings: ({ config: { bedrock: { region, credentials, accessToken } = {} } }, { apiKey }) => ({
      region,
      credentials,
      apiKey: accessToken ?? apiKey,
    }),
  }),
  inCloud({
    ...claude,
    name: 'anthropic-foundry',
    cloud: 'azure',
    example: 'https://RESOURCE.services.ai.azure.com/anthropic',
    keyEnv: ['ANTHROPIC_FOUNDRY_API_KEY'],
    baseUrlEnv: ['ANTHROPIC_FOUNDRY_BASE_URL'],
    settings: ({ config }) => ({
      cloud: 'foundry',
      authToken: config.azure?.azureADTokenProvider,
    }),
  }),
  inCloud({
    ...claude,
    name: 'anthropic-bedrock',
    cloud: 'bedrock',
    tokenRow: 'bedrock',
    keyEnv: bedrock.keyVariables,
    baseUrlEnv: ['ANTHROPIC_BEDROCK_MANTLE_BASE_URL'],
    baseUrl: ({ bedrock: settings = {} }) => mantleUrl(clouds.bedrock.address(settings) ?? ''),
    keyOrigins: ({ bedrock: settings = {}, ...place }) => {
      const origins = clouds.bedrock.keyOrigins?.(settings, place) ?? []
      return origins.flatMap((url) => [url, mantleUrl(url)])
    },
    settings: (model, { accessToken }) => {
      const { credentials, accessToken: ownToken } = model.config.bedrock ?? {}
      if (credentials === 'default-chain' && !ownToken)
        refuseElsewhere(model, {
          what: "anthropic-bedrock: credentials 'default-chain' sends a key made of this computer's own credentials",
          domains: ['amazonaws.com', 'api.aws'],
          instead: 'bedrock.accessToken',
        })
      return { cloud: 'bedrock', authToken: ownToken ?? accessToken }
    },
  }),
  inCloud({
    ...claude,
    name: 'anthropic-vertex',
    cloud: 'vertex',
    tokenRow: 'vertex',
    keyEnv: [],
    baseUrlEnv: ['ANTHROPIC_VERTEX_BASE_URL'],
    settings: (model, { apiKey, accessToken }) => {
      const { project, location, accessToken: ownToken } = vertexSettings(model)
      return {
        vertex: { project, location, accessToken: ownToken ?? accessToken },
        apiKey: undefined,
        authToken: apiKey,
      }
    },
  }),
]
