import {
  type JsonObject,
  LlmError,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '@modelport/core'
import { defined, type Turn, withDescribedLengths, withVendor } from '@modelport/driver'
import { toInput } from './messages.js'
import { knownStart } from './state.js'
import type { ModelTraits } from './traits.js'

/** Body of `POST /responses`. */
export type ResponsesRequest = JsonObject & {
  readonly model: string
  readonly input: readonly JsonObject[]
}

/**
 * The request body. The server keeps nothing (`store: false`), so reasoning models are asked for
 * their encrypted reasoning. `vendor` is merged into it; its `include` and its `input` add to ours:
 * items that answer calls of the vendor's own kind (`computer_call_output` and the like) stand
 * after the reply that made them.
 * @see https://developers.openai.com/api/reference/resources/responses/methods/create (read
 * 2026-11-21)
 * @throws {LlmError} `unsupported` — `stop`, `seed`, `topK`, audio, fewer `maxTokens` than
 * `fewestTokens`.
 */
export function toResponsesRequest(
  turn: Turn,
  provider: string,
  traits: ModelTraits,
  fewestTokens = 1,
): ResponsesRequest {
  const { options, model } = turn
  refuseUnsupported(turn, fewestTokens)
  const { input: extra, include: more, ...vendor } = options.vendor ?? {}
  const outputs = Array.isArray(extra) ? (extra as readonly JsonObject[]) : []
  const { instructions, input, items } = toInput(turn.messages, {
    provider,
    model,
    stored: vendor['store'] === true,
    outputs: byCallId(outputs),
    customTools: new Set(
      (options.providerTools ?? [])
        .filter((tool) => tool['type'] === 'custom')
        .map((tool) => String(tool['name'])),
    ),
    known: knownStart(turn.messages, vendor).last,
    systemRole: traits.reasoning ? 'developer' : 'system',
  })
  const include = [
    ...(traits.reasoning ? ['reasoning.encrypted_content'] : []),
    ...(options.topLogprobs === undefined ? [] : ['message.output_text.logprobs']),
    ...(Array.isArray(more) ? (more as readonly string[]) : []),
  ]
  const body = {
    model,
    ...(instructions !== undefined && { instructions }),
    input: [...input, ...outputs.filter((item) => !items.has(item))],
    ...toToolFields(turn),
    max_output_tokens: options.maxTokens,
    ...defined({
      temperature: options.temperature,
      top_p: options.topP,
      top_logprobs: options.topLogprobs,
    }),
    ...(options.reasoning !== undefined && { reasoning: { effort: options.reasoning } }),
    ...(options.responseFormat && { text: { format: toFormat(options.responseFormat) } }),
    ...(include.length && { include: [...new Set(include)] }),
    store: false,
    stream: turn.stream,
  }
  // There is no option for what the server keeps: `store` replaces nothing of the caller's.
  return withVendor(
    vendor['store'] === undefined ? body : { ...body, store: vendor['store'] },
    vendor,
  )
}

function byCallId(items: readonly JsonObject[]): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>()
  for (const item of items) {
    const id = String(item['call_id'] ?? item['approval_request_id'])
    groups.set(id, [...(groups.get(id) ?? []), item])
  }
  return groups
}

/**
 * Smallest `max_output_tokens` at OpenAI and Azure.
 * @see https://github.com/earendil-works/pi/issues/6265 (read 2026-11-24)
 */
export const fewestOutputTokens = 16

function refuseUnsupported({ options }: Turn, fewestTokens: number): void {
  const { maxTokens = fewestTokens } = options
  if (maxTokens < fewestTokens)
    throw new LlmError(
      'unsupported',
      `the Responses API takes maxTokens of at least ${fewestTokens}, not ${maxTokens}; set ${fewestTokens}, or use api: "chat"`,
    )
  const unsupported = [
    ...(options.stop?.length ? ['stop'] : []),
    ...(options.seed === undefined ? [] : ['seed']),
    ...(options.topK === undefined ? [] : ['topK']),
  ]
  if (!unsupported.length) return
  const hint = options.topK === undefined ? '; use api: "chat", which takes it' : '; leave it out'
  throw new LlmError('unsupported', `the Responses API has no ${unsupported.join(', no ')}${hint}`)
}

function toToolFields(turn: Turn): JsonObject {
  const { tools, options } = turn
  const all = [...tools.map(toTool), ...(options.providerTools ?? [])]
  const choice =
    options.toolChoice === undefined ? undefined : toToolChoice(options.toolChoice, turn)
  const vain = !all.length && (choice === 'auto' || choice === 'none')
  return {
    ...(all.length && { tools: all }),
    ...(choice !== undefined && !vain && { tool_choice: choice }),
    ...(all.length &&
      options.parallelToolCalls !== undefined && {
        parallel_tool_calls: options.parallelToolCalls,
      }),
  }
}

/**
 * Unset `strict` is sent as false: this API would otherwise rewrite the schema and make its
 * optional fields required.
 */
const toTool = ({
  name,
  description,
  parameters,
  strict,
  deferred,
  callers,
  vendor,
}: ToolDefinition): JsonObject =>
  withVendor(
    {
      type: 'function',
      name,
      description,
      parameters: toStrict(parameters ?? { type: 'object', properties: {} }, strict),
      strict: strict ?? false,
      // As in openai 7.55.0 `FunctionTool` (read 2026-11-24).
      ...(deferred && { defer_loading: true }),
      ...(callers && {
        allowed_callers: callers.map((caller) => (caller === 'code' ? 'programmatic' : 'direct')),
      }),
    },
    vendor,
    `vendor of the tool "${name}"`,
  )

function toToolChoice(choice: ToolChoice, { tools, options }: Turn): string | JsonObject {
  const { providerTools = [] } = options
  const named = typeof choice === 'object' ? choice.name : undefined
  const known = [...tools, ...providerTools].some((tool) => tool.name === named)
  if (
    named === undefined ? choice === 'required' && !tools.length && !providerTools.length : !known
  )
    throw new LlmError(
      'invalid-request',
      `toolChoice: ${named === undefined ? '"required" needs a tool' : `there is no tool "${named}"`}`,
    )
  if (typeof choice === 'string') return choice
  const custom = providerTools.some(
    (tool) => tool['type'] === 'custom' && tool['name'] === choice.name,
  )
  return { type: custom ? 'custom' : 'function', name: choice.name }
}

function toFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json') return { type: 'json_object' }
  const { name = 'response', schema, strict } = format
  return {
    type: 'json_schema',
    name,
    schema: toStrict(schema, strict),
    ...(strict !== undefined && { strict }),
  }
}

/** The strict form has no lengths of texts. */
const toStrict = (schema: JsonObject, strict: boolean | undefined): JsonObject =>
  strict ? withDescribedLengths(schema) : schema
