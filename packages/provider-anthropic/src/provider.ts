import type { Provider } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import {
  type CommonConfig,
  createProvider,
  type Driver,
  memoizeLatest,
  type ProviderSettings,
  postJson,
  requireConfig,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import type { AnthropicConnection, AnthropicVertexConfig, Connection } from './config.js'
import { type ApiRequest, toConnection } from './connection.js'
import { MessageDecoder } from './decoder.js'
import { providerName, toAnthropicError } from './error.js'
import { thinkingWasDropped } from './reasoning.js'
import { type AnthropicRequest, type RequestRules, takes, toRequest } from './request.js'
import { buildRequests } from './requests.js'
import { takesTemperature } from './sampling.js'
import { cheapestModel, type ModelTraits, traitNames, traitsOf } from './traits.js'
import { postToVertex } from './vertex.js'

/** Configuration of {@link createAnthropic}. */
export interface AnthropicConfig extends CommonConfig, AnthropicConnection {
  /** Asks for citations of the documents in a conversation. Default false. */
  readonly citations?: boolean | undefined
  /**
   * Corrects what is known of the model, for a newer one or another vendor's. Default: by the
   * model's name, from a dated table.
   */
  readonly traits?: Partial<ModelTraits> | undefined
}

/** Names of {@link AnthropicConfig} besides those of every provider. */
export const configNames: readonly string[] = namesOf<Omit<AnthropicConfig, keyof CommonConfig>>({
  apiKey: true,
  authToken: true,
  cloud: true,
  vertex: true,
  baseUrl: true,
  betas: true,
  apiVersion: true,
  dangerouslyAllowBrowser: true,
  citations: true,
  traits: true,
})

/** Names within some of its fields. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  traits: traitNames,
  vertex: namesOf<AnthropicVertexConfig>({ project: true, location: true, accessToken: true }),
}

/**
 * A provider for the Anthropic Messages API; the official SDK builds its requests.
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration names no key, or no usable
 * address.
 * @example
 * ```ts
 * import { createAnthropic } from '@modelport/provider-anthropic'
 *
 * const provider = createAnthropic({ model: 'claude-sonnet-5', apiKey: process.env['ANTHROPIC_API_KEY'] ?? '' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createAnthropic(config: AnthropicConfig): Provider {
  requireConfig(config, 'createAnthropic', configNames, fieldNames)
  const connection = toConnection(config)
  const build = buildRequests(connection, config.dangerouslyAllowBrowser ?? false)
  const known = memoizeLatest<ApiRequest>()
  const rules = toRules(config)
  const driver: Driver<AnthropicRequest> = {
    name: providerName,
    api: 'messages',
    framing: 'sse',
    takes,
    takesTemperature: (turn) => takesTemperature(turn, traitsOf(turn.model, rules.traits)),
    request: (turn) => toRequest(turn, rules),
    send: async (request, io) => {
      if (connection.cloud === 'vertex') return postToVertex(io, connection, request)
      // Requests of the same betas differ in their body only, unless tokens expire.
      const { url, headers } = await (connection.token
        ? build(request.betas)
        : known(request.betas.join(), () => build(request.betas)))
      return postJson(io, url, request.body, headers)
    },
    decoder: (sink, turn) => {
      if (thinkingWasDropped(turn, traitsOf(turn.model, rules.traits))) {
        sink.warning(
          'reasoning was left out of this turn: it continues tool calls that were made without thinking',
        )
      }
      return new MessageDecoder(sink, turn)
    },
    error: toAnthropicError,
  }
  const can = capabilities({ ...config, ...rules })
  return createProvider(driver, { ...toSettings(config, connection), capabilities: can })
}

/** What requests depend on. A version of the API later than the first takes no sampling options. */
export function toRules(config: AnthropicConfig): RequestRules {
  const { betas = [], citations = false, traits, apiVersion, vertex } = config
  const cloud = vertex ? 'vertex' : config.cloud
  // No cloud is known to take a system message within the conversation, or the field for bound
  // thinking.
  const usual = cloud && ({ systemWithin: false, bindsThinking: false } as const)
  const versioned =
    apiVersion !== undefined && apiVersion > '2023-06-01'
      ? ({ sampling: 'refused' } as const)
      : undefined
  return { betas: [...betas], citations, cloud, traits: { ...usual, ...versioned, ...traits } }
}

/** The settings of everything that asks this API. */
export function toSettings(config: AnthropicConfig, connection: Connection): ProviderSettings {
  const { tokenFactor } = traitsOf(config.model, config.traits)
  return {
    tokenFactor,
    ...config,
    cheapestModel: config.cheapestModel ?? (connection.cloud ? config.model : cheapestModel),
    hosts: [connection.host],
    secrets: connection.secrets,
  }
}
