import type { Provider } from '@modelport/core'
import {
  createProvider,
  type Driver,
  memoizeLatest,
  type ProviderSettings,
  postJson,
  RecentSecrets,
  requireConfig,
  type Turn,
} from '@modelport/driver'
import { type ApiRequest, type BuildRequest, checkModelName } from './api-request.js'
import { capabilities } from './capabilities.js'
import { configNames, fieldNames, type GoogleConfig, googleHosts, toCheckedKey } from './config.js'
import { GeminiDecoder } from './decoder.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { takes, toRequestBody } from './request.js'
import { buildRequests } from './requests.js'
import { createTokenFetch } from './token-fetch.js'
import { schemaWarnings } from './tools.js'
import { cheapestModel, tokenFactor, traitsOf } from './traits.js'
import type { WireRequest } from './wire.js'

/** A request on its way: its body is ours, its address and its headers are the SDK's. */
interface GoogleRequest {
  readonly model: string
  readonly stream: boolean
  readonly body: WireRequest
}

/** What the provider and its other endpoints share. */
export interface GoogleClient {
  readonly settings: ProviderSettings
  /**
   * True with a key: each request of a method for a model is like the other, which it is not with
   * tokens that expire.
   */
  readonly keyed: boolean
  /** A request, with its access token, which is kept out of every text from then on. */
  readonly request: BuildRequest
}

/**
 * Makes a provider for the Gemini API or Vertex AI.
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work.
 * @example
 * ```ts
 * import { createGoogle } from '@modelport/provider-google'
 *
 * const provider = createGoogle({ model: 'gemini-3.1-flash-lite', apiKey: process.env['GEMINI_API_KEY'] ?? '' })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createGoogle(config: GoogleConfig): Provider {
  requireConfig(config, 'createGoogle', configNames, fieldNames)
  const client = createClient(config)
  return createProvider(createDriver(client, config), {
    ...client.settings,
    capabilities: capabilities(config),
  })
}

/** Checks a configuration and makes the SDK's client for it. */
export function createClient(config: GoogleConfig): GoogleClient {
  const { vertex } = config
  const apiKey = toCheckedKey(config)
  const recent = new RecentSecrets()
  const build = buildRequests(config, apiKey, createTokenFetch(config, recent))
  return {
    settings: {
      ...config,
      cheapestModel: config.cheapestModel ?? cheapestModel,
      tokenFactor: config.tokenFactor ?? tokenFactor,
      hosts: googleHosts(config),
      secrets: () => [apiKey, vertex?.credentials?.private_key, ...recent.all],
    },
    keyed: apiKey !== undefined || !vertex,
    request: async (method, model) => {
      if (method !== 'listModels') checkModelName(model)
      const request = await build(method, model)
      recent.add(request.headers['authorization']?.replace(/^Bearer /, ''))
      return request
    },
  }
}

function createDriver(client: GoogleClient, config: GoogleConfig): Driver<GoogleRequest> {
  const known = memoizeLatest<ApiRequest>()
  // The application may change its object later.
  const traits = structuredClone(traitsOf(config.model, config.traits))
  const ask = ({ model, stream }: GoogleRequest): Promise<ApiRequest> =>
    client.request(stream ? 'streamGenerateContent' : 'generateContent', model)
  return {
    name: providerName,
    api: 'gemini',
    framing: 'sse',
    takes,
    takesTemperature: () => traits.takesTemperature,
    request: (turn: Turn) => ({
      model: turn.model,
      stream: turn.stream,
      body: toRequestBody(turn, traits, config.vertex !== undefined),
    }),
    send: async (request, io) => {
      const { url, headers } = await (client.keyed
        ? known(`${request.stream} ${request.model}`, () => ask(request))
        : ask(request))
      return postJson(io, url, request.body, headers)
    },
    decoder: (sink, turn) => {
      for (const warning of schemaWarnings(turn, traits)) sink.warning(warning)
      return new GeminiDecoder(sink)
    },
    error: toGoogleError,
  }
}
