import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client'
import { LlmError, parseBaseUrl } from '@modelport/core'
import { checkApiKey, type DriverIo, keepNewest, postJson } from '@modelport/driver'
import { providerName } from './error.js'

/** How to reach the API and who asks. */
export interface ConnectionConfig {
  /** Sent as `x-api-key`. One of `apiKey` and `authToken` is needed, unless `baseUrl` points at a server of your own. */
  readonly apiKey?: string
  /** Sent as `Authorization: Bearer`, for gateways and for servers that take no `x-api-key`. */
  readonly authToken?: string
  /** Default `https://api.anthropic.com`. A `/v1` at its end is dropped: it is part of every path. */
  readonly baseUrl?: string
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[]
  /**
   * Value of the `anthropic-version` header. Default `2023-06-01`, which every model and compatible server takes;
   * `2026-10-21` refuses `temperature`, `top_p` and `top_k`.
   * @see https://platform.claude.com/docs/en/api/versioning (read 2026-11-21)
   */
  readonly apiVersion?: string
  /** Lets the SDK run in a browser, where users can see the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean
}

const defaultBaseUrl = 'https://api.anthropic.com'

/** Every `host:port` a provider with this configuration contacts. @throws {LlmError} `invalid-base-url` */
export const anthropicHosts = (config: Pick<ConnectionConfig, 'baseUrl'> = {}): string[] => [parseBaseUrl(config.baseUrl ?? defaultBaseUrl).host]

/** Address and headers of a connection. */
export interface Connection {
  /** Without a slash at its end and without `/v1`. */
  readonly baseUrl: string
  /** `host:port` */
  readonly host: string
  /** Version and credentials; `null` takes away what the SDK would send. */
  readonly headers: Readonly<Record<string, string | null>>
  readonly secrets: readonly string[]
}

/**
 * Reads where to connect and with what.
 * @throws {LlmError} `config` — no key where one is needed, or a key no key can look like; `invalid-base-url`.
 */
export function toConnection(config: ConnectionConfig): Connection {
  const { href, host } = parseBaseUrl(config.baseUrl ?? defaultBaseUrl)
  const apiKey = config.apiKey === undefined ? undefined : checkApiKey(config.apiKey, providerName)
  const authToken = config.authToken === undefined ? undefined : checkApiKey(config.authToken, providerName)
  if (!apiKey && !authToken && config.baseUrl === undefined) {
    throw new LlmError('config', `${providerName}: pass apiKey, or authToken`)
  }
  return {
    baseUrl: href.replace(/\/v1$/, ''),
    host,
    headers: {
      'x-api-key': apiKey ?? null,
      authorization: authToken ? `Bearer ${authToken}` : null,
      'anthropic-version': config.apiVersion ?? '2023-06-01',
    },
    secrets: [apiKey, authToken].filter((secret) => secret !== undefined),
  }
}

/** The headers of one request. */
export const headersOf = ({ headers }: Connection, betas: readonly string[]): Connection['headers'] => ({
  ...headers,
  'anthropic-beta': betas.length ? betas.join(',') : null,
})

/** Sends the body to `/v1/messages`. */
export type SendMessages = (body: object, betas: readonly string[], io: DriverIo) => Promise<Response>

/**
 * Makes the official client once. It builds the request, with URL, headers and authentication; body and sending are the driver's, so the SDK
 * retries nothing, waits for nothing and sees no answer. The base client builds what the whole one does, and a bundle is without the
 * 50 kB of its resources.
 * @throws {LlmError} `config` — the SDK refuses to run here.
 */
export function createSendMessages(connection: Connection, dangerouslyAllowBrowser = false): SendMessages {
  const client = createClient({
    // Any value keeps the SDK from looking for credentials in the environment and on disk; the headers below replace it.
    apiKey: connection.secrets[0] ?? 'none',
    webhookKey: null,
    baseURL: connection.baseUrl,
    logLevel: 'off',
    openTelemetry: false,
    dangerouslyAllowBrowser,
  })
  const known = keepNewest<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>()
  return async (body, betas, io) => {
    // Requests of the same betas differ in their body only.
    const { url, headers } = await known(betas.join(), async () => {
      const own = { ...headersOf(connection, betas), 'x-stainless-timeout': null }
      const { url, req } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {}, headers: own })
      return { url, headers: Object.fromEntries(req.headers) }
    })
    return postJson(io, url, body, headers)
  }
}

function createClient(options: ClientOptions): BaseAnthropic {
  try {
    const client = new BaseAnthropic(options)
    // The constructor adds the headers of ANTHROPIC_CUSTOM_HEADERS to its options, and no option turns that off; env.test.ts watches this.
    Reflect.set(client, '_options', options)
    return client
  } catch (error) {
    throw new LlmError('config', `${providerName}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
