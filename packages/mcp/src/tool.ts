import type {
  CallToolRequestParams,
  CallToolResult,
  Client,
  Tool as McpTool,
  Progress,
} from '@modelcontextprotocol/client'
import { type Content, isLlmError, type JsonObject, LlmError, longestTimer } from '@modelport/core'
import {
  compileJsonSchema,
  type JsonSchemaValidator,
  OutcomeUnknown,
  type Tool,
  type ToolContext,
  ToolFailure,
} from '@modelport/runtime'
import type { McpConnection } from './connection.js'
import { markContent, toContent } from './content.js'
import { sendRounds, toQuestion } from './elicitation.js'
import { checkLength } from './limits.js'
import { toPlainWords } from './plain-words.js'
import { ServerTasks } from './server-task.js'
import type { McpSettings } from './settings.js'
import { needsTask, TaskCalls } from './task-calls.js'
import { taskOf } from './task-extension.js'
import { structure } from './trust/show.js'
import { toVisibleText } from './trust/visible-text.js'

/**
 * A listed tool as one of ours.
 * @throws {LlmError} `limit-exceeded` — a schema of it is too large; names the server, the tool and
 * the place.
 */
export function toTool(
  listed: McpTool,
  name: string,
  connection: McpConnection,
  settings: McpSettings,
): Tool {
  const { timeoutMs = 120_000, trustHints } = settings
  const place = `tool "${toPlainWords(listed.name, 100)}"`
  const where = `MCP server "${settings.name}": ${place}`
  const { readOnlyHint, destructiveHint, idempotentHint } = listed.annotations ?? {}
  const inputSchema = connection.show(listed.inputSchema, `${place}: inputSchema`)
  const { $schema: _dialect, ...parameters } = inputSchema
  const description = listed.description ?? listed.title ?? listed.annotations?.title ?? ''
  const validate = compileLeniently(inputSchema, `${where}: inputSchema`, settings)
  const finish = finishOf(listed, where, connection, settings)
  const mayBeTask = needsTask(listed) || connection.answersWithTasks
  const tasks = new TaskCalls(listed, connection, settings)
  return {
    definition: {
      name,
      description: connection.show(description, `${place}: description`),
      parameters,
    },
    validate,
    // A call that leaves its task pending has done so by then.
    timeoutMs: mayBeTask ? tasks.timeoutMs : timeoutMs,
    source: settings.name,
    ...(trustHints && readOnlyHint && { readOnly: true }),
    ...(trustHints && idempotentHint && { idempotent: true }),
    ...((readOnlyHint === false || destructiveHint === true) && { exclusive: true }),
    ...(mayBeTask && {
      reconcile: (_: unknown, { taskId, signal }: ReconcileContext) =>
        tasks.outcomeOf(taskId, finish, signal),
      cancelPending: (taskId: string) => tasks.cancel(taskId),
    }),
    execute: async (value, context) => {
      const { callId, signal, progress: report } = context
      const client = await connection.client()
      const params = { name: listed.name, arguments: value as Record<string, unknown> }
      const options = {
        signal,
        timeout: Math.min(timeoutMs, longestTimer),
        onprogress: (given: Progress) => {
          const progress = connection.show(given, `${place}: progress`)
          settings.onProgress?.({ ...progress, tool: name, callId })
          report?.(progress)
        },
      }
      const call = async () => {
        if (tasks.isOffered(client)) {
          const begun = await new ServerTasks(client).begin(params, options)
          return tasks.follow(client, begun, options, context)
        }
        const result = await send(client, listed, params, options, context, connection, settings)
        const begun = taskOf(result)
        return begun ? tasks.follow(client, begun, options, context) : result
      }
      const given = await call().catch((error: unknown) => {
        signal.throwIfAborted()
        throw error instanceof OutcomeUnknown ? error : toCallError(error, connection)
      })
      return 'work' in given ? given.work : finish(given)
    },
  }
}

/** Makes the content of a call's result, checked against the tool's own schema. */
function finishOf(
  listed: McpTool,
  where: string,
  connection: McpConnection,
  settings: McpSettings,
): (given: CallToolResult) => Content {
  const place = `tool "${toPlainWords(listed.name, 100)}"`
  const output =
    listed.outputSchema && compileLeniently(listed.outputSchema, `${where}: outputSchema`, settings)

  return (given) => {
    const result = connection.show(given, `${place}: result`, structure)
    checkLength(
      result.content,
      result.structuredContent,
      `${where}: it was executed, but its result`,
      settings,
    )
    const content = markContent(toContent(result), settings.name)
    if (result.isError) throw new ToolFailure(content)

    const checked = output?.(given.structuredContent)
    if (checked && !checked.ok)
      throw new LlmError(
        'protocol',
        `${where}: it was executed, but its result does not fit its own schema: ${toVisibleText(connection.redact(checked.message))}`,
      )
    return content
  }
}

type ReconcileContext = Parameters<NonNullable<Tool['reconcile']>>[1]

/** The typed error of a call; of one whose connection ended, that its outcome is unknown. */
function toCallError(error: unknown, connection: McpConnection): LlmError {
  const typed = connection.toError(error)
  if (typed.code !== 'network') return typed
  const message = `${typed.message}; whether the call had an effect is unknown`
  return new LlmError('network', message, { cause: new OutcomeUnknown(message, { cause: typed }) })
}

/** Sends a call, with the questions of the server if its user can be asked. */
function send(
  client: Client,
  listed: McpTool,
  params: CallToolRequestParams,
  options: NonNullable<Parameters<Client['callTool']>[1]>,
  context: ToolContext,
  connection: McpConnection,
  { elicitation, name }: McpSettings,
): Promise<CallToolResult> {
  const { ask } = context
  if (!elicitation || !ask) return client.callTool(params, options)
  const read: Parameters<typeof sendRounds>[5] = (asked) => toQuestion(asked, name, connection.show)
  return client.getProtocolEra() === 'modern'
    ? sendRounds(client, listed, params, options, { ...context, ask }, read)
    : connection.openCalls.send((more) => client.callTool(params, more), options, ask, read)
}

/**
 * If a schema is not supported here, only the server checks the arguments, which it does anyway.
 */
function compileLeniently(
  schema: JsonObject,
  where: string,
  settings: McpSettings,
): JsonSchemaValidator {
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
