import { configError, parseBaseUrl } from '@modelport/core'
import { checkApiKey, RecentSecrets } from '@modelport/driver'
import type { AzureConfig, OpenAIConnection } from './config.js'

/** Where a configuration leads, and how its requests prove who sends them. */
export interface Endpoint {
  /** `openai`, or `azure-openai` where `azure` is configured. */
  readonly name: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** `host:port` */
  readonly host: string
  readonly query: Readonly<Record<string, string>>
  /** One of OpenAI's own hosts. */
  readonly official: boolean
  /** A resource of Azure, by `azure` or by its address. */
  readonly azure: boolean
  /** True where the Responses API is the usual one. */
  readonly hasResponses: boolean
  readonly apiKey: string | undefined
  /** True when the key goes into `api-key` instead of `Authorization`. */
  readonly keyHeader: boolean
  /** A fresh token, kept among the secrets. */
  readonly token: (() => Promise<string>) | undefined
  /** The key and the last tokens. */
  secrets(): readonly string[]
}

const defaultBaseUrl = 'https://api.openai.com/v1'

/**
 * Reads the address and the credentials of a configuration. Of an Azure deployment, `api` takes the
 * URL that names it, or that of its resource, where the Responses API is.
 * @throws {LlmError} `invalid-base-url`, `config` — an address or a key is missing or malformed.
 */
export function toEndpoint(
  connection: OpenAIConnection,
  api: 'deployment' | 'resource' = 'deployment',
): Endpoint {
  const { azure, apiKey, baseUrl = defaultBaseUrl } = connection
  const name = azure ? 'azure-openai' : 'openai'
  if (azure && connection.baseUrl !== undefined)
    refuse(name, 'give either baseUrl or azure.endpoint, not both')
  const { href, host } = parseBaseUrl(azure ? azureRoot(name, azure, api) : baseUrl)
  const official = /^([a-z]+\.)?api\.openai\.com:443$/.test(host)
  const isAzureHost = host.endsWith('.azure.com:443')
  const key = apiKey === undefined ? undefined : checkApiKey(apiKey, name)
  const provide = azure?.azureADTokenProvider
  if (key === undefined && !provide && (official || azure)) {
    refuse(
      name,
      azure
        ? 'give apiKey or azure.azureADTokenProvider'
        : 'pass apiKey; only newProvider reads it from OPENAI_API_KEY',
    )
  }
  if (key !== undefined && provide)
    refuse(name, 'give either apiKey or azure.azureADTokenProvider, not both')
  const tokens = new RecentSecrets()
  return {
    name,
    baseUrl: href,
    host,
    query: azure?.apiVersion === undefined ? {} : { 'api-version': azure.apiVersion },
    official,
    azure: azure !== undefined || isAzureHost,
    hasResponses: official || (isAzureHost && href.endsWith('/openai/v1')),
    apiKey: key,
    keyHeader: azure !== undefined && key !== undefined,
    token: provide && (() => tokens.ask(`${name}: azureADTokenProvider`, provide)),
    secrets: () => (key === undefined ? tokens.all : [key, ...tokens.all]),
  }
}

const refuse = (name: string, why: string): never => {
  throw configError(`${name}: ${why}`)
}

function azureRoot(
  name: string,
  { endpoint, deployment, apiVersion }: AzureConfig,
  api: 'deployment' | 'resource',
): string {
  const root = parseBaseUrl(endpoint).href.replace(/\/openai(\/v1)?$/, '')
  if (deployment === undefined) return `${root}/openai/v1`
  if (!apiVersion)
    refuse(
      name,
      'azure.deployment needs azure.apiVersion, for example "2025-04-01-preview"; leave both out for the v1 API',
    )
  return api === 'resource'
    ? `${root}/openai`
    : `${root}/openai/deployments/${encodeURIComponent(deployment)}`
}
