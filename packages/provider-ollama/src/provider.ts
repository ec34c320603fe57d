import { type Provider, parseBaseUrl } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import {
  type CommonConfig,
  checkApiKey,
  createProvider,
  type Driver,
  type ProviderSettings,
  postJson,
  requireConfig,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import { createDecoder } from './decoder.js'
import { toError } from './error.js'
import { name } from './messages.js'
import { toRequest } from './request.js'
import type { WireRequest } from './wire.js'

/**
 * Configuration of {@link createOllama}. `cheapestModel` is `model` unless set: a server of one's
 * own has no cost tiers.
 */
export interface OllamaConfig extends CommonConfig {
  /**
   * Address of the server, https and a path included; a `/v1` or `/api` at its end is dropped.
   * Default `http://localhost:11434`.
   */
  readonly baseUrl?: string | undefined
  /**
   * Sent as bearer token: for `https://ollama.com`, or a proxy before the server. Default: none.
   */
  readonly apiKey?: string | undefined
}

/** Names of {@link OllamaConfig} besides those of every provider. */
export const configNames: readonly string[] = namesOf<Omit<OllamaConfig, keyof CommonConfig>>({
  baseUrl: true,
  apiKey: true,
})

/** What all of Ollama's endpoints share. */
export interface OllamaConnection {
  /** Base URL without a slash at its end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly settings: ProviderSettings
}

/**
 * A provider for Ollama's own API, on this computer, on another one, or at ollama.com. Opens no
 * connection before the first call. Loading a model takes minutes and holds the headers back, and a
 * tool call is held back until it is whole: all three clocks (`headersMs`, `idleMs`,
 * `semanticIdleMs`) are 600,000 ms unless set.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is malformed.
 * @example
 * ```ts
 * import { createOllama } from '@modelport/provider-ollama'
 *
 * const provider = createOllama({ model: 'llama3.2' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createOllama(config: OllamaConfig): Provider {
  requireConfig(config, 'createOllama', configNames)
  const { url, headers, settings } = connect(config)
  const driver: Driver<WireRequest> = {
    name,
    api: 'ollama',
    framing: 'ndjson',
    request: toRequest,
    send: (request, io) => {
      const accept = io.stream ? 'application/x-ndjson' : 'application/json'
      return postJson(io, `${url}/api/chat`, request, { accept, ...headers })
    },
    decoder: createDecoder,
    error: toError,
  }
  return createProvider(driver, { ...settings, capabilities: capabilities(config) })
}

const defaultBaseUrl = 'http://localhost:11434'

/** The one place where somebody else runs the server. */
const vendorHost = 'ollama.com:443'

/** Reads the address and the key of a configuration. */
export function connect(config: OllamaConfig): OllamaConnection {
  const { baseUrl = defaultBaseUrl, apiKey, ...common } = config
  const { href, host } = parseBaseUrl(baseUrl)
  const key = apiKey === undefined ? undefined : checkApiKey(apiKey, name)
  return {
    url: href.replace(/\/(v1|api)$/, ''),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    settings: {
      ...common,
      cheapestModel: config.cheapestModel ?? config.model,
      timeouts: {
        headersMs: 600_000,
        idleMs: 600_000,
        semanticIdleMs: 600_000,
        ...config.timeouts,
      },
      hosts: [host],
      selfHosted: host !== vendorHost,
      secrets: [key],
    },
  }
}
