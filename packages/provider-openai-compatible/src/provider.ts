import type { ChatQuirks, ChatVendor } from '@modelport/catalog'
import {
  type ChatDialect,
  createChatDecoder,
  defaultChatDialect,
  toChatError,
  toChatRequest,
} from '@modelport/chat-completions'
import { parseBaseUrl, type Provider } from '@modelport/core'
import {
  checkApiKey,
  type CommonConfig,
  createProvider,
  type Driver,
  postJson,
  type ProviderSettings,
  requireConfig,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'

/** Configuration of a server that speaks Chat Completions. */
export interface OpenAICompatibleConfig extends CommonConfig {
  /** Where the server is, for example `http://localhost:8080`. A path with a version (`/openai/v1`) is taken as it is, any other gets `/v1`. */
  readonly baseUrl: string
  /** Sent as a bearer token. Unset: no `authorization` header. */
  readonly apiKey?: string
  /** Name of the provider, in errors and `origin`. Default `openai-compatible`. */
  readonly name?: string
  /** What this server does differently from most. */
  readonly quirks?: Quirks
  /** The vendor of the catalog that the configuration stands for, for `capabilities`. */
  readonly preset?: ChatVendor
}

/** What a server does differently from most. */
export type Quirks = ChatQuirks

/**
 * A provider for any server with a `/v1/chat/completions` endpoint; no SDK.
 * @throws {LlmError} `invalid-base-url`, `config` — the base URL or the key cannot be used.
 */
export function createOpenAICompatible(config: OpenAICompatibleConfig): Provider {
  requireConfig(config, 'createOpenAICompatible')
  const settings = toSettings(config)
  const name = config.name ?? 'openai-compatible'
  const dialect = toDialect(config)
  const url = endpointUrl(config, '/chat/completions')
  const headers = authorization(config)
  const driver: Driver = {
    name,
    framing: 'sse',
    request: (turn) => toChatRequest(turn, dialect),
    send: (body, io) => postJson(io, url, body, headers),
    decoder: (sink, turn) => createChatDecoder(sink, turn, dialect),
    error: (failure) => toChatError(name, failure, config.quirks?.quotaRecovers),
  }
  return createProvider(driver, { ...settings, capabilities: capabilities(config) })
}

/**
 * Address of an endpoint. A base path with a version segment (`/v1`, `/openai/v1`, `/v1beta/openai`, `/api/paas/v4`) is taken as
 * it is, any other gets `/v1`. Outer slashes, query and fragment do not matter, nor does a whole `/chat/completions` address.
 */
export function endpointUrl(
  { baseUrl, quirks }: Pick<OpenAICompatibleConfig, 'baseUrl' | 'quirks'>,
  endpoint: string,
): string {
  const { href } = parseBaseUrl(baseUrl)
  const base = href.replace(/\/chat\/completions$/, '')
  const versioned = base !== href || /\/v\d+[a-z0-9]*(\/|$)/i.test(new URL(base).pathname)
  return base + (quirks?.apiPath ?? (versioned ? '' : '/v1')) + endpoint
}

/** Every `host:port` that a provider of this configuration may contact. @throws {LlmError} `invalid-base-url` — the address is not valid. */
export const openAICompatibleHosts = ({ baseUrl }: Pick<OpenAICompatibleConfig, 'baseUrl'>): string[] => [
  parseBaseUrl(baseUrl).host,
]

/** The header that carries the key, if there is one. */
export function authorization(
  config: Pick<OpenAICompatibleConfig, 'apiKey' | 'name'>,
): Readonly<Record<string, string>> {
  const key = checkedKey(config)
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

const checkedKey = ({
  apiKey,
  name = 'openai-compatible',
}: Pick<OpenAICompatibleConfig, 'apiKey' | 'name'>): string | undefined =>
  apiKey === undefined ? undefined : checkApiKey(apiKey, name)

/** How the server is spoken to. */
export const toDialect = ({
  quirks,
  name = 'openai-compatible',
}: Pick<OpenAICompatibleConfig, 'quirks' | 'name'>): ChatDialect => ({
  ...defaultChatDialect,
  ...quirks,
  provider: name,
})

/** What the driver layer needs of the configuration. */
export function toSettings(config: OpenAICompatibleConfig): ProviderSettings {
  const { apiKey: _key, baseUrl: _url, name: _name, quirks: _quirks, preset: _preset, ...common } = config
  return {
    ...common,
    cheapestModel: config.cheapestModel ?? config.model,
    hosts: openAICompatibleHosts(config),
    secrets: [checkedKey(config)],
  }
}
