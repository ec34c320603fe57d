import { vertexUrl } from '@modelport/catalog'
import { configError, parseBaseUrl } from '@modelport/core'
import type { Environment } from '../base/env.js'
import { type HostEntry, toHostEntry } from '../base/host-entry.js'
import type { ModelConfig, VertexSettings } from '../config/model-config.js'
import type { ResolvedModel } from './row.js'

/**
 * Gives the address of an Azure resource. What it gives throws `config` if the configuration names
 * none.
 */
export const azureBaseUrl =
  (row: string, example: string) =>
  ({ azure }: ModelConfig): string => {
    if (azure?.endpoint) return azure.endpoint
    throw configError(`${row}: the address of the resource is missing; give baseUrl: ${example}`)
  }

/** Where Entra tokens come from, by the end of the resource's host. */
const entraHosts: readonly (readonly [end: string, host: string])[] = [
  ['.azure.us', 'login.microsoftonline.us'],
  ['.azure.cn', 'login.chinacloudapi.cn'],
  ['', 'login.microsoftonline.com'],
]

/** Hosts that a token callback usually contacts. The caller decides what it really does. */
export function azureHosts(
  { azure, baseUrl, useEnvironmentBaseUrls }: ModelConfig,
  environment: Environment,
): readonly HostEntry[] {
  if (!azure?.azureADTokenProvider) return []
  const host = parseBaseUrl(
    [baseUrl, azure.endpoint].find((address) => address) ?? 'https://azure.com',
  ).host.replace(/:\d+$/, '')
  const variable = useEnvironmentBaseUrls ? environment('AZURE_AUTHORITY_HOST')?.trim() : undefined
  const usual = entraHosts.find(([end]) => host.endsWith(end))?.[1] ?? ''
  const authority = variable
    ? variable.includes('://')
      ? variable
      : `https://${variable}`
    : `https://${usual}`
  return [
    maybeHost(authority, 'auth', 'azureADTokenProvider asks Entra', !!variable),
    maybeHost('http://169.254.169.254', 'metadata', 'azureADTokenProvider uses a managed identity'),
  ]
}

/** A host that only some uses contact, for credentials. */
export const maybeHost = (
  address: string,
  purpose: HostEntry['purpose'],
  when: string,
  isOfEnvironment = false,
): HostEntry =>
  toHostEntry(parseBaseUrl(address), {
    purpose,
    phase: 'auth',
    required: false,
    when,
    source: isOfEnvironment ? 'env' : 'default',
  })

/**
 * The address of Vertex AI in a location.
 * @throws {LlmError} `config` — the location is not valid.
 */
export function vertexBaseUrl({ vertex: { location } = {} }: ModelConfig): string {
  const url = vertexUrl(location)
  if (url !== undefined) return url
  throw configError(
    `vertex: location must be a region such as "europe-west1", "us", "eu" or "global", not ${JSON.stringify(location)}`,
  )
}

/**
 * The Vertex settings of a configuration.
 * @throws {LlmError} `config` — default credentials would go to another host than Google's.
 */
export function vertexSettings({
  row,
  config: { vertex = {} },
  baseUrl,
}: ResolvedModel): VertexSettings {
  if (!vertex.applicationDefault || vertex.accessToken || vertex.credentials || !baseUrl)
    return vertex
  const { protocol, hostname } = new URL(baseUrl.href)
  const isGoogles = protocol === 'https:' && hostname.endsWith('.googleapis.com')
  if (isGoogles || (baseUrl.variable !== undefined && row.baseUrlEnv?.includes(baseUrl.variable)))
    return vertex
  throw configError(
    `vertex: applicationDefault sends this computer's own credentials, and only to *.googleapis.com, not to ${baseUrl.host}; give vertex.accessToken or vertex.credentials for another address`,
  )
}

/** Where access tokens for Vertex AI come from. */
export function vertexHosts(
  { vertex = {} }: ModelConfig,
  environment: Environment,
): readonly HostEntry[] {
  const { accessToken, credentials, applicationDefault } = vertex
  if (accessToken || !(credentials || applicationDefault)) return []
  const auth = toHostEntry(parseBaseUrl('https://oauth2.googleapis.com'), {
    purpose: 'auth',
    phase: 'auth',
    required: !applicationDefault,
    ...(applicationDefault && { when: "the default credentials are a key file or a user's own" }),
    source: 'default',
  })
  if (!applicationDefault) return [auth]
  const federation = [
    maybeHost(
      'https://sts.googleapis.com',
      'auth',
      'the default credentials come from another identity provider',
    ),
    maybeHost(
      'https://iamcredentials.googleapis.com',
      'auth',
      'the default credentials stand for a service account',
    ),
  ]
  // Asking for default credentials is asking for what the environment says about them.
  const variable = (environment('GCE_METADATA_IP') ?? environment('GCE_METADATA_HOST'))?.trim()
  const addresses = variable ? [variable] : ['metadata.google.internal', '169.254.169.254']
  const when = 'the program runs on Google Cloud, or looks whether it does'
  return [
    auth,
    ...federation,
    ...addresses.map((address) => maybeHost(`http://${address}`, 'metadata', when, !!variable)),
  ]
}
