import { type JsonObject, LlmError, type ToolChoice } from '@modelport/core'
import { type Turn, withoutEmptyReplies } from '@modelport/driver'
import {
  name,
  type TemplateMessage,
  type TemplateTool,
  toTemplateMessage,
  toTemplateTool,
} from './messages.js'
import { toSchemaRules } from './schema-grammar.js'

/** What one reply is made from; all that can be known before the model is loaded. */
export interface LlamaRequest {
  readonly messages: readonly TemplateMessage[]
  readonly tools: readonly TemplateTool[]
  readonly toolChoice: ToolChoice
  readonly parallelToolCalls: boolean
  /** Grammar rules of the form the reply must have; the rule `value` is the reply. */
  readonly replyRules?: readonly string[]
  /** False closes the thinking before the reply begins. */
  readonly thinking: boolean
  readonly variables: JsonObject
  readonly maxTokens: number
  readonly stop: readonly string[]
  /** How many of the likeliest tokens to report at each position; undefined reports none. */
  readonly topLogprobs?: number
  /** Options of the sampler, by node-llama-cpp's own names. */
  readonly sampling: JsonObject
}

/**
 * Reads a turn. `vendor` goes to node-llama-cpp's sampler (`minP`, `xtc`, …); its `variables` go to
 * the chat template.
 * @throws {LlmError} `unsupported` — llama.cpp has no way to do what an option or a part asks for;
 * a schema is named by its JSON pointer.
 */
export function toRequest(turn: Turn): LlamaRequest {
  const { options } = turn
  const {
    maxTokens = Infinity,
    temperature,
    topP,
    topK,
    seed,
    stop = [],
    toolChoice = 'auto',
    reasoning,
    topLogprobs,
  } = options
  const { variables, ...vendor } = options.vendor ?? {}
  const replyRules = toReplyRules(turn)
  if (options.providerTools?.length)
    throw new LlmError(
      'unsupported',
      `${name}: providerTools; a model in this process runs no tools itself`,
    )
  if (topLogprobs !== undefined) checkLogprobs(turn, replyRules !== undefined)
  const tools = toolChoice === 'none' ? [] : turn.tools.map(toTemplateTool)
  checkToolChoice(toolChoice, tools)
  // By default a sampler drops even likely tokens; logprobs need them all.
  const open = topLogprobs !== undefined && { topK: 0, topP: 1 }
  const settings = Object.entries({ temperature, topP, topK, seed, ...vendor }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    messages: withoutEmptyReplies(turn.messages).map(toTemplateMessage),
    tools,
    toolChoice,
    parallelToolCalls: options.parallelToolCalls ?? true,
    ...(replyRules && { replyRules }),
    thinking: reasoning !== 'none',
    variables: {
      enable_thinking: reasoning !== 'none',
      ...(reasoning !== undefined && reasoning !== 'none' && { reasoning_effort: reasoning }),
      ...(variables as JsonObject | undefined),
    },
    maxTokens,
    stop: stop.filter((text) => text !== ''),
    ...(topLogprobs !== undefined && { topLogprobs }),
    sampling: { ...open, ...Object.fromEntries(settings) },
  }
}

function toReplyRules({ options: { responseFormat } }: Turn): readonly string[] | undefined {
  if (responseFormat?.type === 'json') return toSchemaRules({ type: 'object' }, 'value')
  return responseFormat?.type === 'json-schema'
    ? toSchemaRules(responseFormat.schema, 'value')
    : undefined
}

/**
 * llama.cpp's probabilities are those after sampling: the model's own only where nothing is sampled
 * and nothing is ruled out.
 */
function checkLogprobs({ options }: Turn, constrained: boolean): void {
  const forced = options.toolChoice === 'required' || typeof options.toolChoice === 'object'
  if (options.temperature === 0 && !constrained && !forced) return
  const what =
    options.temperature === 0
      ? 'a responseFormat or a forced toolChoice'
      : 'a temperature other than 0'
  throw new LlmError(
    'unsupported',
    `${name}: topLogprobs next to ${what}; in this process the model's own probabilities are known at temperature 0 of a free reply only`,
  )
}

function checkToolChoice(choice: ToolChoice, tools: readonly TemplateTool[]): void {
  if (
    typeof choice === 'object' &&
    !tools.some(({ function: tool }) => tool.name === choice.name)
  ) {
    throw new LlmError(
      'invalid-request',
      `${name}: toolChoice names "${choice.name}", which is not among the tools`,
    )
  }
  if (choice === 'required' && !tools.length)
    throw new LlmError('invalid-request', `${name}: toolChoice "required" without tools`)
}
