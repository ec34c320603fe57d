import { type CallOptions, LlmError } from '@modelport/core'
import { type Driver, type Turn, toHeldSchema, withVendor } from '@modelport/driver'
import { cachePoint } from './content.js'
import { toConversation } from './messages.js'
import { toReasoning } from './reasoning.js'
import { toToolConfig } from './tools.js'
import { type ModelTraits, traitsOf } from './traits.js'
import type { WireMessage, WireRequest } from './wire.js'

/** What requests can say beyond most APIs. */
export const takesOf = ({ cache }: ModelTraits): NonNullable<Driver['takes']> => [
  ...(cache === 'none'
    ? []
    : (['cache-hour', cache === 'all' ? 'cache-marks' : 'cache-parts'] as const)),
]

/**
 * The request for a turn. `vendor` is merged into it: `guardrailConfig`, `performanceConfig`,
 * `serviceTier`, `requestMetadata`, `additionalModelRequestFields` and whatever else the API has.
 * @throws {LlmError} `unsupported`, `config`, `invalid-request` — the API cannot say the turn.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (as in
 * @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export function toRequest(turn: Turn, overrides: Partial<ModelTraits> | undefined): WireRequest {
  const { options, model } = turn
  const traits = traitsOf(model, overrides)
  for (const name of ['seed', 'topLogprobs'] as const)
    if (options[name])
      throw new LlmError('unsupported', `${name}: Converse has no such field; leave it unset`)
  if (options.topK !== undefined)
    throw new LlmError(
      'unsupported',
      'topK: set it in vendor.additionalModelRequestFields, by the name that the model has for it',
    )
  const { system, messages } = toConversation(turn.messages, model, traits)
  const toolConfig = toToolConfig(turn, messages, traits)
  const reasoning = toReasoning(turn, traits)
  const inferenceConfig = {
    ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.topP !== undefined && { topP: options.topP }),
    ...(options.stop?.length && { stopSequences: options.stop }),
  }
  const request: WireRequest = {
    messages,
    ...(system.length && { system }),
    ...(Object.keys(inferenceConfig).length && { inferenceConfig }),
    ...(toolConfig && { toolConfig }),
    ...(reasoning && { additionalModelRequestFields: reasoning }),
    ...toFormat(options.responseFormat),
  }
  const { cache } = options
  const marked =
    cache === 'auto' || cache === 'hour' ? withCachePoints(request, cache, traits) : request
  return withVendor(marked, options.vendor)
}

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html (read
 * 2026-11-27): a subset of JSON Schema
 */
function toFormat(format: CallOptions['responseFormat']): Pick<WireRequest, 'outputConfig'> {
  if (format?.type === 'json')
    throw new LlmError(
      'unsupported',
      'responseFormat: use { type: "json-schema", schema }; Converse has no other form',
    )
  if (format?.type !== 'json-schema') return {}
  const jsonSchema = {
    schema: JSON.stringify(toHeldSchema(format.schema)),
    ...(format.name && { name: format.name }),
  }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}

/**
 * Marks what stays the same between turns: tools where the model allows it, the system text, and
 * the newest message.
 */
function withCachePoints(
  request: WireRequest,
  lifetime: 'auto' | 'hour',
  { cache }: ModelTraits,
): WireRequest {
  if (cache === 'none')
    throw new LlmError(
      'unsupported',
      'cache: this model is not known to take cache points; leave it unset',
    )
  const point = cachePoint(lifetime)
  const marked = <Item extends object>(list: readonly Item[]): readonly (Item | typeof point)[] =>
    list.length && !('cachePoint' in (list.at(-1) as Item)) ? [...list, point] : list
  const { system, toolConfig, messages } = request
  const last = messages.length - 1
  return {
    ...request,
    ...(system && { system: marked(system) }),
    ...(toolConfig &&
      cache === 'all' && { toolConfig: { ...toolConfig, tools: marked(toolConfig.tools) } }),
    messages: messages.map(
      (message, index): WireMessage =>
        index === last ? { ...message, content: marked(message.content) } : message,
    ),
  }
}
