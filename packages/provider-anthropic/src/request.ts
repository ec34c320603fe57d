import { type CallOptions, configError, isObject, type JsonObject, LlmError } from '@modelport/core'
import { type Driver, type Turn, toHeldSchema, withVendor } from '@modelport/driver'
import { withCacheMarks } from './cache.js'
import { type Cloud, refuseInCloud } from './cloud.js'
import { toConversation } from './messages.js'
import { toReasoning } from './reasoning.js'
import { toSampling } from './sampling.js'
import { isThinking } from './state.js'
import { toFormerTools, toToolChoice, toTools } from './tools.js'
import { type ModelTraits, traitsOf } from './traits.js'
import type { WireRequest } from './wire.js'

/** The request of one turn. */
export interface AnthropicRequest {
  readonly body: JsonObject
  /** Values of the `anthropic-beta` header. */
  readonly betas: readonly string[]
}

/** What requests can say beyond most APIs. */
export const takes: NonNullable<Driver['takes']> = [
  'cache-hour',
  'cache-marks',
  'deferred',
  'callers',
  'files',
  'found',
]

/** What a request depends on besides the turn. */
export interface RequestRules {
  readonly betas: readonly string[]
  readonly citations: boolean
  readonly cloud: Cloud | undefined
  readonly traits: Partial<ModelTraits> | undefined
}

/**
 * The request for a turn. Fields of `vendor` are merged into the body, except `betas`, which are
 * added to the header.
 * @throws {LlmError} `unsupported`, `config`, `invalid-request` — the API cannot say the turn.
 */
export function toRequest(turn: Turn, rules: RequestRules): AnthropicRequest {
  const { betas, ...vendor } = turn.options.vendor ?? {}
  const plainRequest = toWireRequest(turn, rules)
  const { cache } = turn.options
  const request =
    cache === 'auto' || cache === 'hour' ? withCacheMarks(plainRequest, cache) : plainRequest

  const containerField = toContainerField(request.container, vendor['container'])
  const body = withVendor<JsonObject>(
    { ...request, ...containerField },
    { ...vendor, ...containerField },
  )

  const hasBinding = isObject(body['thinking']) && body['thinking']['block_binding']
  const allBetas = [...rules.betas, ...toBetas(betas), ...(hasBinding ? [bindingBeta] : [])]
  return { body, betas: [...new Set(allBetas)] }
}

/** Lets a request say what happens to thinking whose conversation has changed before it. */
const bindingBeta = 'thinking-binding-controls-2026-08-01'

/**
 * Reuses the container of an earlier turn for skills, unless the caller names another.
 * @see https://platform.claude.com/docs/en/build-with-claude/skills-guide (read 2026-11-21)
 */
const toContainerField = (id: string | undefined, container: unknown): JsonObject =>
  id !== undefined && typeof container === 'object' && container !== null
    ? { container: { id, ...container } }
    : {}

function toBetas(betas: unknown): readonly string[] {
  if (betas === undefined) return []
  if (Array.isArray(betas) && betas.every((beta) => typeof beta === 'string')) return betas
  throw configError('vendor.betas must be a list of texts')
}

function toWireRequest(turn: Turn, rules: RequestRules): WireRequest {
  const { model, options } = turn
  const traits = traitsOf(model, rules.traits)
  refuseUnknown(options)
  if (rules.cloud) refuseInCloud(rules.cloud, turn)

  const { thinking: plainThinking, effort, budgeted } = toReasoning(turn, traits)
  const { system, messages, container } = toConversation(turn.messages, {
    ...rules,
    systemWithin: traits.systemWithin,
  })
  const hasThought = messages.some(({ content }) => content.some(isThinking))
  const thinking =
    traits.bindsThinking && hasThought ? withoutBinding(plainThinking) : plainThinking
  const thinks = thinking?.['type'] === 'enabled' || thinking?.['type'] === 'adaptive'

  const turnTools = toTools(turn)
  const formerTools = turnTools.length ? [] : toFormerTools(messages)
  const tools = [...turnTools, ...formerTools]
  const turnChoice = toToolChoice(turn, traits, budgeted)
  const toolChoice = formerTools.length ? { type: 'none' } : turnChoice

  const output = { ...(effort !== undefined && { effort }), ...toFormat(options.responseFormat) }
  return {
    model,
    // The API requires a number.
    max_tokens: options.maxTokens ?? traits.maxOutput,
    ...(system.length && { system }),
    messages,
    ...(tools.length && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    ...(thinking && { thinking }),
    ...(Object.keys(output).length && { output_config: output }),
    ...toSampling(turn, traits, thinks),
    ...(options.stop?.length && { stop_sequences: toStopSequences(options.stop) }),
    ...(container !== undefined && options.providerTools?.length && { container }),
    ...(turn.stream && { stream: true as const }),
  }
}

/**
 * Some models bind their thinking to the conversation before it. If the caller has changed that,
 * for example its instructions, the API would refuse the request: this asks it to leave the
 * thinking out. Such models think by default, and the field exists only for adaptive thinking.
 * @see
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 * (read 2026-11-21)
 */
const withoutBinding = (thinking: JsonObject = { type: 'adaptive' }): JsonObject =>
  thinking['type'] === 'adaptive'
    ? { ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    : thinking

/**
 * @see
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 * (read 2026-11-24)
 */
function toFormat(format: CallOptions['responseFormat']): JsonObject {
  if (format?.type === 'json') {
    throw new LlmError(
      'unsupported',
      'responseFormat: the API has no form for any JSON; use { type: "json-schema", schema }',
    )
  }
  return format?.type === 'json-schema'
    ? { format: { type: 'json_schema', schema: toHeldSchema(format.schema) } }
    : {}
}

function toStopSequences(stop: readonly string[]): readonly string[] {
  const blank = stop.find((text) => text.trim() === '')
  if (blank !== undefined)
    throw new LlmError(
      'unsupported',
      `stop: the API refuses ${JSON.stringify(blank)}: a stop text needs more than white space`,
    )
  return stop
}

function refuseUnknown({ seed, topLogprobs }: CallOptions): void {
  if (seed !== undefined)
    throw new LlmError('unsupported', 'seed: the Messages API takes none; leave it unset')
  if (topLogprobs)
    throw new LlmError('unsupported', 'topLogprobs: the Messages API gives none; leave it unset')
}
