import { configError, parseBaseUrl } from '@modelport/core'
import { checkApiKey, RecentSecrets } from '@modelport/driver'
import { checkCloud, notIn } from './cloud.js'
import type { AnthropicConnection, Connection } from './config.js'
import { providerName } from './error.js'
import { toVertexConnection } from './vertex.js'

/**
 * Reads where to connect and with what.
 * @throws {LlmError} `config` — an unknown cloud, no key where one is needed, or a key no key can
 * look like; `invalid-base-url`.
 */
export function toConnection(config: AnthropicConnection): Connection {
  checkCloud(config.cloud)
  if (config.vertex) return toVertexConnection(config, config.vertex)
  const { href, host } = parseBaseUrl(
    config.baseUrl ?? (config.cloud ? '' : 'https://api.anthropic.com'),
  )
  const { authToken } = config
  const apiKey = config.apiKey === undefined ? undefined : checkApiKey(config.apiKey, providerName)
  const fixedToken =
    typeof authToken === 'string' ? checkApiKey(authToken, providerName) : undefined
  if (!apiKey && !authToken && (config.cloud || config.baseUrl === undefined)) {
    const where = config.cloud ? '' : '; only newProvider reads it from ANTHROPIC_API_KEY'
    throw configError(`${providerName}: pass apiKey, or authToken${where}`)
  }
  const recent = new RecentSecrets()
  return {
    baseUrl: href.replace(/\/v1$/, ''),
    host,
    headers: {
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(fixedToken && { authorization: `Bearer ${fixedToken}` }),
      'anthropic-version': config.apiVersion ?? '2023-06-01',
      // The API answers a page only to this.
      ...(config.dangerouslyAllowBrowser && {
        'anthropic-dangerous-direct-browser-access': 'true',
      }),
    },
    secrets: () => [apiKey, fixedToken, ...recent.all],
    cloud: config.cloud,
    ...(typeof authToken === 'function' && {
      token: () => recent.ask(`${providerName}: authToken`, authToken),
    }),
  }
}

/** URL and headers of a request. */
export type ApiRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>

/**
 * A request as the API wants it, without an SDK. `path` starts with a slash.
 * @throws {LlmError} `unsupported` — a cloud has only messages and counts of their tokens.
 */
export async function ownRequest(
  connection: Connection,
  path: string,
  betas: readonly string[] = [],
): Promise<ApiRequest> {
  const { baseUrl, cloud, token } = connection
  if (cloud && !/^([/]v1[/]messages([/]count_tokens)?)?$/.test(path)) throw notIn(cloud, path)
  const headers = {
    ...connection.headers,
    ...(token && { authorization: `Bearer ${await token()}` }),
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  }
  return { url: `${baseUrl}${path}`, headers }
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
