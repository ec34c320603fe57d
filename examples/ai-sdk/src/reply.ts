import type {
  JSONObject,
  JSONValue,
  LanguageModelV4FinishReason,
  LanguageModelV4Reasoning,
  LanguageModelV4Source,
  LanguageModelV4Text,
  LanguageModelV4ToolApprovalRequest,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import {
  type AssistantMessage,
  type Citation,
  type FinishReason,
  isObject,
  type ProviderToolCall,
  type ReplyDetails,
  type TokenUsage,
  type ToolCall,
} from '@modelport/core'
import { addMetadata, toMetadata } from './own-options.ts'

/** A file that the model made. */
interface GeneratedFile {
  readonly type: 'file'
  readonly mediaType: string
  readonly data: { readonly type: 'data'; readonly data: string }
}

/** A part of a reply that both specifications have; only a file differs. */
export type ReplyPart = LanguageModelV4Text | LanguageModelV4Reasoning | StreamedPart

/** One that stands in a stream as it is. */
export type StreamedPart =
  | GeneratedFile
  | LanguageModelV4Source
  | LanguageModelV4ToolCall
  | LanguageModelV4ToolResult
  | LanguageModelV4ToolApprovalRequest

/** A finish reason of both specifications. */
export interface EndReason extends LanguageModelV4FinishReason {
  unified: Exclude<LanguageModelV4FinishReason['unified'], 'interrupted'>
}

/** The call as a part. `argumentsText` goes with it where the AI SDK would write the arguments otherwise. */
export function toCallPart({ id, name, argumentsText, arguments: values }: ToolCall): LanguageModelV4ToolCall {
  const isPlain = argumentsText === JSON.stringify(values)
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: argumentsText,
    ...(!isPlain && toMetadata({ argumentsText })),
  }
}

/** Lets a part carry what the next request needs of its reply. */
export const carry = <Part extends { readonly providerMetadata?: Readonly<Record<string, JSONObject>> }>(
  part: Part,
  { origin, refusal }: AssistantMessage,
): Part => addMetadata(part, { reply: { ...(origin && { origin }), ...(refusal !== undefined && { refusal }) } })

/** What a whole reply consists of, in order; the last part of the message carries the reply. */
export function toParts(message: AssistantMessage, text: string, details: ReplyDetails): readonly ReplyPart[] {
  const { reasoning, toolCalls = [] } = message
  const said: (LanguageModelV4Text | LanguageModelV4Reasoning | LanguageModelV4ToolCall)[] = [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(text || (!reasoning && !toolCalls.length) ? [{ type: 'text' as const, text }] : []),
    ...toolCalls.map(toCallPart),
  ]
  return [
    ...said.map((part, index) => (index < said.length - 1 ? part : carry(part, message))),
    ...restOf(message, details),
  ]
}

/** What a stream brings only at its end: files, calls that the vendor executed, sources. */
export const restOf = (message: AssistantMessage, details: ReplyDetails): readonly StreamedPart[] => [
  ...toFiles(message),
  ...toExecutedCalls(details.providerToolCalls ?? []),
  ...(details.citations ?? []).map((citation, index) =>
    toSource(citation, `${details.responseId ?? 'reply'}-source-${index}`),
  ),
]

/** A file that is only an address stays with its vendor: the AI SDK would fetch it. */
function toFiles({ content }: AssistantMessage): readonly StreamedPart[] {
  if (typeof content === 'string') return []
  return content.flatMap((part, index): StreamedPart[] => {
    if (part.type === 'text' || part.source.type === 'file') return []
    const { source } = part
    if (source.type === 'url') return [{ type: 'source', sourceType: 'url', id: `file-${index}`, url: source.url }]
    return [{ type: 'file', mediaType: source.mediaType, data: { type: 'data', data: source.data } }]
  })
}

/** One call and one result for each id: a vendor may report both in one item, or in two. A call that waits for approval has no result yet. */
function toExecutedCalls(calls: readonly ProviderToolCall[]): readonly StreamedPart[] {
  const byId = new Map<string, ProviderToolCall[]>()
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? `executed-${index}`
    byId.set(id, [...(byId.get(id) ?? []), call])
  }
  return [...byId].flatMap(([toolCallId, items]): StreamedPart[] => {
    const [first] = items
    const last = items.at(-1)
    if (!first || !last) return []
    const { data } = first
    const input = isObject(data) ? (data['input'] ?? data['arguments'] ?? data['action']) : undefined
    const executed = { toolCallId, toolName: first.name, dynamic: true }
    const call: StreamedPart = {
      type: 'tool-call',
      ...executed,
      providerExecuted: true,
      input: typeof input === 'string' ? input : JSON.stringify(input ?? {}),
    }
    if (isObject(data) && data['type'] === 'mcp_approval_request')
      return [call, { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }]
    return [call, { type: 'tool-result', ...executed, result: toResult(last.data) }]
  })
}

const toResult = (data: unknown): NonNullable<JSONValue> => (data ?? {}) as NonNullable<JSONValue>

function toSource(citation: Citation, id: string): LanguageModelV4Source {
  const { url, title, fileId, store } = citation
  const common = { type: 'source' as const, id, ...toMetadata({ citation }) }
  if (url !== undefined) return { ...common, sourceType: 'url', url, ...(title !== undefined && { title }) }
  return {
    ...common,
    sourceType: 'document',
    mediaType: 'application/octet-stream',
    title: title ?? fileId ?? store ?? 'a document of the prompt',
  }
}

const reasons: Readonly<Partial<Record<FinishReason, EndReason['unified']>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool-calls',
  'content-filter': 'content-filter',
  error: 'error',
}

/** The finish reason, with the vendor's own word. */
export const toFinishReason = (reason: FinishReason, { rawFinishReason }: ReplyDetails): EndReason => ({
  unified: reasons[reason] ?? 'other',
  raw: rawFinishReason,
})

/** The counts; all of ours are in `raw`. Counts of a server that reports none are undefined, not 0. */
export function toUsage(usage: TokenUsage): LanguageModelV4Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, reasoningTokens, reported } = usage
  const known = (count: number): number | undefined => (reported ? count : undefined)
  return {
    inputTokens: {
      total: known(inputTokens),
      noCache: known(inputTokens - cacheReadTokens - cacheCreationTokens),
      cacheRead: known(cacheReadTokens),
      cacheWrite: known(cacheCreationTokens),
    },
    outputTokens: {
      total: known(outputTokens),
      text: known(outputTokens - reasoningTokens),
      reasoning: known(reasoningTokens),
    },
    raw: toJson(usage),
  }
}

/** Counts are JSON, whatever their types say. */
const toJson = (value: object): JSONObject => value as JSONObject
