import { type CallToolResult, CallToolResultSchema, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import { isLlmError, LlmError, longestTimer } from '@modelport/core'
import { compileJsonSchema, type JsonSchemaValidator } from '../schema/json-schema.js'
import { toObjectSchema } from '../tools/define-tool.js'
import type { Tool } from '../tools/tool.js'
import { ToolFailure } from '../tools/tool-content.js'
import type { McpConnection } from './mcp-connection.js'
import { toContent } from './mcp-content.js'
import { redactTexts } from './mcp-secrets.js'
import type { McpSettings } from './mcp-settings.js'
import { toPlainWords } from './mcp-text.js'

/**
 * A listed tool as one of ours.
 * @throws {LlmError} `limit-exceeded` — a schema of it is too large; names the server, the tool and the place.
 */
export function toTool(listed: McpTool, name: string, connection: McpConnection, settings: McpSettings): Tool {
  const { timeoutMs = 120_000 } = settings
  const where = `MCP server "${settings.name}": tool "${toPlainWords(listed.name, 100)}"`
  const { readOnlyHint, destructiveHint } = listed.annotations ?? {}
  const validate = compileLeniently(listed.inputSchema, `${where}: inputSchema`, settings)
  const output = listed.outputSchema && compileLeniently(listed.outputSchema, `${where}: outputSchema`, settings)
  return {
    definition: {
      name,
      description: listed.description ?? listed.title ?? listed.annotations?.title ?? '',
      parameters: toObjectSchema(listed.inputSchema, where),
    },
    validate,
    timeoutMs,
    ...((readOnlyHint === false || destructiveHint === true) && { exclusive: true }),
    execute: async (value, { callId, signal, progress: report }) => {
      const client = await connection.client()
      const params = { name: listed.name, arguments: value as Record<string, unknown> }
      const given = await client
        .request({ method: 'tools/call', params }, CallToolResultSchema, {
          signal,
          timeout: Math.min(timeoutMs, longestTimer),
          onprogress: (given) => {
            const progress = redactTexts(given, connection.redact)
            settings.onProgress?.({ ...progress, tool: name, callId })
            report?.(progress)
          },
        })
        .catch((error: unknown) => {
          signal.throwIfAborted()
          throw connection.toError(error)
        })
      const result = redactTexts(given, connection.redact, structure)
      checkLength(given, where, settings)
      if (result.isError) throw new ToolFailure(toContent(result))
      const checked = output?.(given.structuredContent)
      if (checked && !checked.ok)
        throw new LlmError(
          'protocol',
          `${where}: it was executed, but its result does not fit its own schema: ${connection.redact(checked.message)}`,
        )
      return toContent(result)
    },
  }
}

/** If a schema is not supported here, only the server checks the arguments, which it does anyway. */
function compileLeniently(schema: McpTool['inputSchema'], where: string, settings: McpSettings): JsonSchemaValidator {
  try {
    return compileJsonSchema(schema, { where, untrusted: true })
  } catch (error) {
    if (!isLlmError(error)) throw error
    if (error.code === 'limit-exceeded')
      throw new LlmError(error.code, `${error.message}; "only" can leave the tool out`)
    settings.onWarning?.(error)
    return (value) => ({ ok: true, value })
  }
}

/** Fields that select how a part is read. */
const structure = new Set(['type', 'mimeType'])
const mostLength = 10_000_000
const mostParts = 1000

function checkLength(
  { content, structuredContent }: CallToolResult,
  where: string,
  { maxResultLength = mostLength }: McpSettings,
): void {
  const refuse = (what: string): never => {
    throw new LlmError('limit-exceeded', `${where}: it was executed, but its result ${what}`)
  }
  if (content.length > mostParts) refuse(`has more than ${mostParts} parts`)
  const length = JSON.stringify([content, structuredContent]).length
  if (length > maxResultLength) refuse(`has ${length} characters, and at most ${maxResultLength} are taken`)
}
