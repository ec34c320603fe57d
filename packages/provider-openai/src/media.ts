import {
  createImages,
  createSpeech,
  createTranscription,
  type MediaContent,
  type MediaEndpoint,
} from '@modelport/chat-completions'
import type { ImageGenerator, RequestOptions, SpeechGenerator, Transcriber } from '@modelport/core'
import { requireConfig } from '@modelport/driver'
import { apiClient, type JsonEndpointConfig } from './api-client.js'
import { configNames, fieldNames } from './config.js'

/** Configuration of a capability besides text, with the model that it uses; for Azure give that model's deployment. */
export interface OpenAIMediaConfig extends JsonEndpointConfig {
  /** For example `gpt-image-2`, `gpt-4o-mini-tts` or `gpt-transcribe`. */
  readonly model: string
}

/** Configuration of {@link createOpenAISpeech}. */
export interface OpenAISpeechConfig extends OpenAIMediaConfig {
  /** The voice of calls that name none. Default `alloy`. */
  readonly voice?: string
}

/**
 * An image generator by `POST /images/generations` and `POST /images/edits`.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function createOpenAIImages(config: OpenAIMediaConfig): ImageGenerator {
  requireConfig(config, 'createOpenAIImages', configNames, fieldNames)
  return createImages(mediaEndpoint(config))
}

/**
 * A speech generator by `POST /audio/speech`.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function createOpenAISpeech(config: OpenAISpeechConfig): SpeechGenerator {
  requireConfig(config, 'createOpenAISpeech', [...configNames, 'voice'], fieldNames)
  const { voice = 'alloy', ...connection } = config
  return createSpeech(mediaEndpoint(connection), voice)
}

/**
 * A transcriber by `POST /audio/transcriptions`.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function createOpenAITranscriber(config: OpenAIMediaConfig): Transcriber {
  requireConfig(config, 'createOpenAITranscriber', configNames, fieldNames)
  return createTranscription(mediaEndpoint(config))
}

function mediaEndpoint(config: OpenAIMediaConfig): MediaEndpoint {
  const { name, client, request } = apiClient(config, 'deployment')
  return {
    name,
    model: config.model,
    json: async <T>(path: string, content: MediaContent, options: RequestOptions) =>
      client.json<T>({ ...(await request(path)), ...content }, options),
    bytes: async (path, content, options) => client.bytes({ ...(await request(path)), ...content }, options),
  }
}
