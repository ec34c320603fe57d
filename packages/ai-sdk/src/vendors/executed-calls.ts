import { isObject, type JsonObject, type ProviderToolCall } from '@modelport/core'
import { defined } from '@modelport/driver'
import { toCamel } from './camel.js'

/** A call that the vendor executed, as the vendor's own package reports it. */
export interface ExecutedCall {
  readonly id: string
  /** The vendor's name of the tool. */
  readonly name: string
  readonly input: string
  /** Unset: there is none yet. */
  readonly result?: { readonly value: unknown; readonly isError?: true | undefined }
  /** True for a call that waits until somebody approves it. */
  readonly needsApproval?: true
  /** True for a tool that no application declares, as one of an MCP server. */
  readonly isDynamic?: true
  /** The vendor's id of the item, where its package reports one. */
  readonly itemId?: string
}

/** The calls of a reply in the form of the vendor's package. */
export type ExecutedCallsOf = (calls: readonly ProviderToolCall[]) => readonly ExecutedCall[]

const inputText = (given: unknown): string =>
  typeof given === 'string' ? given : JSON.stringify(given ?? {})

/** The value with its own keys, and those within it, in camel case. */
function toCamelDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelDeep)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toCamel(name), toCamelDeep(inner)]),
  )
}

/** What a vendor says of one call: both may be one item, or the last one has the result. */
interface CallItems {
  readonly id: string
  readonly first: ProviderToolCall
  readonly last: ProviderToolCall
}

function groupById(calls: readonly ProviderToolCall[]): readonly CallItems[] {
  const byId = new Map<string, CallItems>()
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? `executed-${index}`
    byId.set(id, { id, first: byId.get(id)?.first ?? call, last: call })
  }
  return [...byId.values()]
}

function toCall({ id, first, last }: CallItems): ExecutedCall {
  const data = isObject(first.data) ? first.data : {}
  const input = inputText(data['input'] ?? data['arguments'] ?? data['action'])
  return { id, name: first.name, input, result: { value: last.data ?? {} } }
}

/** Calls of an API that no package of the AI SDK has: one call and one result for each id. */
export const anyCalls: ExecutedCallsOf = (calls) => groupById(calls).map(toCall)

type Shape = Pick<ExecutedCall, 'input' | 'result'> & { readonly name?: string }

/** What a search of the web did. */
function searchOf({ action, status }: JsonObject): NonNullable<ExecutedCall['result']> {
  if (status !== 'completed') return { value: { status }, isError: true }
  if (!isObject(action)) return { value: {} }
  const { type, query, queries, sources, url, pattern } = action
  if (type !== 'search')
    return { value: { action: defined({ type: toCamel(String(type)), url, pattern }) } }
  return { value: defined({ action: defined({ type, query, queries }), sources }) }
}

/** Items of the Responses API, by their type. */
const shapes: Readonly<Record<string, (item: JsonObject) => Shape>> = {
  web_search_call: (item) => ({ name: 'web_search', input: '{}', result: searchOf(item) }),
  file_search_call: ({ queries, results }) => ({
    name: 'file_search',
    input: '{}',
    result: {
      value: {
        queries,
        // The attributes have the application's own names.
        results: Array.isArray(results)
          ? results.map(({ attributes, file_id: fileId, filename, score, text }: JsonObject) => ({
              attributes,
              fileId,
              filename,
              score,
              text,
            }))
          : null,
      },
    },
  }),
  image_generation_call: ({ result }) => ({
    name: 'image_generation',
    input: '{}',
    result: { value: { result } },
  }),
  code_interpreter_call: ({ code, container_id: containerId, outputs }) => ({
    name: 'code_interpreter',
    input: JSON.stringify({ code, containerId }),
    result: { value: { outputs } },
  }),
}

/** A call of a tool of an MCP server. */
function mcpCallOf(item: JsonObject, id: string): ExecutedCall {
  const { id: itemId, type, name, server_label: serverLabel, output, error } = item
  const input = inputText(item['arguments'])
  const call = { id, name: `mcp.${String(name)}`, input, isDynamic: true } as const
  if (type === 'mcp_approval_request') return { ...call, needsApproval: true }
  const value = {
    type: 'call',
    serverLabel,
    name,
    arguments: item['arguments'],
    ...defined({ output: output ?? undefined, error: error ?? undefined }),
  }
  return { ...call, result: { value }, ...(typeof itemId === 'string' && { itemId }) }
}

/** Calls that OpenAI executed. What servers list is not a call. */
export const responsesCalls: ExecutedCallsOf = (calls) =>
  groupById(calls).flatMap((items): readonly ExecutedCall[] => {
    const call = toCall(items)
    const { id, data: item } = items.last
    if (id === undefined || !isObject(item)) return [call]

    const type = String(item['type'])
    if (type === 'mcp_list_tools') return []
    if (type === 'mcp_call' || type === 'mcp_approval_request') return [mcpCallOf(item, call.id)]
    const shape = Object.hasOwn(shapes, type) ? shapes[type]?.(item) : undefined
    return [{ ...call, ...shape }]
  })

/** Tools of Claude's code execution that its package has under one name. */
const codeTools: ReadonlySet<string> = new Set([
  'bash_code_execution',
  'text_editor_code_execution',
])

/** The input of a call of Claude, with what its package tells kinds of code apart by. */
function claudeInput(name: string, input: unknown): unknown {
  if (codeTools.has(name)) return { type: name, ...Object(input) }
  if (name === 'code_execution' && isObject(input) && 'code' in input && !('type' in input))
    return { type: 'programmatic-tool-call', ...input }
  return input
}

/** The result of a call of Claude. */
function claudeResult(block: JsonObject): NonNullable<ExecutedCall['result']> {
  const { type, content, is_error: isError } = block
  if (type === 'mcp_tool_result')
    return { value: content, isError: isError === true ? true : undefined }
  if (codeTools.has(String(type).replace(/_tool_result$/, ''))) return { value: content }
  if (Array.isArray(content))
    return {
      value: content
        .map(toCamelDeep)
        .map((one) =>
          isObject(one) && one['type'] === 'web_search_result' ? { pageAge: null, ...one } : one,
        ),
    }
  if (!isObject(content)) return { value: content ?? {} }
  const { type: kind } = content
  if (typeof kind === 'string' && kind.endsWith('_error'))
    return { value: { type: kind, errorCode: content['error_code'] }, isError: true }
  if (type === 'code_execution_tool_result')
    return { value: { ...content, content: content['content'] ?? [] } }
  if (Array.isArray(content['tool_references']))
    return { value: toCamelDeep(content['tool_references']) }
  return { value: toCamelDeep(content) }
}

/** Calls that Anthropic executed. */
export const messagesCalls: ExecutedCallsOf = (calls) => {
  const isResult = ({ data }: ProviderToolCall): boolean =>
    isObject(data) && data['tool_use_id'] !== undefined
  const results = new Map(calls.filter(isResult).map(({ id, data }) => [id, data]))
  return groupById(calls).map((items): ExecutedCall => {
    const call = toCall(items)
    const { id, data: block } = items.first
    if (id === undefined || !isObject(block)) return call

    const result = results.get(call.id)
    return {
      id: call.id,
      name: codeTools.has(call.name) ? 'code_execution' : call.name,
      input: inputText(claudeInput(call.name, block['input'])),
      ...(isObject(result) && { result: claudeResult(result) }),
      ...(block['type'] === 'mcp_tool_use' && { isDynamic: true }),
    }
  })
}

/** What the package of Google has in its metadata, and not among the calls. */
const grounding: ReadonlySet<string> = new Set([
  'google_search',
  'file_search',
  'google_maps',
  'retrieval',
  'url_context',
])

/** Calls that Google executed: its code and its result are two parts, often without an id. */
export const geminiCalls: ExecutedCallsOf = (calls) => {
  const executed: ExecutedCall[] = []
  for (const [index, { id = `executed-${index}`, name, data }] of calls.entries()) {
    const { executableCode, codeExecutionResult, toolCall, toolResponse } = Object(
      data,
    ) as JsonObject
    const last = executed.at(-1)
    if (isObject(executableCode)) executed.push({ id, name, input: JSON.stringify(executableCode) })
    else if (isObject(toolCall))
      executed.push({
        id,
        name: `server:${String(toolCall['toolType'])}`,
        input: inputText(toolCall['args']),
        isDynamic: true,
      })
    else if (isObject(codeExecutionResult) && last) {
      const { outcome, output = '' } = codeExecutionResult
      executed.splice(-1, 1, { ...last, result: { value: { outcome, output } } })
    } else if (isObject(toolResponse) && last)
      executed.splice(-1, 1, { ...last, result: { value: toolResponse['response'] ?? {} } })
    else if (!grounding.has(name)) executed.push(...anyCalls([{ id, name, data }]))
  }
  return executed
}
