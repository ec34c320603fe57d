import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ContentPart, JsonObject } from '@modelport/core'
import { pending, type Tool, toToolContent } from '@modelport/runtime'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { toMetadata } from './own-options.ts'

type Output = Exclude<LanguageModelV4ToolResultOutput, { type: 'execution-denied' }>
type OutputPart = Exclude<Extract<Output, { type: 'content' }>['value'][number], { type: 'custom' }>

/** A tool of ours as the AI SDK takes it. */
export interface AiTool {
  readonly description: string
  readonly inputSchema: StandardSchemaV1<unknown, JsonObject> & StandardJSONSchemaV1<unknown, JsonObject>
  readonly strict?: boolean
  execute(
    input: JsonObject,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
  ): Promise<unknown>
  toModelOutput(result: { readonly output: unknown }): Output
}

/** No result of a tool is one of these; the class is the runtime's own. */
const PendingResult = pending('').constructor

/**
 * Tools of ours as a tool set of the AI SDK, by name. Arguments are checked as `infer` checks them. A tool whose result comes later cannot run there: its
 * call fails. What `strict`, `cache`, `deferred` and `callers` say is kept.
 */
export const toAiTools = (tools: readonly Tool[]): Record<string, AiTool> =>
  Object.fromEntries(tools.map((tool) => [tool.definition.name, toAiTool(tool)]))

function toAiTool(tool: Tool): AiTool {
  const { description, parameters = {}, strict, name: _, ...hints } = tool.definition
  const { providerMetadata: providerOptions } = toMetadata(hints)
  return {
    description,
    inputSchema: toSchema(tool, { type: 'object', ...parameters }),
    ...(strict !== undefined && { strict }),
    ...(providerOptions && { providerOptions }),
    execute: async (input, { toolCallId: callId, abortSignal: signal = new AbortController().signal }) => {
      const run = { runId: callId, idempotencyKey: callId }
      const result = await tool.execute(input, { callId, step: 1, signal, run })
      if (result instanceof PendingResult)
        throw new TypeError(`tool "${tool.definition.name}": its result comes later; run it with infer`)
      return result
    },
    toModelOutput: ({ output }) => {
      const content = toToolContent(output)
      return typeof content === 'string'
        ? { type: 'text', value: content }
        : { type: 'content', value: content.map(toOutputPart) }
    },
  }
}

/** A Standard Schema that shows the tool's JSON Schema and checks as the tool does. */
function toSchema(tool: Tool, parameters: JsonObject): AiTool['inputSchema'] {
  // The AI SDK writes into what it gets.
  const show = (): Record<string, unknown> => structuredClone(parameters)
  return {
    '~standard': {
      version: 1,
      vendor: 'modelport',
      jsonSchema: { input: show, output: show },
      validate: async (value) => {
        const result = await tool.validate(value as JsonObject)
        return result.ok ? { value: result.value as JsonObject } : { issues: [{ message: result.message }] }
      },
    },
  }
}

function toOutputPart(part: ContentPart): OutputPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source } = part
  const mediaType = source.mediaType ?? (part.type === 'file' ? 'application' : part.type)
  const name = part.type === 'file' && part.name !== undefined ? { filename: part.name } : {}
  switch (source.type) {
    case 'base64':
      return { type: 'file', mediaType, data: { type: 'data', data: source.data }, ...name }
    case 'url':
      return { type: 'file', mediaType, data: { type: 'url', url: new URL(source.url) }, ...name }
    case 'file':
      return {
        type: 'file',
        mediaType,
        data: { type: 'reference', reference: { [source.origin]: source.id } },
        ...name,
      }
  }
}
