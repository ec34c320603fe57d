import { parseBaseUrl } from '@modelport/core'
import type { Environment } from '../base/env.js'
import type { HostEntry } from '../base/host-entry.js'
import { type Cloud, type CloudPlace, maybeHost } from './cloud.js'

/** An Azure resource. */
export interface AzureSettings {
  /** Address of the resource: `https://RESOURCE.openai.azure.com`. Default: `baseUrl`. */
  readonly endpoint?: string | undefined
  /** Name of the deployment, for the deployment URLs; `apiVersion` is needed with it. */
  readonly deployment?: string | undefined
  /** For example `2025-04-01-preview`. Needed with `deployment`. */
  readonly apiVersion?: string | undefined
  /** Gives an Entra token, instead of a key. It contacts hosts of its own. */
  readonly azureADTokenProvider?: (() => Promise<string>) | undefined
}

/** Where Entra tokens come from, by the end of the resource's host. */
const entraHosts: readonly (readonly [end: string, host: string])[] = [
  ['.azure.us', 'login.microsoftonline.us'],
  ['.azure.cn', 'login.chinacloudapi.cn'],
  ['', 'login.microsoftonline.com'],
]

/** Azure and Microsoft Foundry: a resource has an address of its own. */
export const azure: Cloud<AzureSettings> = {
  fileForms: { endpoint: 'text', deployment: 'text', apiVersion: 'text' },
  tokenSetting: 'azureADTokenProvider',
  addressSetting: 'endpoint',
  address: ({ endpoint }) => (endpoint === '' ? undefined : endpoint),
  isPlaced: ({ endpoint }) => !!endpoint,
  hasCredentials: ({ azureADTokenProvider }) => azureADTokenProvider !== undefined,
  hosts: entraHostsOf,
}

/** Hosts that a token callback usually contacts. The caller decides what it really does. */
function entraHostsOf(
  { azureADTokenProvider, endpoint }: AzureSettings,
  { baseUrl, useEnvironmentBaseUrls }: CloudPlace,
  environment: Environment,
): readonly HostEntry[] {
  if (!azureADTokenProvider) return []

  const resource = [baseUrl, endpoint].find((address) => address) ?? 'https://azure.com'
  const host = parseBaseUrl(resource).host.replace(/:\d+$/, '')
  const usual = entraHosts.find(([end]) => host.endsWith(end))?.[1] ?? ''

  const variable = useEnvironmentBaseUrls ? environment('AZURE_AUTHORITY_HOST')?.trim() : undefined
  const authority = [variable, usual].find((name) => name) ?? ''
  const address = authority.includes('://') ? authority : `https://${authority}`
  return [
    maybeHost(address, 'auth', 'azureADTokenProvider asks Entra', !!variable),
    maybeHost('http://169.254.169.254', 'metadata', 'azureADTokenProvider uses a managed identity'),
  ]
}
