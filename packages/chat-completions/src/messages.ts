import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  type ContentPart,
  type JsonObject,
  type MediaSource,
  ProviderError,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import { argumentsTextOf, mapToolCallIds, withoutEmptyReplies, withVendor } from '@modelport/driver'
import type { ChatDialect } from './dialect.js'
import { asObject } from './wire.js'

/** What the decoder keeps of a message for its replay, in `origin.state`. */
export interface ChatState {
  /** Field in which the visible reasoning came; `thinking` when it came as parts of the content. */
  readonly field?: string
  /** Reasoning with its signatures and encrypted parts, to be sent back as it came. */
  readonly details?: readonly unknown[]
  /** Opaque fields of the message itself, for example a thought signature. */
  readonly extra?: unknown
  /** Opaque fields of tool calls, by the call's place in the message. */
  readonly extras?: Readonly<Record<number, unknown>>
  /** Places of calls of custom tools. */
  readonly customs?: readonly number[]
  /** True if pictures came in `images`, next to the content. */
  readonly images?: true
}

/**
 * The conversation in the wire's form. A field without a value is there and undefined: JSON leaves
 * it out.
 * @throws {LlmError} `unsupported` — a message has content that this server cannot take.
 */
export function toChatMessages(
  messages: readonly ChatMessage[],
  dialect: ChatDialect,
): readonly JsonObject[] {
  const all: JsonObject[] = []
  const sent = withoutEmptyReplies(withFittingIds(messages, dialect))
  sent.forEach((message, index) => {
    const where = `messages[${index}]`
    const wire = toMessage(message, where, dialect)
    if (dialect.replyAfterResults && message.role === 'user' && sent[index - 1]?.role === 'tool')
      all.push(noReply)
    all.push(message.vendor ? withVendor(wire, message.vendor, `vendor of ${where}`) : wire)
  })
  return all
}

/** Changes the ids that this server refuses, but not its own. */
function withFittingIds(
  messages: readonly ChatMessage[],
  dialect: ChatDialect,
): readonly ChatMessage[] {
  const mapped = mapToolCallIds(messages, dialect.toolCallIds)
  if (mapped === messages) return messages

  const ownIds = new Set(
    messages.flatMap((message) =>
      isOwn(message, dialect) ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
  )
  return messages.map((message, index) => {
    const isKept =
      isOwn(message, dialect) || (message.role === 'tool' && ownIds.has(message.toolCallId))
    return isKept ? message : (mapped[index] ?? message)
  })
}

const noReply: JsonObject = { role: 'assistant', content: '[No reply.]' }

function toMessage(message: ChatMessage, where: string, dialect: ChatDialect): JsonObject {
  switch (message.role) {
    case 'system':
      return {
        role: dialect.systemRole,
        content: toContent(message.content, where, dialect, ['text']),
        name: toName(message, where, dialect),
      }
    case 'user':
      return {
        role: 'user',
        content: toContent(message.content, where, dialect, dialect.inputs),
        name: toName(message, where, dialect),
      }
    case 'assistant':
      return toAssistant(message, where, dialect)
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.toolCallId,
        content: toResult(message, where, dialect),
      }
  }
}

const isOwn = (message: ChatMessage, { provider }: ChatDialect): message is AssistantMessage =>
  message.role === 'assistant' && provider !== '' && message.origin?.provider === provider

const toName = (
  { name }: { readonly name?: string },
  where: string,
  dialect: ChatDialect,
): string | undefined =>
  name === undefined || dialect.messageNames ? name : refuse(`${where}: a name`)

/** Fields in which reasoning comes; `thinking` stands for parts of the content. */
const reasoningFields: ReadonlySet<string | undefined> = new Set([
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'reasoning_text',
  'thinking',
])

/**
 * The state may have been in a browser: the name of a field from there could be that of the role.
 */
function toChatState(value: unknown): ChatState {
  if (value === undefined) return {}
  const { field, ...state } = asObject<ChatState>(value)
  return reasoningFields.has(field) ? { ...state, field: field as string } : state
}

function toAssistant(message: AssistantMessage, where: string, dialect: ChatDialect): JsonObject {
  const own = isOwn(message, dialect)
  const state = own ? toChatState(message.origin?.state) : {}
  const calls = message.toolCalls ?? []

  // Pictures go back to the server that made them, in the place they came in.
  const images =
    state.images && typeof message.content !== 'string'
      ? message.content.filter(({ type }) => type === 'image')
      : undefined
  const content = toReplyContent(images ? textOf(message.content) : message.content)

  const isReplayed =
    dialect.replayReasoning === 'always' ||
    (dialect.replayReasoning === 'with-tool-calls' && calls.length > 0)
  const reasoning = isReplayed && state.field && !state.details ? message.reasoning : undefined
  const isInContent = state.field === 'thinking'

  const wire: Record<string, unknown> = {
    role: 'assistant',
    content: reasoning && isInContent ? withThinking(reasoning, content) : content,
  }
  if (calls.length && dialect.requiredReasoningField)
    wire[dialect.requiredReasoningField] = message.reasoning ?? ''
  if (reasoning && state.field && !isInContent) wire[state.field] = reasoning
  wire['reasoning_details'] = state.details
  wire['images'] = images?.map((image) => toPart(image, where, dialect))
  wire['extra_content'] = state.extra
  if (calls.length) wire['tool_calls'] = calls.map((call, index) => toWireCall(call, index, state))
  return wire

  /** The refusal stands where there is no text; a message of calls alone has null. */
  function toReplyContent(reply: Content): unknown {
    // What the server spoke is in the text too; its audio could go back by an id that expires.
    const parts =
      own && typeof reply !== 'string' ? reply.filter(({ type }) => type !== 'audio') : reply
    const written = toContent(parts, where, dialect, own ? ['text', 'image'] : ['text'])
    if (written !== '') return written
    return message.refusal ?? (calls.length ? null : '')
  }
}

function toWireCall(call: ToolCall, index: number, state: ChatState): JsonObject {
  const { id, name } = call
  const extra = state.extras?.[index]
  return state.customs?.includes(index)
    ? { id, type: 'custom', custom: { name, input: customInput(call) }, extra_content: extra }
    : {
        id,
        type: 'function',
        function: { name, arguments: argumentsTextOf(call) },
        extra_content: extra,
      }
}

/** The text of a custom tool's call is its argument `input`. */
const customInput = ({ arguments: { input }, argumentsText }: ToolCall): string =>
  typeof input === 'string' ? input : argumentsText

function withThinking(reasoning: string, content: unknown): readonly JsonObject[] {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }
  if (Array.isArray(content)) return [thinking, ...(content as JsonObject[])]
  return content ? [thinking, { type: 'text', text: content }] : [thinking]
}

/** The API has no field for a failed tool, so the text says it. */
function toResult(
  message: ToolMessage,
  where: string,
  dialect: ChatDialect,
): string | readonly JsonObject[] {
  const inputs = dialect.toolResultImages ? (['text', 'image'] as const) : (['text'] as const)
  const content = toContent(message.content, `${where} (a tool result)`, dialect, inputs)
  if (!message.isError) return content
  return typeof content === 'string'
    ? `Error: ${content}`
    : [{ type: 'text', text: 'Error: ' }, ...content]
}

/** Text alone stays plain text: more servers take that. */
function toContent(
  content: Content,
  where: string,
  dialect: ChatDialect,
  allowed: readonly ContentPart['type'][],
): string | readonly JsonObject[] {
  if (
    typeof content === 'string' ||
    content.every((part) => part.type === 'text' && !part.vendor && !isMarked(part, dialect))
  )
    return textOf(content)
  return content.map((part, index) => {
    if (!allowed.includes(part.type)) refuse(`${where}: content of type "${part.type}"`)
    const wire = toPart(part, where, dialect)
    const marked = isMarked(part, dialect)
      ? { ...wire, cache_control: cacheControl[part.cache ?? 'auto'] }
      : wire
    return withVendor(marked, part.vendor, `vendor of ${where}.content[${index}]`)
  })
}

const isMarked = (part: ContentPart, { cacheMarks }: ChatDialect): boolean =>
  cacheMarks && part.cache !== undefined

/** @see https://openrouter.ai/docs/features/prompt-caching (read 2026-11-24) */
const cacheControl = {
  auto: { type: 'ephemeral' },
  hour: { type: 'ephemeral', ttl: '1h' },
} as const

function toPart(part: ContentPart, where: string, dialect: ChatDialect): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      if (part.source.type === 'file')
        return refuse(`${where}: an image by the id of a file; give its bytes`)
      return { type: 'image_url', image_url: { url: toUrl(part.source), detail: part.detail } }
    case 'audio': {
      if (part.source.type !== 'base64')
        return refuse(`${where}: audio given by its address; give its bytes`)
      const { data, mediaType } = part.source
      return { type: 'input_audio', input_audio: { data, format: audioFormat(mediaType) } }
    }
    case 'file': {
      if (part.source.type === 'file') return { type: 'file', file: { file_id: part.source.id } }
      if (part.source.type === 'url' && !dialect.fileUrls)
        return refuse(`${where}: a file given by its address; give its bytes`)
      return {
        type: 'file',
        file: { filename: part.name ?? 'file', file_data: toUrl(part.source) },
      }
    }
  }
}

const toUrl = (source: Exclude<MediaSource, { type: 'file' }>): string =>
  source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`

/** `audio/mpeg` is `mp3`, `audio/x-wav` is `wav`; others are called by their subtype. */
const audioFormat = (mediaType: string): string => {
  const subtype = mediaType.toLowerCase().replace(/^audio\/(x-)?|;.*/g, '')
  if (subtype === 'mpeg') return 'mp3'
  return subtype === 'wave' || subtype === 'vnd.wave' ? 'wav' : subtype
}

/** @throws {LlmError} `unsupported` */
export const refuse = (what: string, provider = ''): never => {
  const message = `this server's Chat Completions API cannot take ${what}`
  throw new ProviderError('unsupported', message, {
    provider,
    ...(what === 'tools' && { reason: what }),
  })
}
