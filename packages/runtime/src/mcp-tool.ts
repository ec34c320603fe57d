import { CallToolResultSchema, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import { isLlmError, LlmError } from '@modelport/core'
import { toObjectSchema } from './define-tool.js'
import { compileJsonSchema, type JsonSchemaValidator } from './json-schema.js'
import type { McpConnection } from './mcp-connection.js'
import { toContent } from './mcp-content.js'
import type { McpSettings } from './mcp.js'
import type { Tool } from './tool.js'
import { ToolFailure } from './tool-content.js'

const longestTimer = 2 ** 31 - 1

/** A listed tool as one of ours. */
export function toTool(listed: McpTool, name: string, connection: McpConnection, settings: McpSettings): Tool {
  const { timeoutMs = 120_000 } = settings
  const where = `MCP server "${settings.name}": tool "${listed.name}"`
  const { readOnlyHint, destructiveHint } = listed.annotations ?? {}
  const output = listed.outputSchema && compileLeniently(listed.outputSchema, where)
  return {
    definition: { name, description: listed.description ?? listed.title ?? listed.annotations?.title ?? '', parameters: toObjectSchema(listed.inputSchema, where) },
    validate: compileLeniently(listed.inputSchema, where),
    timeoutMs,
    ...((readOnlyHint === false || destructiveHint === true) && { exclusive: true }),
    execute: async (value, { callId, signal }) => {
      const client = await connection.client()
      const params = { name: listed.name, arguments: value as Record<string, unknown> }
      const result = await client
        .request({ method: 'tools/call', params }, CallToolResultSchema, {
          signal,
          timeout: Math.min(timeoutMs, longestTimer),
          ...(settings.onProgress && { onprogress: (progress) => settings.onProgress?.({ ...progress, tool: name, callId }) }),
        })
        .catch((error: unknown) => {
          signal.throwIfAborted()
          throw connection.toError(error)
        })
      if (result.isError) throw new ToolFailure(toContent(result))
      const checked = output?.(result.structuredContent)
      if (checked && !checked.ok) throw new LlmError('protocol', `${where}: it was executed, but its result does not fit its own schema: ${checked.message}`)
      return toContent(result)
    },
  }
}

/** A schema that is not understood here is the server's to check, which checks all arguments anyway. */
function compileLeniently(schema: McpTool['inputSchema'], where: string): JsonSchemaValidator {
  try {
    return compileJsonSchema(schema, { where })
  } catch (error) {
    if (!isLlmError(error)) throw error
    return (value) => ({ ok: true, value })
  }
}
