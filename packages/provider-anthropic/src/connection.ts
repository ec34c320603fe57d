import { LlmError, parseBaseUrl } from '@modelport/core'
import { checkApiKey } from '@modelport/driver'
import { type Cloud, notIn } from './cloud.js'
import { providerName } from './error.js'

/** Address and credentials of the API. */
export interface ConnectionConfig {
  /** Sent as `x-api-key`. One of `apiKey` and `authToken` is needed, unless `baseUrl` points at a server of your own. */
  readonly apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`, for gateways and for servers that take no `x-api-key`. */
  readonly authToken?: string | undefined
  /** The cloud that `baseUrl` is an address of: what it is not known to have is refused. Default: none. */
  readonly cloud?: Cloud | undefined
  /** Default `https://api.anthropic.com`. A `/v1` at its end is dropped: it is part of every path. */
  readonly baseUrl?: string | undefined
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[] | undefined
  /**
   * Value of the `anthropic-version` header. Default `2023-06-01`, which every model and compatible server takes;
   * `2026-10-21` refuses `temperature`, `top_p` and `top_k`.
   * @see https://platform.claude.com/docs/en/api/versioning (read 2026-11-21)
   */
  readonly apiVersion?: string | undefined
  /** Allows the use in a page, where users can see the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined
}

const defaultBaseUrl = 'https://api.anthropic.com'

/** Address and headers of a connection. */
export interface Connection {
  /** Without a slash at its end and without `/v1`. */
  readonly baseUrl: string
  /** `host:port` */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly cloud: Cloud | undefined
}

/**
 * Reads where to connect and with what.
 * @throws {LlmError} `config` — an unknown cloud, no key where one is needed, or a key no key can look like; `invalid-base-url`.
 */
export function toConnection(config: ConnectionConfig): Connection {
  if (![undefined, 'bedrock', 'foundry'].includes(config.cloud))
    throw new LlmError('config', `${providerName}: cloud is ${JSON.stringify(config.cloud)}; give bedrock or foundry`)
  const { href, host } = parseBaseUrl(config.baseUrl ?? (config.cloud ? '' : defaultBaseUrl))
  const apiKey = config.apiKey === undefined ? undefined : checkApiKey(config.apiKey, providerName)
  const authToken = config.authToken === undefined ? undefined : checkApiKey(config.authToken, providerName)
  if (!apiKey && !authToken && (config.cloud || config.baseUrl === undefined)) {
    throw new LlmError('config', `${providerName}: pass apiKey, or authToken`)
  }
  return {
    baseUrl: href.replace(/\/v1$/, ''),
    host,
    headers: {
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(authToken && { authorization: `Bearer ${authToken}` }),
      'anthropic-version': config.apiVersion ?? '2023-06-01',
      // The API answers a page only to this.
      ...(config.dangerouslyAllowBrowser && { 'anthropic-dangerous-direct-browser-access': 'true' }),
    },
    secrets: [apiKey, authToken].filter((secret) => secret !== undefined),
    cloud: config.cloud,
  }
}

/** URL and headers of a request. */
export interface ApiRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A request as the API wants it, without an SDK. `path` starts with a slash.
 * @throws {LlmError} `unsupported` — a cloud has only messages and counts of their tokens.
 */
export function ownRequest(connection: Connection, path: string, betas: readonly string[] = []): ApiRequest {
  const { baseUrl, headers, cloud } = connection
  if (cloud && !/^([/]v1[/]messages([/]count_tokens)?)?$/.test(path)) throw notIn(cloud, path)
  return {
    url: `${baseUrl}${path}`,
    headers: { ...headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) },
  }
}

/** @throws {LlmError} `config` — a page asks, where users can see the key, and is not allowed to. */
export function refusePage(dangerouslyAllowBrowser: boolean): void {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  if (window?.document === undefined || dangerouslyAllowBrowser) return
  const message =
    'in a page users can see the key; set dangerouslyAllowBrowser: true to use it all the same, or ask from a server of your own'
  throw new LlmError('config', `${providerName}: ${message}`)
}
