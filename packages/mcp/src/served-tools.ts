import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type Content, isObject, type JsonObject } from '@modelport/core'
import { executeBatch, isToolFailure, type StoredQuestion, type Tool } from '@modelport/runtime'
import { checkLength } from './limits.js'
import type { ServeMcpOptions } from './serve-options.js'
import { toBlocks } from './served-content.js'
import { progressOf } from './served-progress.js'
import type { OpenQuestions } from './served-questions.js'

/** Who calls a tool. */
export interface ToolCaller extends Pick<ServeMcpOptions, 'context'> {
  readonly principal: string
  readonly questions: OpenQuestions
  /** Called with what the tool throws, which the caller is not shown. */
  readonly onError: (error: unknown) => void
}

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

const toInputSchema = (
  parameters: JsonObject = { additionalProperties: false },
): McpTool['inputSchema'] => ({
  ...(parameters as object),
  type: 'object',
})

/**
 * Executes one call: its arguments are checked and its time is limited as in a run. What goes wrong
 * is a result that the model can read.
 * @throws {ProtocolError} invalid params — there is no such tool; {LlmError} `limit-exceeded` — the
 * result is too large.
 */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given = {} }: CallToolRequest['params'],
  ctx: ServerContext,
  { principal, questions, context, onError }: ToolCaller,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = tools.find(({ definition }) => definition.name === name)
  if (!tool)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)
  const args = given as JsonObject
  const call = {
    id: String(ctx.mcpReq.id),
    name,
    arguments: args,
    argumentsText: JSON.stringify(args),
  }
  const key = JSON.stringify([name, args])
  const answers = questions.answersTo(principal, key, ctx)
  if (isInputRequiredResult(answers)) return answers
  const runId = crypto.randomUUID()
  const report = progressOf(ctx)
  let asked: StoredQuestion | undefined
  let result: CallToolResult = { content: [] }
  await executeBatch([call], {
    tools: [tool],
    step: 1,
    run: () => ({ runId, idempotencyKey: runId, ...(context && { context: context(principal) }) }),
    answers: () => answers,
    signal: ctx.mcpReq.signal,
    ...(report && { onProgress: (_call, value) => report(value) }),
    onResult: (_call, { content, isError }, { status, value, error, uncertain }) => {
      if (status === 'pending' && isObject(value))
        asked = value['question'] as StoredQuestion | undefined
      // Messages of errors have addresses, paths and passwords; only a `ToolFailure` is written for
      // the model.
      const isSecret = error !== undefined && !isToolFailure(error)
      if (isSecret) onError(error)
      result = {
        content: isSecret ? toFailure(hiddenFailure(name, uncertain)).content : toBlocks(content),
        ...(status === 'ok' && isObject(value) && toStructure(content)),
        ...(isError && { isError }),
      }
    },
  })
  if (asked) return questions.ask({ principal, call: key, questions: [...answers, asked] })
  checkLength(result.content, undefined, `The tool "${name}" was executed, but its result`, {})
  return result
}

/** A client that reads of a failure asks again; what may have happened is not one. */
const hiddenFailure = (name: string, isUncertain = false): string =>
  isUncertain
    ? `The tool "${name}" gave no result, and whether it had an effect is unknown; the operator of the server can see why`
    : `The tool "${name}" failed; the operator of the server can see why`

/** The text of a value that is an object is its JSON. */
const toStructure = (content: Content): Pick<CallToolResult, 'structuredContent'> =>
  typeof content === 'string' && content.startsWith('{')
    ? { structuredContent: JSON.parse(content) as Record<string, unknown> }
    : {}

/** A result that says what went wrong. */
export const toFailure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})
