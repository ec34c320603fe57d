import { type JsonObject, LlmError } from '@modelport/core'
import { type Driver, defined, type Turn, withVendor } from '@modelport/driver'
import { toConversation } from './messages.js'
import { toOpenApiSchema } from './schema.js'
import { withEnums } from './schema-keywords.js'
import { toTools } from './tools.js'
import type { ModelTraits } from './traits.js'
import type { WireRequest } from './wire.js'

/** {@link Driver.takes} of this API. */
export const takes: NonNullable<Driver['takes']> = ['files', 'clips']

/**
 * The body of a request, with the fields of `vendor` merged into it.
 * @see https://ai.google.dev/api/generate-content#request-body (read 2026-11-21)
 * @throws {LlmError} `unsupported`, `invalid-request` — the turn cannot be said in this API.
 */
export function toRequestBody(turn: Turn, traits: ModelTraits, vertex: boolean): WireRequest {
  const generationConfig = toGenerationConfig(turn, traits)
  const body: WireRequest = {
    ...toConversation(turn.messages, traits),
    ...toTools(turn, traits, vertex),
    ...(Object.keys(generationConfig).length && { generationConfig }),
  }
  const merged = withVendor(body, turn.options.vendor)
  // The cache has these fields, and the API refuses to get them again.
  // @see https://ai.google.dev/api/caching (read 2026-11-24)
  const cachedFields = ['systemInstruction', 'tools', 'toolConfig'].filter(
    (field) => merged[field] !== undefined,
  )
  if (merged['cachedContent'] !== undefined && cachedFields.length)
    throw new LlmError(
      'unsupported',
      `google: unsupported: vendor.cachedContent excludes ${cachedFields.join(' and ')} of the same request; put them into the cache, or leave the cache out`,
    )
  return merged
}

function toGenerationConfig(turn: Turn, traits: ModelTraits): JsonObject {
  const { options } = turn
  return defined({
    maxOutputTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    topK: options.topK,
    stopSequences: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    responseLogprobs: options.topLogprobs === undefined ? undefined : true,
    logprobs: options.topLogprobs === 0 ? undefined : options.topLogprobs,
    thinkingConfig: toThinkingConfig(turn, traits),
    ...toResponseFormat(turn, traits),
  })
}

function toThinkingConfig(
  { model, options: { reasoning } }: Turn,
  traits: ModelTraits,
): JsonObject | undefined {
  if (!reasoning) return undefined
  const config = traits.thinking[reasoning]
  if (!config) {
    const known = Object.keys(traits.thinking).join(', ') || 'none'
    throw new LlmError(
      'unsupported',
      `google: the model "${model}" cannot be set to reasoning "${reasoning}"; it knows ${known}`,
    )
  }
  if (!Object.keys(config).length) return undefined
  return reasoning === 'none' ? config : { ...config, includeThoughts: true }
}

function toResponseFormat({ options: { responseFormat } }: Turn, traits: ModelTraits): JsonObject {
  if (!responseFormat || responseFormat.type === 'text') return {}
  const responseMimeType = 'application/json'
  if (responseFormat.type === 'json') return { responseMimeType }
  const { schema } = responseFormat
  return traits.schema === 'openapi'
    ? { responseMimeType, responseSchema: toOpenApiSchema(schema, 'responseFormat') }
    : { responseMimeType, responseJsonSchema: withEnums(schema) }
}
