import { type OptionValues, type ContentPart, type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'
import type { ToolCallIdRule, Turn } from '@modelport/driver'
import { refuse, toChatMessages } from './messages.js'
import type { CountedBeside } from './usage.js'

/** How one server speaks Chat Completions, as data: what a vendor's row changes of {@link defaultChatDialect}. */
export interface ChatDialect {
  /** Name of the provider: opaque state of a message is sent back only to the one that wrote it. Default '': to nobody. */
  readonly provider: string
  /** Where the limit of generated tokens goes. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** False for servers that refuse `stream_options`: most of those report usage unasked. */
  readonly streamUsage: boolean
  /** The role that instructions are sent with. */
  readonly systemRole: 'system' | 'developer'
  /** False leaves the default temperature out; one that the caller sets is always sent. */
  readonly takesTemperature: boolean
  /** Which ids of foreign tool calls the server accepts; its own go back as they came. */
  readonly toolCallIds: ToolCallIdRule
  /** The fields each level adds to the request. A level that is missing is refused. */
  readonly reasoning: Readonly<Partial<Record<NonNullable<OptionValues['reasoning']>, JsonObject>>>
  /** Which messages get their own visible reasoning back, in the field it came in. */
  readonly replayReasoning: 'never' | 'with-tool-calls' | 'always'
  /** A field that every message with tool calls must have, '' where there was no reasoning. Unset: none. */
  readonly requiredReasoningField?: string
  /** Kinds of parts that a user message may have. */
  readonly inputs: readonly ContentPart['type'][]
  /** True where a tool result may hold images. */
  readonly toolResultImages: boolean
  /** True where a file may be given by its address. */
  readonly fileUrls: boolean
  /** Formats of a reply that the server accepts besides text. */
  readonly responseFormats: readonly ('json' | 'json-schema')[]
  /** What `tool_choice` may be; `named` forces one tool. Where `none` is missing, no tools are sent instead. */
  readonly toolChoices: readonly ('auto' | 'none' | 'required' | 'named')[]
  /** False where a message may not have a `name`. */
  readonly messageNames: boolean
  /** Options that this server has no field for: setting one is refused. With `tools`, so are calls and results in the conversation. */
  readonly lacks: readonly (keyof OptionValues)[]
  /** Token counts that this server reports next to the sum they belong to, not inside it. Default: only what its total confirms. */
  readonly countedBeside: readonly CountedBeside[]
  /** Other names of request fields, for example `{ seed: 'random_seed' }`. */
  readonly rename: Readonly<Record<string, string>>
}

const effort = (level: string): JsonObject => ({ reasoning_effort: level })

/** The dialect as most servers take it. */
export const defaultChatDialect: ChatDialect = Object.freeze<ChatDialect>({
  provider: '',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  systemRole: 'system',
  takesTemperature: true,
  toolCallIds: { maxLength: 64 },
  reasoning: { none: effort('none'), low: effort('low'), medium: effort('medium'), high: effort('high') },
  replayReasoning: 'with-tool-calls',
  inputs: ['text', 'image', 'audio', 'file'],
  toolResultImages: false,
  fileUrls: false,
  responseFormats: ['json', 'json-schema'],
  toolChoices: ['auto', 'none', 'required', 'named'],
  messageNames: true,
  lacks: [],
  countedBeside: [],
  rename: {},
})

/** The body of a request: JSON, with whatever fields a vendor's row or the caller adds. */
export type ChatRequestBody = JsonObject & { readonly model: string; readonly messages: readonly JsonObject[] }

/**
 * Builds the request body of a turn.
 * @see https://platform.openai.com/docs/api-reference/chat/create (read 2026-11-21)
 * @throws {LlmError} `unsupported` — this server has no way to say an option or a message; the text names it.
 * @throws {LlmError} `invalid-request` — a tool is forced that is not there.
 */
export function toChatRequest(turn: Turn, dialect: ChatDialect): ChatRequestBody {
  const { options, stream } = turn
  const missing = dialect.lacks.find((option) =>
    option === 'tools' ? speaksOfTools(turn) : options[option] !== undefined,
  )
  if (missing) refuse(missing)
  const fields = {
    [dialect.maxTokensField]: options.maxTokens,
    temperature: options.temperature ?? (dialect.takesTemperature ? turn.defaultTemperature : undefined),
    top_p: options.topP,
    top_k: options.topK,
    stop: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    logprobs: options.topLogprobs === undefined ? undefined : true,
    top_logprobs: options.topLogprobs,
    ...toolFields(turn, dialect),
    response_format: toResponseFormat(options.responseFormat, dialect),
    ...toReasoning(options.reasoning, dialect),
    ...(stream && { stream: true, ...(dialect.streamUsage && { stream_options: { include_usage: true } }) }),
  }
  const { headers: _, ...vendor } = options.vendor ?? {}
  return {
    model: turn.model,
    messages: toChatMessages(turn.messages, dialect),
    ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [dialect.rename[field] ?? field, value])),
    ...vendor,
  }
}

const speaksOfTools = ({ tools, messages }: Turn): boolean =>
  tools.length > 0 ||
  messages.some((message) => message.role === 'tool' || (message.role === 'assistant' && message.toolCalls?.length))

function toolFields(turn: Turn, dialect: ChatDialect): JsonObject {
  const { options } = turn
  const tools = [...turn.tools.map(toTool), ...(options.providerTools ?? [])]
  const { toolChoice } = options
  const name = typeof toolChoice === 'object' ? toolChoice.name : undefined
  const choice = typeof toolChoice === 'object' ? 'named' : toolChoice
  if (choice && !dialect.toolChoices.includes(choice)) {
    if (choice === 'none') return {}
    const advice =
      choice === 'named' && dialect.toolChoices.includes('required')
        ? '; give only that tool and ask for "required"'
        : ''
    refuse(`toolChoice ${JSON.stringify(toolChoice)}${advice}`)
  }
  if (
    name !== undefined ? !turn.tools.some((tool) => tool.name === name) : toolChoice === 'required' && !tools.length
  ) {
    throw new LlmError(
      'invalid-request',
      `toolChoice: ${name === undefined ? '"required" needs a tool' : `there is no tool "${name}"`}`,
    )
  }
  // Servers refuse both fields without tools, where they mean nothing.
  if (!tools.length) return {}
  return {
    tools,
    tool_choice: name === undefined ? toolChoice : { type: 'function', function: { name } },
    parallel_tool_calls: options.parallelToolCalls,
  }
}

const toTool = ({ name, description, parameters, strict }: ToolDefinition): JsonObject => ({
  type: 'function',
  function: { name, description, parameters: parameters ?? { type: 'object', properties: {} }, strict },
})

function toResponseFormat(format: OptionValues['responseFormat'], dialect: ChatDialect): JsonObject | undefined {
  if (!format || format.type === 'text') return undefined
  if (!dialect.responseFormats.includes(format.type)) {
    const advice = dialect.responseFormats.includes('json')
      ? '; ask for { type: "json" } and say the form in the prompt'
      : ''
    refuse(`responseFormat "${format.type}"${advice}`)
  }
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return { type: 'json_schema', json_schema: { name, schema, strict } }
}

function toReasoning(level: OptionValues['reasoning'], dialect: ChatDialect): JsonObject {
  if (level === undefined) return {}
  const fields = dialect.reasoning[level]
  return fields ?? refuse(`reasoning "${level}"; it has ${Object.keys(dialect.reasoning).join(', ') || 'no level'}`)
}
