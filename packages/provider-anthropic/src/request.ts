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
 * The request for a turn. Fields of `vendor` are merged into it, but for `headers` and for `betas`,
 * which add to the header.
 * @throws {LlmError} `unsupported`, `config`, `invalid-request` — the API cannot say the turn.
 */
export function toRequest(turn: Turn, rules: RequestRules): AnthropicRequest {
  const { betas, ...vendor } = turn.options.vendor ?? {}
  const plain = toWireRequest(turn, rules)
  const { cache } = turn.options
  const marked = cache === 'auto' || cache === 'hour' ? withCacheMarks(plain, cache) : plain
  const reused = toContainer(marked.container, vendor['container'])
  const body = withVendor<JsonObject>({ ...marked, ...reused }, { ...vendor, ...reused })
  const needed =
    isObject(body['thinking']) && body['thinking']['block_binding'] ? [bindingBeta] : []
  return { body, betas: [...new Set([...rules.betas, ...toBetas(betas), ...needed])] }
}

/** Lets a request say what becomes of thinking that stood after something else before. */
const bindingBeta = 'thinking-binding-controls-2026-08-01'

/**
 * Reuses the container of an earlier turn for skills, unless the caller names another.
 * @see https://platform.claude.com/docs/en/build-with-claude/skills-guide (read 2026-11-21)
 */
const toContainer = (id: string | undefined, wanted: unknown): JsonObject =>
  id !== undefined && typeof wanted === 'object' && wanted !== null
    ? { container: { id, ...wanted } }
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
  const { thinking: asked, effort, budgeted } = toReasoning(turn, traits)
  const { system, messages, container } = toConversation(turn.messages, {
    ...rules,
    systemWithin: traits.systemWithin,
  })
  const thinking =
    traits.bindsThinking && messages.some(({ content }) => content.some(isThinking))
      ? withoutBinding(asked)
      : asked
  const thinks = thinking?.['type'] === 'enabled' || thinking?.['type'] === 'adaptive'
  const given = toTools(turn)
  const former = given.length ? [] : toFormerTools(messages)
  const tools = [...given, ...former]
  const choice = toToolChoice(turn, traits, budgeted)
  const toolChoice = former.length ? { type: 'none' } : choice
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
 * A conversation may continue with other instructions or tools, or without its start: what the
 * model thought after them is then left out by the API, not refused. Models that bind their
 * thinking think by themselves; where it is turned off, nothing can be said of it.
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
