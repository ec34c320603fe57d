import {
  type CallToolRequest,
  type CallToolResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject, type JsonObject, type LlmError } from '@modelport/core'
import { executeBatch, type RunContext, type Tool } from '@modelport/runtime'
import { checkLength } from './limits.js'
import { toBlocks } from './served-content.js'
import { progressOf } from './served-progress.js'

/** A tool as it is listed. */
export const toListed = ({ definition, readOnly, idempotent }: Tool): McpTool => ({
  name: definition.name,
  description: definition.description,
  inputSchema: toInputSchema(definition.parameters),
  annotations: {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(readOnly && { destructiveHint: false }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
  },
})

const toInputSchema = (parameters: JsonObject = { additionalProperties: false }): McpTool['inputSchema'] => ({
  ...(parameters as object),
  type: 'object',
})

/**
 * Executes one call: its arguments are checked and its time is limited as in a run. What goes wrong is a result that the model can read.
 * @throws {ProtocolError} invalid params — there is no such tool.
 */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given = {} }: CallToolRequest['params'],
  ctx: ServerContext,
  context: Pick<RunContext, 'context'>,
): Promise<CallToolResult> {
  if (!tools.some(({ definition }) => definition.name === name)) throw unknownTool(name)
  const args = given as JsonObject
  const call = { id: String(ctx.mcpReq.id), name, arguments: args, argumentsText: JSON.stringify(args) }
  const runId = crypto.randomUUID()
  const report = progressOf(ctx)
  let result: CallToolResult = { content: [] }
  await executeBatch([call], {
    tools,
    step: 1,
    run: () => ({ runId, idempotencyKey: runId, ...context }),
    signal: ctx.mcpReq.signal,
    ...(report && { onProgress: (_call, value) => report(value) }),
    onResult: (_call, { content, isError }, { status, value }) => {
      result = {
        content: toBlocks(content),
        // The text is the JSON of the value.
        ...(status === 'ok' && typeof content === 'string' && isPlain(value) && { structuredContent: parse(content) }),
        ...(isError && { isError }),
      }
    },
  })
  return withinLength(result, name)
}

/** The error for a tool that does not exist. */
export const unknownTool = (name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)

/** A result that says what went wrong. */
export const toFailure = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

function withinLength(result: CallToolResult, name: string): CallToolResult {
  try {
    checkLength(result.content, undefined, `The tool "${name}" was executed, but its result`, {})
    return result
  } catch (error) {
    return toFailure((error as LlmError).message)
  }
}

const isPlain = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value)

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isPlain(value) ? value : undefined
  } catch {
    return undefined
  }
}
