import type { CallOptions, JsonObject, ResponseFormat, ToolDefinition } from '@modelport/core'
import type { AgentTarget } from '../tools/agent-target.js'
import { toActionJsonSchema } from './action-json-schema.js'
import type { ActionMode } from './action-mode.js'
import { type ActionPrompt, toActionText, toReasoningText } from './action-prompt.js'
import { toOutputPrompt } from './corrections.js'
import { toJsonPrompt, toNativePrompt, toTextPrompt } from './mode-prompts.js'

/** The input of a plan. */
export interface PromptPlanRequest {
  readonly mode: ActionMode
  readonly tools: readonly ToolDefinition[]
  /** Tools that reach the agents, for native mode. */
  readonly delegation: readonly ToolDefinition[]
  readonly agents: readonly AgentTarget[]
  /** JSON Schema of the final reply. */
  readonly output?: ToolDefinition['parameters']
  /** JSON Schema of a reply that the application asks for in its own words and reads itself. */
  readonly replies?: JsonObject
  /**
   * The strict form of one of these two, if it loses nothing: sent in its place if the reply has
   * nothing else.
   */
  readonly strictOutput?: JsonObject | undefined
  /**
   * True if the vendor holds a reply to the schema in calls that offer tools too. Default false.
   */
  readonly schemaWithTools?: boolean
  /**
   * 0 asks for the schema, 1 for any JSON object, 2 for nothing: what a server refuses is not asked
   * for again.
   */
  readonly formatLevel: number
  /** True adds the text of native mode. */
  readonly nativePrompt: boolean
  /** The application's own instructions on how to act. */
  readonly actionPrompt?: ActionPrompt
  /** How much the model should think, for JSON mode. */
  readonly reasoning?: CallOptions['reasoning']
}

/** How one call describes the possible actions to the model: never in two ways at once. */
export interface PromptPlan {
  /** Instructions, before those of the application. Empty: there is nothing to say. */
  readonly prompt: string
  /** Definitions that go through the API. */
  readonly definitions: readonly ToolDefinition[]
  readonly options: CallOptions
}

/** The last level: nothing is asked of the server. */
export const lastFormatLevel = 2

/** Plans how one call describes its actions. */
export function toPromptPlan({
  mode,
  tools,
  delegation,
  agents,
  output,
  replies,
  strictOutput,
  schemaWithTools = false,
  formatLevel,
  nativePrompt,
  actionPrompt,
  reasoning,
}: PromptPlanRequest): PromptPlan {
  const act = (text: string): string => toActionText(actionPrompt, { mode, tools, agents, text })
  const definitions = [...tools, ...delegation]
  const asked = output ?? replies
  if (mode === 'json') {
    const prompt = [
      act(joined(toJsonPrompt(tools, agents), toReasoningText(reasoning))),
      ...(asked ? [`The "content" of the final answer: ${toOutputPrompt(asked)}`] : []),
    ].join('\n')
    return {
      prompt,
      definitions: [],
      options: formatOption(toActionJsonSchema(tools, agents, asked), 'action', formatLevel),
    }
  }
  const askedPrompt = asked ? [toOutputPrompt(asked)] : []
  if (mode === 'text')
    return {
      prompt: joined(act(toTextPrompt(definitions)), ...askedPrompt),
      definitions: [],
      options: {},
    }
  // Next to tools most vendors refuse a format, or it keeps the model from calling one: the reply
  // is then only checked here.
  const options =
    asked && (!definitions.length || (schemaWithTools && formatLevel === 0))
      ? formatOption(strictOutput ?? asked, 'answer', formatLevel, strictOutput !== undefined)
      : {}
  // The application's words are enough while the server holds the model to the schema.
  const isToldAlready = !output && options.responseFormat?.type === 'json-schema'
  return {
    prompt: joined(
      act(nativePrompt ? toNativePrompt(definitions.length) : ''),
      ...(isToldAlready ? [] : askedPrompt),
    ),
    definitions,
    options,
  }
}

const joined = (...parts: readonly string[]): string => parts.filter(Boolean).join('\n')

function formatOption(
  schema: JsonObject,
  name: string,
  level: number,
  strict = false,
): CallOptions {
  const formats: readonly ResponseFormat[] = [
    { type: 'json-schema', name, schema, ...(strict && { strict }) },
    { type: 'json' },
  ]
  const responseFormat = formats[level]
  return responseFormat ? { responseFormat } : {}
}
