import type { LanguageModelV4FilePart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { Content, ContentPart, JsonObject } from '@modelport/core'
import { defined } from '@modelport/driver'
import {
  executeBatch,
  OutcomeUnknown,
  saysOutcomeUnknown,
  type Tool,
  type ToolOutcome,
  toToolContent,
} from '@modelport/runtime'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { toMetadata } from './own-options.js'

/** A tool of ours as the AI SDK takes it. */
export interface AiTool {
  /** When and how to use it; the model reads this. */
  readonly description: string
  /** The schema of its arguments. */
  readonly inputSchema: StandardSchemaV1<unknown, JsonObject> &
    StandardJSONSchemaV1<unknown, JsonObject>
  /** Whether vendors that can hold the model to the schema exactly. */
  readonly strict?: boolean
  /** Does the work. */
  execute(
    input: JsonObject,
    call: { toolCallId: string; abortSignal?: AbortSignal },
  ): Promise<unknown>
  /** What the model sees of a result. */
  toModelOutput(result: { readonly output: unknown }): LanguageModelV4ToolResultOutput
}

/**
 * Tools of ours as a tool set of the AI SDK, by name. Arguments are checked as `infer` checks them.
 * A tool whose result comes later cannot run there: its call fails. What `strict`, `cache`,
 * `deferred` and `callers` say is kept.
 */
export const toAiTools = (tools: readonly Tool[]): Record<string, AiTool> =>
  Object.fromEntries(tools.map((tool) => [tool.definition.name, toAiTool(tool)]))

function toAiTool(tool: Tool): AiTool {
  const { description, parameters, strict, name: _name, ...hints } = tool.definition
  const { providerMetadata: providerOptions } = toMetadata(hints)
  return {
    description,
    inputSchema: toSchema(tool, { type: 'object', ...parameters }),
    ...defined({ strict, providerOptions }),
    execute: (input, call) => execute(tool, input, call),
    toModelOutput: ({ output }) => toOutput(toToolContent(output)),
  }
}

/**
 * @throws what the tool throws; {OutcomeUnknown} nobody knows whether it had an effect, which its
 * model reads; `TypeError` — its result comes later.
 */
async function execute(
  tool: Tool,
  input: JsonObject,
  { toolCallId: id, abortSignal: signal }: Parameters<AiTool['execute']>[1],
): Promise<unknown> {
  const { name } = tool.definition
  let found: ToolOutcome | undefined
  const call = { id, name, arguments: input, argumentsText: JSON.stringify(input) }
  await executeBatch([call], {
    tools: [tool],
    step: 1,
    run: () => ({ runId: id, idempotencyKey: id }),
    signal,
    onResult: (_call, _result, outcome) => void (found = outcome),
  })
  if (found?.status === 'ok') return found.value
  if (found?.status === 'pending')
    throw new TypeError(`tool "${name}": its result comes later; run it with infer`)
  const { error, uncertain, message = `tool "${name}" gave no result` } = found ?? {}
  if (uncertain && !saysOutcomeUnknown(message))
    throw new OutcomeUnknown(`${message}; whether it had an effect is unknown`, { cause: error })
  throw error instanceof Error ? error : new Error(message, { cause: error })
}

/** A Standard Schema that shows the tool's JSON Schema and checks as the tool does. */
function toSchema(tool: Tool, parameters: JsonObject): AiTool['inputSchema'] {
  // The AI SDK writes into what it gets.
  const show = (): Record<string, unknown> => structuredClone(parameters)
  // For `ai` 5, which takes no Standard Schema except those of zod.
  const former = {
    [Symbol.for('vercel.ai.schema')]: true,
    [Symbol.for('vercel.ai.validator')]: true,
    get jsonSchema() {
      return show()
    },
    validate: async (value: unknown) => {
      const result = await tool.validate(value as JsonObject)
      return result.ok
        ? { success: true, value: result.value }
        : { success: false, error: new TypeError(result.message) }
    },
  }
  const schema: AiTool['inputSchema'] = {
    '~standard': {
      version: 1,
      vendor: 'modelport',
      jsonSchema: { input: show, output: show },
      validate: async (value) => {
        const result = await tool.validate(value as JsonObject)
        return result.ok
          ? { value: result.value as JsonObject }
          : { issues: [{ message: result.message }] }
      },
    },
  }
  return Object.assign(former, schema)
}

/** What a model sees of the result of a tool. */
function toOutput(content: Content): LanguageModelV4ToolResultOutput {
  if (typeof content === 'string') return { type: 'text', value: content }
  return {
    type: 'content',
    value: content.map((part) =>
      part.type === 'text' ? { type: 'text', text: part.text } : toFile(part),
    ),
  }
}

type Media = Exclude<ContentPart, { type: 'text' }>

function toFile(part: Media): LanguageModelV4FilePart {
  const mediaType = part.source.mediaType ?? (part.type === 'file' ? 'application' : part.type)
  const filename = part.type === 'file' ? part.name : undefined
  return { type: 'file', mediaType, data: toData(part.source), ...defined({ filename }) }
}

function toData(source: Media['source']): LanguageModelV4FilePart['data'] {
  if (source.type === 'base64') return { type: 'data', data: source.data }
  if (source.type === 'url') return { type: 'url', url: new URL(source.url) }
  return { type: 'reference', reference: { [source.origin]: source.id } }
}
