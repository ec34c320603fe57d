import { type DocumentedEndpoint, type MediaEndpoints, mediaEndpoints } from '@modelport/catalog'
import {
  createImages,
  createRerank,
  createSpeech,
  createTranscription,
  type MediaEndpoint,
  toChatError,
} from '@modelport/chat-completions'
import { type ImageGenerator, type Reranker, type SpeechGenerator, type Transcriber } from '@modelport/core'
import { createEndpointClient, namedError, requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { authorization, endpointUrl, toSettings } from './provider.js'

/** Configuration of {@link createOpenAICompatibleSpeech}. */
export interface OpenAICompatibleSpeechConfig extends OpenAICompatibleConfig {
  /** The voice of calls that name none. Unset: each call names one. */
  readonly voice?: string
}

/**
 * An image generator for any server with `POST /v1/images/generations`. Some return addresses unless each call has
 * `vendor: { response_format: 'b64_json' }`; for rows of the catalog that is known.
 * @throws {LlmError} `invalid-base-url`, `config` — the base URL or the key cannot be used; `unsupported` — the vendor of the row
 * documents no such endpoint.
 */
export function createOpenAICompatibleImages(config: OpenAICompatibleConfig): ImageGenerator {
  const { endpoint, dialect } = connect(config, 'images', 'createOpenAICompatibleImages')
  return createImages(endpoint, dialect)
}

/** A speech generator for any server with `POST /v1/audio/speech`. Throws like {@link createOpenAICompatibleImages}. */
export function createOpenAICompatibleSpeech(config: OpenAICompatibleSpeechConfig): SpeechGenerator {
  requireConfig(config, 'createOpenAICompatibleSpeech', [...configNames, 'voice'], fieldNames)
  const { voice, ...common } = config
  const { endpoint, dialect } = connect(common, 'speech', 'createOpenAICompatibleSpeech')
  return createSpeech(endpoint, voice, dialect)
}

/** A transcriber for any server with `POST /v1/audio/transcriptions`. Throws like {@link createOpenAICompatibleImages}. */
export function createOpenAICompatibleTranscriber(config: OpenAICompatibleConfig): Transcriber {
  const { endpoint, dialect } = connect(config, 'transcription', 'createOpenAICompatibleTranscriber')
  return createTranscription(endpoint, dialect)
}

/** A reranker for any server with `POST /v1/rerank`. Throws like {@link createOpenAICompatibleImages}. */
export function createOpenAICompatibleReranker(config: OpenAICompatibleConfig): Reranker {
  return createRerank(connect(config, 'rerank', 'createOpenAICompatibleReranker').endpoint)
}

type Dialect<Kind extends keyof MediaEndpoints> =
  NonNullable<MediaEndpoints[Kind]> extends DocumentedEndpoint<infer Known> ? Known : never

function connect<Kind extends keyof MediaEndpoints>(
  config: OpenAICompatibleConfig,
  kind: Kind,
  creator: string,
): { readonly endpoint: MediaEndpoint; readonly dialect: Dialect<Kind> } {
  requireConfig(config, creator, configNames, fieldNames)
  const { model, name = 'openai-compatible' } = config
  const row = mediaEndpoints[config.preset?.name ?? 'openai-compatible']
  const documented = row?.[kind] as DocumentedEndpoint<Dialect<Kind>> | undefined
  if (!documented)
    throw namedError(name, 'unsupported', `the vendor documents no endpoint for ${kind}; use another provider`)
  const headers = authorization(config)
  const quotaRecovers = config.quirks?.quotaRecovers
  const client = createEndpointClient(name, (failure) => toChatError(name, failure, quotaRecovers), toSettings(config))
  const request = (path: string): { url: string; headers: Readonly<Record<string, string>> } => ({
    url: endpointUrl(config, path),
    headers,
  })
  return {
    dialect: documented.dialect,
    endpoint: {
      name,
      model,
      json: (path, content, options) => client.json({ ...request(path), ...content }, options),
      bytes: (path, content, options) => client.bytes({ ...request(path), ...content }, options),
    },
  }
}
