import type { ProviderSettings } from '@modelport/driver'
import type { AnthropicCloud, Cloud } from './cloud.js'

/** Project, location and access token of Vertex AI. */
export interface AnthropicVertexConfig {
  /** Google Cloud project id. */
  readonly project: string
  /** Region (`europe-west1`), multi-region (`us`, `eu`) or `global`. Default `global`. */
  readonly location?: string | undefined
  /** Called before each attempt for an OAuth access token. Needed without `authToken`. */
  readonly accessToken?: (() => string | Promise<string>) | undefined
}

/** Address and credentials of the API. */
export interface AnthropicConnection {
  /**
   * Sent as `x-api-key`. One of `apiKey` and `authToken` is needed, unless `baseUrl` points at a
   * server of your own.
   */
  readonly apiKey?: string | undefined
  /**
   * Sent as `Authorization: Bearer`, for gateways and for servers that take no `x-api-key`. A
   * function is called before each attempt, for tokens that expire.
   */
  readonly authToken?: string | (() => string | Promise<string>) | undefined
  /**
   * The cloud that `baseUrl` is an address of: what it is not known to have is refused. Default:
   * none.
   */
  readonly cloud?: AnthropicCloud | undefined
  /**
   * Asks Claude on Vertex AI, with `accessToken` or `authToken`; what it is not known to have is
   * refused.
   */
  readonly vertex?: AnthropicVertexConfig | undefined
  /**
   * Default `https://api.anthropic.com`. A `/v1` at its end is dropped: it is part of every path.
   */
  readonly baseUrl?: string | undefined
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[] | undefined
  /**
   * Value of the `anthropic-version` header. Default `2023-06-01`, which every model and compatible
   * server takes; `2026-10-21` refuses `temperature`, `top_p` and `top_k`.
   * @see https://platform.claude.com/docs/en/api/versioning (read 2026-11-21)
   */
  readonly apiVersion?: string | undefined
  /** Allows the use in a page, where users can see the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined
}

/** Address and headers of a connection. */
export interface Connection {
  /** Without a slash at its end and without `/v1`. On Vertex AI that of the models. */
  readonly baseUrl: string
  /** `host:port` */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: NonNullable<ProviderSettings['secrets']>
  readonly cloud: Cloud | undefined
  /** Gives the access token of a request, if tokens expire. */
  readonly token?: () => Promise<string>
}
