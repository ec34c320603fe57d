import type {
  JSONObject,
  JSONValue,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV3Warning,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import {
  type AssistantMessage,
  type Citation,
  type FinishReason,
  type ProviderToolCall,
  type ReplyDetails,
  type TokenUsage,
  type ToolCall,
} from '@modelport/core'
import { defined } from '@modelport/driver'
import { ownOptions, toMetadata } from './own-options.js'
import type { ExecutedCall } from './vendors/executed-calls.js'
import type { ReplyContext } from './vendors/reply-context.js'

/** A part of a whole reply that stands in a stream as it is. */
type StreamedPart = Extract<LanguageModelV4Content, LanguageModelV4StreamPart>

/**
 * The call as a part. `argumentsText` goes with it where the AI SDK would write the arguments
 * otherwise.
 */
export function toCallPart(
  { id, name, argumentsText, arguments: values }: ToolCall,
  context: ReplyContext,
): LanguageModelV4ToolCall {
  const metadata = argumentsText === JSON.stringify(values) ? {} : toMetadata({ argumentsText })
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: context.nameOf(name),
    input: argumentsText,
    ...metadata,
  }
}

/**
 * Lets a part carry what the next request needs of its reply. A page may get the part, so the state
 * that the vendor's own items are in is sealed.
 */
export const carry = <
  Part extends { readonly type: string; readonly providerMetadata?: SharedV4ProviderMetadata },
>(
  part: Part,
  { origin, refusal }: AssistantMessage,
  { seal }: ReplyContext,
): Part => {
  const mark = origin?.state === undefined ? undefined : seal.mark(origin)
  const reply = defined({ origin, refusal, seal: mark })
  return { ...part, ...toMetadata({ ...ownOptions(part.providerMetadata), reply }) }
}

/** What a whole reply consists of, in order; the last part of the message carries the reply. */
export function toParts(
  message: AssistantMessage,
  text: string,
  details: ReplyDetails,
  context: ReplyContext,
): LanguageModelV4Content[] {
  const { reasoning, toolCalls = [] } = message
  const said: LanguageModelV4Content[] = [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(text || (!reasoning && !toolCalls.length) ? [{ type: 'text' as const, text }] : []),
    ...toolCalls.map((call) => toCallPart(call, context)),
  ]
  const parts = said.map((part, index) =>
    context.withItem(index < said.length - 1 ? part : carry(part, message, context), () => details),
  )
  return [...parts, ...restOf(message, details, context)]
}

/** What a stream brings only at its end: files, calls that the vendor executed, sources. */
export const restOf = (
  message: AssistantMessage,
  details: ReplyDetails,
  context: ReplyContext,
): readonly StreamedPart[] => [
  ...toFiles(message),
  ...toVendorCalls(details.providerToolCalls ?? [], context),
  ...(details.citations ?? []).map((citation, index) =>
    toSource(citation, `${details.responseId ?? 'reply'}-${index}`),
  ),
]

/** A file that is only an address stays with its vendor: the AI SDK would fetch it. */
const toFiles = ({ content }: AssistantMessage): readonly StreamedPart[] =>
  (typeof content === 'string' ? [] : content).flatMap((part, index): StreamedPart[] => {
    if (part.type === 'text' || part.source.type === 'file') return []
    const { source } = part
    if (source.type === 'url')
      return [{ type: 'source', sourceType: 'url', id: `file-${index}`, url: source.url }]
    return [
      { type: 'file', mediaType: source.mediaType, data: { type: 'data', data: source.data } },
    ]
  })

/**
 * Calls of the vendor's tools: those that the application has to run, and those that the vendor
 * executed. A tool that the application has not named is `dynamic`: the AI SDK refuses a name that
 * it does not know.
 */
function toVendorCalls(
  calls: readonly ProviderToolCall[],
  context: ReplyContext,
): readonly StreamedPart[] {
  const forClient: StreamedPart[] = []
  const executed: ProviderToolCall[] = []
  for (const call of calls) {
    const ofClient = context.clientCall(call)
    if (!ofClient) {
      executed.push(call)
      continue
    }
    forClient.push({
      type: 'tool-call',
      toolCallId: ofClient.id,
      toolName: context.nameOf(ofClient.name),
      input: JSON.stringify(ofClient.input),
    })
  }
  return [
    ...forClient,
    ...context.executedCalls(executed).flatMap((call) => toExecutedCall(call, context)),
  ]
}

/** The call, with its result or the request to approve it. */
function toExecutedCall(
  { id, name, input, result, needsApproval, isDynamic, itemId }: ExecutedCall,
  context: ReplyContext,
): readonly StreamedPart[] {
  const isNamed = !isDynamic && context.isDeclared(name)
  const executed = {
    toolCallId: id,
    toolName: isDynamic ? name : context.nameOf(name),
    ...(!isNamed && { dynamic: true }),
  }
  const call: StreamedPart = { type: 'tool-call', ...executed, providerExecuted: true, input }
  if (needsApproval)
    return [call, { type: 'tool-approval-request', approvalId: id, toolCallId: id }]
  if (!result) return [call]
  const { value, isError } = result
  return [
    call,
    {
      type: 'tool-result',
      ...executed,
      result: (value ?? {}) as NonNullable<JSONValue>,
      ...(isError && { isError }),
      ...context.itemMetadata(itemId),
    },
  ]
}

function toSource(citation: Citation, id: string): LanguageModelV4Source {
  const { url, title, fileId, store } = citation
  const common = { type: 'source' as const, id, ...toMetadata({ citation }) }
  if (url !== undefined) return { ...common, sourceType: 'url', url, ...defined({ title }) }
  const name = title ?? fileId ?? store ?? 'a document of the prompt'
  return { ...common, sourceType: 'document', mediaType: 'application/octet-stream', title: name }
}

const reasons = ['stop', 'length', 'tool-calls', 'content-filter', 'error'] as const

/** The finish reason, with the vendor's own word. Calls for the application are tool calls. */
export function toFinishReason(
  reason: FinishReason,
  { rawFinishReason: raw, providerToolCalls = [] }: ReplyDetails,
  context: ReplyContext,
): LanguageModelV4FinishReason {
  if (reason === 'stop' && providerToolCalls.some((call) => context.clientCall(call)))
    return { unified: 'tool-calls', raw }
  return { unified: reasons.find((known) => known === reason) ?? 'other', raw }
}

/**
 * The counts; all of ours are in `raw`. Counts of a server that reports none are undefined, not 0.
 */
export function toUsage(usage: TokenUsage): LanguageModelV4Usage {
  const {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    reasoningTokens,
    reported,
  } = usage
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
    raw: Object(usage) as JSONObject,
  }
}

/** Warnings of a reply in the AI SDK's form. */
export const toWarnings = (warnings: readonly string[] = []): SharedV3Warning[] =>
  warnings.map((message) => ({ type: 'other', message }))
