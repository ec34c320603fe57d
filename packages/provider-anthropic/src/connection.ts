import { configError, parseBaseUrl } from '@modelport/core'
import { checkApiKey } from '@modelport/driver'
import { notIn } from './cloud.js'
import type { AnthropicConnection, Connection } from './config.js'
import { providerName } from './error.js'
import { toVertexConnection } from './vertex.js'

/**
 * Reads where to connect and with what.
 * @throws {LlmError} `config` — an unknown cloud, no key where one is needed, or a key no key can
 * look like; `invalid-base-url`.
 */
export function toConnection(config: AnthropicConnection): Connection {
  if (![undefined, 'bedrock', 'foundry'].includes(config.cloud))
    throw configError(
      `${providerName}: cloud is ${JSON.stringify(config.cloud)}; give bedrock or foundry`,
    )
  if (config.vertex) return toVertexConnection(config, config.vertex)
  const { href, host } = parseBaseUrl(
    config.baseUrl ?? (config.cloud ? '' : 'https://api.anthropic.com'),
  )
  const apiKey = config.apiKey === undefined ? undefined : checkApiKey(config.apiKey, providerName)
  const authToken =
    config.authToken === undefined ? undefined : checkApiKey(config.authToken, providerName)
  if (!apiKey && !authToken && (config.cloud || config.baseUrl === undefined)) {
    const where = config.cloud ? '' : '; only newProvider reads it from ANTHROPIC_API_KEY'
    throw configError(`${providerName}: pass apiKey, or authToken${where}`)
  }
  return {
    baseUrl: href.replace(/\/v1$/, ''),
    host,
    headers: {
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(authToken && { authorization: `Bearer ${authToken}` }),
      'anthropic-version': config.apiVersion ?? '2023-06-01',
      // The API answers a page only to this.
      ...(config.dangerouslyAllowBrowser && {
        'anthropic-dangerous-direct-browser-access': 'true',
      }),
    },
    secrets: [apiKey, authToken],
    cloud: config.cloud,
  }
}

/** URL and headers of a request. */
export type ApiRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>

/**
 * A request as the API wants it, without an SDK. `path` starts with a slash.
 * @throws {LlmError} `unsupported` — a cloud has only messages and counts of their tokens.
 */
export function ownRequest(
  connection: Connection,
  path: string,
  betas: readonly string[] = [],
): ApiRequest {
  const { baseUrl, headers, cloud } = connection
  if (cloud && !/^([/]v1[/]messages([/]count_tokens)?)?$/.test(path)) throw notIn(cloud, path)
  return {
    url: `${baseUrl}${path}`,
    headers: { ...headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) },
  }
}

/**
 * @throws {LlmError} `config` — a page asks, where users can see the key, and is not allowed to.
 */
export function refusePage(dangerouslyAllowBrowser: boolean): void {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  if (window?.document === undefined || dangerouslyAllowBrowser) return
  const message =
    'in a page users can see the key; set dangerouslyAllowBrowser: true to use it all the same, or ask from a server of your own'
  throw configError(`${providerName}: ${message}`)
}
