import { createChatDecoder, toChatRequest } from '@modelport/chat-completions'
import { configError, type JsonObject, type Provider } from '@modelport/core'
import {
  createProvider,
  type Driver,
  memoizeLatest,
  type ProviderSettings,
  postJson,
  requireConfig,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import { toDialect } from './chat.js'
import { configNames, fieldNames, type OpenAIConfig } from './config.js'
import { createResponsesDecoder } from './decoder.js'
import { type Endpoint, toEndpoint } from './endpoint.js'
import { toError } from './error.js'
import type { ApiRequest } from './own-requests.js'
import { fewestOutputTokens, toResponsesRequest } from './request.js'
import { buildRequests } from './requests.js'
import { cheapestModel, traitsOf } from './traits.js'

/**
 * A provider for OpenAI's Responses API and Chat Completions, at OpenAI, at Azure, or at another
 * server that speaks them; the official SDK builds the requests. Opens no connection before the
 * first call.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 * @example
 * ```ts
 * import { createOpenAI } from '@modelport/provider-openai'
 *
 * const provider = createOpenAI({ model: 'gpt-5.4', apiKey: process.env['OPENAI_API_KEY'] ?? '' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createOpenAI(config: OpenAIConfig): Provider {
  requireConfig(config, 'createOpenAI', configNames, fieldNames)
  const connection = connect(config)
  const driver =
    connection.api === 'responses'
      ? responsesDriver(config, connection)
      : chatDriver(config, connection)
  return createProvider(driver, {
    ...connection.settings,
    capabilities: {
      ...capabilities({ ...config, api: connection.api }),
      // Also at other addresses: a proxy may lead to OpenAI, and a run whose budget has fewer
      // tokens left ends better as `budget` than by a refusal of the server.
      ...(connection.api === 'responses' && { fewestTokens: fewestOutputTokens }),
    },
  })
}

/** A configuration, read. */
export interface Connection {
  readonly api: 'responses' | 'chat'
  readonly endpoint: Endpoint
  readonly settings: ProviderSettings
}

/** Reads a configuration. @throws {LlmError} `invalid-base-url`, `config` */
export function connect(config: OpenAIConfig): Connection {
  const api = config.api ?? (toEndpoint(config).hasResponses ? 'responses' : 'chat')
  if (!(['responses', 'chat'] as readonly unknown[]).includes(api))
    throw configError(`openai: api must be "responses" or "chat", not ${JSON.stringify(api)}`)
  const endpoint = toEndpoint(config, api === 'responses' ? 'resource' : 'deployment')
  return { api, endpoint, settings: toSettings(config, endpoint) }
}

/** What the driver layer needs of a configuration. */
export const toSettings = (
  common: Omit<ProviderSettings, 'cheapestModel' | 'hosts' | 'secrets'> & {
    readonly cheapestModel?: string | undefined
  },
  endpoint: Endpoint,
): ProviderSettings => ({
  ...common,
  cheapestModel: common.cheapestModel ?? (endpoint.official ? cheapestModel : common.model),
  hosts: [endpoint.host],
  secrets: () => endpoint.secrets(),
})

/** A driver for the Responses API, or for another endpoint that takes its requests. */
export function responsesDriver(
  config: OpenAIConfig,
  { endpoint }: Connection,
  path = '/responses',
): Driver<JsonObject> {
  const { name } = endpoint
  const traits = traitsOf(config.model, config.traits)
  const deployment = config.azure?.deployment
  const fewest = endpoint.official || endpoint.azure ? fewestOutputTokens : 1
  return {
    name,
    api: 'responses',
    framing: 'sse',
    takes: ['cache-parts', 'deferred', 'callers', 'files', 'details'],
    takesTemperature: () => traits.takesTemperature,
    streamsWhole: ({ vendor }) => vendor?.['background'] === true,
    request: (turn) => ({
      ...toResponsesRequest(turn, name, traits, fewest),
      ...(deployment !== undefined && { model: deployment }),
    }),
    send: createSend(endpoint, config, path),
    decoder: createResponsesDecoder,
    error: (failure) => toError(name, failure),
  }
}

function chatDriver(config: OpenAIConfig, { endpoint }: Connection): Driver<JsonObject> {
  const { name } = endpoint
  const traits = traitsOf(config.model, config.traits)
  const dialect = toDialect(
    endpoint,
    traits,
    endpoint.official || config.azure !== undefined || endpoint.hasResponses,
  )
  return {
    name,
    api: 'chat-completions',
    framing: 'sse',
    takes: ['files', 'details'],
    takesTemperature: () => traits.takesTemperature,
    request: (turn) => toChatRequest(turn, dialect),
    send: createSend(endpoint, config, '/chat/completions'),
    decoder: createChatDecoder,
    error: (failure) => toError(name, failure),
  }
}

/**
 * Requests to one path differ in their body only: their URL and headers are made once, but for
 * tokens, which expire.
 */
function createSend(
  endpoint: Endpoint,
  config: OpenAIConfig,
  path: string,
): Driver<JsonObject>['send'] {
  const build = buildRequests(endpoint, config)
  const known = memoizeLatest<ApiRequest>()
  return async (body, io) => {
    const { url, headers } = await (endpoint.token ? build(path) : known('', () => build(path)))
    return postJson(io, url, body, headers)
  }
}
