import { type CallOptions, type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'
import type { Turn } from '@modelport/driver'
import type { ChatDialect } from './dialect.js'
import { toChatMessages } from './messages.js'

/** The body of a request: JSON, with whatever fields a vendor's row or the caller adds. */
export type ChatRequestBody = JsonObject & { readonly model: string; readonly messages: readonly JsonObject[] }

/**
 * What goes on the wire for a round.
 * @see https://platform.openai.com/docs/api-reference/chat/create (read 2026-11-21)
 * @throws {LlmError} `unsupported` — this server has no way to say an option or a message; the text names it.
 * @throws {LlmError} `invalid-request` — a tool is forced that is not there.
 */
export function toChatRequest(turn: Turn, dialect: ChatDialect): ChatRequestBody {
  const { options, stream } = turn
  const missing = dialect.lacks.find((option) => options[option] !== undefined)
  if (missing) throw new LlmError('unsupported', `${missing}: this server's Chat Completions API has no field for it`)
  const fields = {
    [dialect.maxTokensField]: options.maxTokens,
    temperature: options.temperature ?? (dialect.takesTemperature ? turn.defaultTemperature : undefined),
    top_p: options.topP,
    top_k: options.topK,
    stop: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    ...(options.topLogprobs !== undefined && { logprobs: true, top_logprobs: options.topLogprobs }),
    ...toolFields(turn, dialect),
    response_format: toResponseFormat(options.responseFormat, dialect),
    ...toReasoning(options.reasoning, dialect),
    ...(stream && { stream: true, ...(dialect.streamUsage && { stream_options: { include_usage: true } }) }),
  }
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  const { headers: _, ...vendor } = options.vendor ?? {}
  return {
    model: turn.model,
    messages: toChatMessages(turn.messages, dialect),
    ...Object.fromEntries(said.map(([field, value]) => [dialect.rename[field] ?? field, value])),
    ...vendor,
  }
}

function toolFields(turn: Turn, dialect: ChatDialect): JsonObject {
  const { options } = turn
  const tools = [...turn.tools.map(toTool), ...(options.providerTools ?? [])]
  const { toolChoice } = options
  const name = typeof toolChoice === 'object' ? toolChoice.name : undefined
  if (name !== undefined && !dialect.namedToolChoice) {
    throw new LlmError('unsupported', `toolChoice: this server cannot force the tool "${name}"; give only that tool and ask for "required"`)
  }
  if (name !== undefined ? !turn.tools.some((tool) => tool.name === name) : toolChoice === 'required' && !tools.length) {
    throw new LlmError('invalid-request', `toolChoice: ${name === undefined ? '"required" needs a tool' : `there is no tool "${name}"`}`)
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
  function: { name, description, parameters: parameters ?? { type: 'object', properties: {} }, ...(strict !== undefined && { strict }) },
})

function toResponseFormat(format: CallOptions['responseFormat'], dialect: ChatDialect): JsonObject | undefined {
  if (!format || format.type === 'text') return undefined
  if (!dialect.responseFormats.includes(format.type)) {
    const advice = dialect.responseFormats.includes('json') ? '; ask for { type: "json" } and say the form in the prompt' : ''
    throw new LlmError('unsupported', `responseFormat: this server cannot be held to "${format.type}"${advice}`)
  }
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } }
}

function toReasoning(level: CallOptions['reasoning'], dialect: ChatDialect): JsonObject {
  if (level === undefined) return {}
  const fields = dialect.reasoning[level]
  if (fields) return fields
  const known = Object.keys(dialect.reasoning).join(', ')
  throw new LlmError('unsupported', `reasoning: this server has no level "${level}"; it has ${known || 'none'}`)
}
