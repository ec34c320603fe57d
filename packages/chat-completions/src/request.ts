import { type JsonObject, LlmError, type OptionValues, type ToolDefinition } from '@modelport/core'
import { type Turn, withDescribedLengths, withVendor } from '@modelport/driver'
import type { ChatDialect } from './dialect.js'
import { refuse, toChatMessages } from './messages.js'

/** The body of a request, with any fields that the dialect of a vendor or the caller adds. */
export type ChatRequestBody = JsonObject & {
  readonly model: string
  readonly messages: readonly JsonObject[]
}

/**
 * Builds the request body of a turn.
 * @see https://platform.openai.com/docs/api-reference/chat/create (read 2026-11-21)
 * @throws {LlmError} `unsupported` — this server cannot express an option or a message, which the
 * error names.
 * @throws {LlmError} `invalid-request` — `toolChoice` names a tool that the turn does not have.
 */
export function toChatRequest(turn: Turn, dialect: ChatDialect): ChatRequestBody {
  const { options, stream } = turn
  const unsupported = dialect.lacks.find((option) =>
    option === 'tools' ? speaksOfTools(turn) : options[option] !== undefined,
  )
  if (unsupported) refuse(unsupported, dialect.provider)

  const fields: JsonObject = {
    [dialect.maxTokensField]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    stop: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    logprobs: options.topLogprobs === undefined ? undefined : true,
    top_logprobs: options.topLogprobs,
    ...toolFields(turn, dialect),
    response_format: toResponseFormat(options.responseFormat, dialect),
    ...toReasoning(options.reasoning, dialect),
    ...(stream && {
      stream: true,
      ...(dialect.streamUsage && { stream_options: { include_usage: true } }),
    }),
  }

  const body: ChatRequestBody & Record<string, unknown> = {
    model: turn.model,
    messages: toChatMessages(turn.messages, dialect),
  }
  for (const field in fields) body[dialect.rename[field] ?? field] = fields[field]
  return withVendor(body, options.vendor)
}

const speaksOfTools = ({ tools, messages }: Turn): boolean =>
  tools.length > 0 ||
  messages.some(
    (message) =>
      message.role === 'tool' || (message.role === 'assistant' && message.toolCalls?.length),
  )

function toolFields(turn: Turn, dialect: ChatDialect): JsonObject {
  const { options } = turn
  const tools = [
    ...turn.tools.map((tool) => toTool(tool, dialect)),
    ...(options.providerTools ?? []),
  ]

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

  if (name !== undefined && !turn.tools.some((tool) => tool.name === name))
    throw new LlmError('invalid-request', `toolChoice: there is no tool "${name}"`)
  if (toolChoice === 'required' && !tools.length)
    throw new LlmError('invalid-request', 'toolChoice: "required" needs a tool')

  // Servers refuse both fields without tools, where they mean nothing.
  if (!tools.length) return {}
  return {
    tools,
    tool_choice: name === undefined ? toolChoice : { type: 'function', function: { name } },
    parallel_tool_calls: options.parallelToolCalls,
  }
}

const toTool = (
  { name, description, parameters, strict, vendor }: ToolDefinition,
  dialect: ChatDialect,
): JsonObject =>
  withVendor(
    {
      type: 'function',
      function: {
        name,
        description,
        parameters: toStrict(parameters ?? { type: 'object', properties: {} }, strict, dialect),
        strict,
      },
    },
    vendor,
    `vendor of the tool "${name}"`,
  )

function toResponseFormat(
  format: OptionValues['responseFormat'],
  dialect: ChatDialect,
): JsonObject | undefined {
  if (!format || format.type === 'text') return undefined
  if (!dialect.responseFormats.includes(format.type)) {
    const advice = dialect.responseFormats.includes('json')
      ? '; ask for { type: "json" } and say the form in the prompt'
      : ''
    refuse(`responseFormat "${format.type}"${advice}`)
  }
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return {
    type: 'json_schema',
    json_schema: { name, schema: toStrict(schema, strict, dialect), strict },
  }
}

/** Some servers refuse limits of length in strict schemas: they go into the descriptions. */
const toStrict = (
  schema: JsonObject,
  strict: boolean | undefined,
  { strictLengths }: ChatDialect,
): JsonObject => (strict && !strictLengths ? withDescribedLengths(schema) : schema)

function toReasoning(level: OptionValues['reasoning'], dialect: ChatDialect): JsonObject {
  if (level === undefined) return {}
  const fields = dialect.reasoning[level]
  return (
    fields ??
    refuse(
      `reasoning "${level}"; it has ${Object.keys(dialect.reasoning).join(', ') || 'no level'}`,
    )
  )
}
