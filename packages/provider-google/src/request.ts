import { type JsonObject, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'
import { toConversation } from './messages.js'
import type { ModelFacts } from './model-facts.js'
import { toOpenApiSchema } from './schema.js'
import { toTools } from './tools.js'
import type { WireRequest } from './wire.js'

/**
 * The body of a request. Fields of `vendor` come last; what it has for `generationConfig` and `toolConfig` is added to those.
 * @see https://ai.google.dev/api/generate-content#request-body (read 2026-11-21)
 * @throws {LlmError} `unsupported`, `invalid-request` — the turn cannot be said in this API.
 */
export function toRequestBody(turn: Turn, facts: ModelFacts): WireRequest {
  const { generationConfig, toolConfig, headers: _, ...vendor } = turn.options.vendor ?? {}
  const made = toTools(turn, facts)
  const tools = { ...made.toolConfig, ...(toolConfig as JsonObject | undefined) }
  return {
    ...toConversation(turn.messages, facts),
    ...(made.tools && { tools: made.tools }),
    ...(Object.keys(tools).length && { toolConfig: tools }),
    generationConfig: { ...toGenerationConfig(turn, facts), ...(generationConfig as JsonObject | undefined) },
    ...vendor,
  }
}

function toGenerationConfig(turn: Turn, facts: ModelFacts): JsonObject {
  const { options, defaultTemperature } = turn
  const temperature = options.temperature ?? (facts.takesTemperature === false ? undefined : defaultTemperature)
  const fields = {
    maxOutputTokens: options.maxTokens,
    temperature,
    topP: options.topP,
    topK: options.topK,
    stopSequences: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    responseLogprobs: options.topLogprobs === undefined ? undefined : true,
    logprobs: options.topLogprobs === 0 ? undefined : options.topLogprobs,
    thinkingConfig: toThinkingConfig(turn, facts),
    ...toResponseFormat(turn, facts),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toThinkingConfig({ model, options: { reasoning } }: Turn, facts: ModelFacts): JsonObject | undefined {
  if (!reasoning) return undefined
  const config = facts.thinking?.[reasoning]
  if (!config) {
    const known = Object.keys(facts.thinking ?? {}).join(', ') || 'none'
    throw new LlmError('unsupported', `google: the model "${model}" cannot be set to reasoning "${reasoning}"; it knows ${known}`)
  }
  if (!Object.keys(config).length) return undefined
  return reasoning === 'none' ? config : { ...config, includeThoughts: true }
}

function toResponseFormat({ options: { responseFormat } }: Turn, facts: ModelFacts): JsonObject {
  if (!responseFormat || responseFormat.type === 'text') return {}
  const responseMimeType = 'application/json'
  if (responseFormat.type === 'json') return { responseMimeType }
  const { schema } = responseFormat
  return facts.schema === 'openapi'
    ? { responseMimeType, responseSchema: toOpenApiSchema(schema, 'responseFormat') }
    : { responseMimeType, responseJsonSchema: schema }
}
