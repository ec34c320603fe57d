import { createChatDecoder, toChatError, toChatRequest } from '@modelport/chat-completions'
import { type Provider, parseBaseUrl } from '@modelport/core'
import {
  checkApiKey,
  createProvider,
  type Driver,
  type ProviderSettings,
  postJson,
  requireConfig,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import {
  configNames,
  fieldNames,
  isSelfHosted,
  type OpenAICompatibleConfig,
  toDialect,
} from './config.js'

/**
 * A provider for any server with a `/v1/chat/completions` endpoint; no SDK.
 * @throws {LlmError} `invalid-base-url`, `config` — the base URL or the key cannot be used.
 * @example
 * ```ts
 * import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
 *
 * const provider = createOpenAICompatible({ baseUrl: 'http://127.0.0.1:8080/v1', model: 'my-model' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createOpenAICompatible(config: OpenAICompatibleConfig): Provider {
  requireConfig(config, 'createOpenAICompatible', configNames, fieldNames)
  const settings = toSettings(config)
  const name = config.name ?? 'openai-compatible'
  const dialect = toDialect(config)
  const url = endpointUrl(config, '/chat/completions')
  const headers = authorization(config)
  const quotaRecovers = config.quirks?.quotaRecovers
  const driver: Driver = {
    name,
    api: 'chat-completions',
    framing: 'sse',
    takes: dialect.cacheMarks ? ['details', 'cache-parts'] : ['details'],
    takesTemperature: () => dialect.takesTemperature,
    request: (turn) => toChatRequest(turn, dialect),
    send: (body, io) => postJson(io, url, body, headers),
    decoder: (sink, turn) => createChatDecoder(sink, turn, dialect),
    error: (failure) => toChatError(name, failure, quotaRecovers),
  }
  const selfHosted = isSelfHosted(config.preset)
  return createProvider(driver, { ...settings, selfHosted, capabilities: capabilities(config) })
}

/**
 * Address of an endpoint. A base path with a version segment (`/v1`, `/openai/v1`,
 * `/v1beta/openai`, `/api/paas/v4`) is taken as it is, any other gets `/v1`. Outer slashes, query
 * and fragment do not matter, nor does a whole `/chat/completions` address.
 */
export function endpointUrl(
  { baseUrl, quirks }: Pick<OpenAICompatibleConfig, 'baseUrl' | 'quirks'>,
  endpoint: string,
): string {
  const { href } = parseBaseUrl(baseUrl)
  const base = href.replace(/\/chat\/completions$/, '')
  const versioned = base !== href || /\/v\d[a-z0-9]*(\/|$)/i.test(new URL(base).pathname)
  return base + (quirks?.apiPath ?? (versioned ? '' : '/v1')) + endpoint
}

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

/** What the driver layer needs of the configuration. */
export const toSettings = (config: OpenAICompatibleConfig): ProviderSettings => ({
  ...config,
  cheapestModel: config.cheapestModel ?? config.model,
  hosts: [parseBaseUrl(config.baseUrl).host],
  secrets: [checkedKey(config)],
})
