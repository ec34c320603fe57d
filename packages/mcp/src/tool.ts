import type { Tool as McpTool } from '@modelcontextprotocol/client'
import { isLlmError, type JsonObject, LlmError, longestTimer } from '@modelport/core'
import { compileJsonSchema, type JsonSchemaValidator, type Tool, ToolFailure } from '@modelport/runtime'
import type { McpConnection } from './connection.js'
import { toContent } from './content.js'
import { checkLength } from './limits.js'
import { toPlainWords } from './plain-words.js'
import { redactTexts } from './secrets.js'
import type { McpSettings } from './settings.js'

/**
 * A listed tool as one of ours.
 * @throws {LlmError} `limit-exceeded` — a schema of it is too large; names the server, the tool and the place.
 */
export function toTool(listed: McpTool, name: string, connection: McpConnection, settings: McpSettings): Tool {
  const { timeoutMs = 120_000, trustHints } = settings
  const where = `MCP server "${settings.name}": tool "${toPlainWords(listed.name, 100)}"`
  const { readOnlyHint, destructiveHint, idempotentHint } = listed.annotations ?? {}
  const { $schema: _dialect, ...parameters } = listed.inputSchema
  const validate = compileLeniently(listed.inputSchema, `${where}: inputSchema`, settings)
  const output = listed.outputSchema && compileLeniently(listed.outputSchema, `${where}: outputSchema`, settings)
  return {
    definition: {
      name,
      description: listed.description ?? listed.title ?? listed.annotations?.title ?? '',
      parameters,
    },
    validate,
    timeoutMs,
    ...(trustHints && readOnlyHint && { readOnly: true }),
    ...(trustHints && idempotentHint && { idempotent: true }),
    ...((readOnlyHint === false || destructiveHint === true) && { exclusive: true }),
    execute: async (value, { callId, signal, progress: report }) => {
      const client = await connection.client()
      const params = { name: listed.name, arguments: value as Record<string, unknown> }
      const given = await client
        .callTool(params, {
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
      checkLength(given.content, given.structuredContent, `${where}: it was executed, but its result`, settings)
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
function compileLeniently(schema: JsonObject, where: string, settings: McpSettings): JsonSchemaValidator {
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
