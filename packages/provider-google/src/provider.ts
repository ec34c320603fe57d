import type { GenerateContentParameters, GoogleGenAI } from '@google/genai'
import type { Provider } from '@modelport/core'
import { createProvider, type CommonConfig, createTransport, type Driver, type HttpFailure, type ProviderSettings, type Turn } from '@modelport/driver'
import { type GoogleConfig, googleHosts, toCheckedKey } from './config.js'
import { GeminiDecoder } from './decoder.js'
import { toGoogleError } from './error.js'
import { cheapestModel, factsOf, tokenFactor } from './model-facts.js'
import { providerName } from './model-state.js'
import { toRequestBody } from './request.js'
import { createSdk, type SdkRequest, throughSdk } from './sdk.js'
import type { WireRequest } from './wire.js'

/** A request on its way: its body is ours, its address and its headers are the SDK's. */
interface GoogleRequest {
  readonly model: string
  readonly stream: boolean
  readonly body: WireRequest
}

/** What the provider and its other endpoints share. */
export interface GoogleClient {
  readonly sdk: GoogleGenAI
  readonly settings: ProviderSettings
  /** Names a failure, with the last access token taken out of it. */
  error(failure: HttpFailure): ReturnType<typeof toGoogleError>
  /** Told of each request before it is sent. */
  seen(request: SdkRequest): void
}

/** Makes a provider for the Gemini API or Vertex AI. @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work. */
export function createGoogle(config: GoogleConfig): Provider {
  const client = createClient(config)
  return createProvider(createDriver(client, config), client.settings)
}

/** Checks a configuration and makes the SDK's client for it. */
export function createClient(config: GoogleConfig): GoogleClient {
  const { apiKey: _, baseUrl: _baseUrl, apiVersion: _apiVersion, vertex, models: _models, ...common } = config
  const apiKey = toCheckedKey(config)
  const privateKey = (vertex?.credentials as { readonly private_key?: string } | undefined)?.private_key
  let token = ''
  return {
    sdk: createSdk(config, apiKey, createTransport(common satisfies CommonConfig)),
    settings: {
      ...common,
      cheapestModel: config.cheapestModel ?? cheapestModel,
      tokenFactor: config.tokenFactor ?? tokenFactor,
      hosts: googleHosts(config).map(({ host }) => host),
      secrets: [apiKey, privateKey],
    },
    seen: ({ headers }) => {
      token = headers['authorization']?.replace(/^Bearer /, '') ?? ''
    },
    error: (failure) => toGoogleError(token ? without(failure, token) : failure),
  }
}

function createDriver(client: GoogleClient, config: GoogleConfig): Driver<GoogleRequest> {
  return {
    name: providerName,
    framing: 'sse',
    request: (turn: Turn) => ({ model: turn.model, stream: turn.stream, body: toRequestBody(turn, factsOf(turn.model, config.models)) }),
    send: ({ model, stream, body }, io) =>
      throughSdk(
        (httpOptions) => {
          // The least the SDK takes; the body it makes of this is replaced.
          const config = { httpOptions, automaticFunctionCalling: { disable: true }, automaticContinuation: false }
          const parameters: GenerateContentParameters = { model, contents: '-', config }
          return stream ? client.sdk.models.generateContentStream(parameters) : client.sdk.models.generateContent(parameters)
        },
        (request) => {
          client.seen(request)
          return io.fetch(request.url, { method: 'POST', headers: { ...request.headers, ...lowerCase(io.headers) }, body: JSON.stringify(body) })
        },
      ),
    decoder: (sink) => new GeminiDecoder(sink),
    error: client.error,
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A failure without this secret: access tokens come and go, so the settings cannot list them. */
function without(failure: HttpFailure, secret: string): HttpFailure {
  if (!failure.text.includes(secret)) return failure
  const text = failure.text.split(secret).join('[redacted]')
  return { ...failure, text, body: undefined }
}
