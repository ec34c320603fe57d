import type {
  AssistantMessage,
  ChatMessage,
  Content,
  ContentPart,
  FilePart,
  ToolMessage,
} from '@modelport/core'
import { LlmError, textOf } from '@modelport/core'
import { argumentsOf, withVendor } from '@modelport/driver'
import { readState, replayableParts } from './model-state.js'
import type { ModelTraits } from './traits.js'
import type { WireFunctionResponse, WirePart, WireRequest } from './wire.js'

/**
 * What stands in for the thought signature of a function call that another model made.
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures (read
 * 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs (read 2026-11-21)
 */
export const foreignSignature = 'skip_thought_signature_validator'

/**
 * What the user says before calls that begin a conversation, for example one that was made shorter:
 * the API takes calls only after a user's turn.
 * @see https://github.com/google-gemini/gemini-cli/issues/11814 (read 2026-11-24)
 */
const opening = '[The conversation begins with a reply.]'

/** The parts of a request that the messages fill. */
export type WireConversation = Pick<
  WireRequest,
  'contents' | 'systemInstruction' | 'continuationToken'
>

interface DraftContent {
  role: 'user' | 'model'
  parts: WirePart[]
}

/**
 * The conversation on the wire. The API knows no system message between the others: all of them go
 * to the system instruction, each a part, in their order; for a model that refuses one, the
 * conversation begins with them, said by the user. Assistant messages that follow each other
 * become one content.
 * @throws {LlmError} `invalid-request` — there are only system messages. `unsupported` — a medium
 * the model does not take there.
 */
export function toConversation(
  messages: readonly ChatMessage[],
  traits: ModelTraits,
): WireConversation {
  const system: WirePart[] = []
  const contents: DraftContent[] = []
  const wireIds = new Map<string, string>()
  let previous: ChatMessage['role'] | undefined
  const token = readState(messages.at(-1)).continuationToken
  for (const message of token === undefined ? messages : messages.slice(0, -1)) {
    if (message.role === 'system') {
      const text = textOf(message.content)
      if (text) system.push({ text })
      continue
    }
    const parts = toParts(message, traits, wireIds)
    if (!parts.length) continue
    const last = contents.at(-1)
    // The results of one turn stand in one content; a user's message has its own.
    if (last && message.role === previous && message.role !== 'user') last.parts.push(...parts)
    else contents.push({ role: message.role === 'assistant' ? 'model' : 'user', parts })
    if (message.role !== 'tool')
      contents[contents.length - 1] = withVendor(
        contents.at(-1) as DraftContent,
        message.vendor,
        `vendor of a ${message.role} message`,
      )
    previous = message.role
  }
  if (!contents.length)
    throw new LlmError(
      'invalid-request',
      'google: the conversation has only system messages; add what the user says',
    )
  if (contents[0]?.role === 'model' && contents[0].parts.some(({ functionCall }) => functionCall))
    contents.unshift({ role: 'user', parts: [{ text: opening }] })
  if (traits.needsSignatures) contents.forEach(signFirstCall)
  if (!traits.takesSystem) beginWith(contents, system)
  return {
    contents,
    ...(traits.takesSystem && system.length && { systemInstruction: { parts: system } }),
    ...(token !== undefined && { continuationToken: token }),
  }
}

/** Lets the user say the system instructions first. */
function beginWith(contents: DraftContent[], system: readonly WirePart[]): void {
  if (!system.length) return
  // The API puts nothing between two parts.
  const words: WirePart = { text: system.map(({ text }) => `${text}\n\n`).join('') }
  const [first] = contents
  const isUsers = first?.role === 'user' && !first.parts.some((part) => part.functionResponse)
  if (isUsers) contents[0] = { ...first, parts: [words, ...first.parts] }
  else contents.unshift({ role: 'user', parts: [words] })
}

function toParts(
  message: Exclude<ChatMessage, { role: 'system' }>,
  traits: ModelTraits,
  wireIds: Map<string, string>,
): WirePart[] {
  const { role, content, vendor } = message
  if (role === 'assistant') return toModelParts(message, wireIds)
  if (role === 'user')
    return typeof content === 'string' ? [{ text: content }] : content.map(toPart)
  const response = {
    functionResponse: toFunctionResponse(message, traits, wireIds.get(message.toolCallId)),
  }
  return [withVendor(response, vendor, 'vendor of a tool message')]
}

/** Exactly what this API said before, or what is visible of another model's message. */
function toModelParts(message: AssistantMessage, wireIds: Map<string, string>): WirePart[] {
  const replayed = replayableParts(message)
  const calls = message.toolCalls ?? []
  if (replayed) {
    replayed
      .flatMap(({ functionCall }) => functionCall ?? [])
      .forEach(({ id }, index) => {
        const call = calls[index]
        if (call && id !== undefined) wireIds.set(call.id, id)
      })
    return [...replayed]
  }
  const parts = visibleParts(message.content)
  return [
    ...parts,
    ...calls.map(
      (call): WirePart => ({ functionCall: { name: call.name, args: argumentsOf(call) } }),
    ),
  ]
}

function visibleParts(content: Content): WirePart[] {
  if (typeof content === 'string') return content ? [{ text: content }] : []
  return content.filter((part) => part.type !== 'text' || part.text).map(toPart)
}

const toPart = (part: ContentPart): WirePart =>
  withVendor(toOwnPart(part), part.vendor, `vendor of a part of type "${part.type}"`)

function toOwnPart(part: ContentPart): WirePart {
  if (part.type === 'text') return { text: part.text }
  const { source } = part
  const video =
    part.type === 'file' && part.clip ? { videoMetadata: toVideoMetadata(part.clip) } : {}
  if (source.type === 'base64')
    return { ...video, inlineData: { mimeType: source.mediaType, data: source.data } }
  return {
    ...video,
    fileData: {
      ...(source.mediaType && { mimeType: source.mediaType }),
      fileUri: source.type === 'file' ? source.id : source.url,
    },
  }
}

/**
 * @see https://ai.google.dev/api/caching#VideoMetadata (as in @google/genai 3.1.0 `VideoMetadata`,
 * read 2026-11-24)
 */
const toVideoMetadata = ({
  start,
  end,
  fps,
}: NonNullable<FilePart['clip']>): NonNullable<WirePart['videoMetadata']> => ({
  ...(start !== undefined && { startOffset: `${start}s` }),
  ...(end !== undefined && { endOffset: `${end}s` }),
  ...(fps !== undefined && { fps }),
})

/** `output` and `error` are the two keys the API gives a meaning. */
function toFunctionResponse(
  message: ToolMessage,
  traits: ModelTraits,
  id: string | undefined,
): WireFunctionResponse {
  const { content, isError, toolName = '' } = message
  const media = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
  if (media.length && !traits.takesMediaResults) {
    throw new LlmError(
      'unsupported',
      `google: the result of "${toolName}" has ${media[0]?.type ?? 'media'} content, which this model takes in user messages only`,
    )
  }
  return {
    ...(id !== undefined && { id }),
    name: toolName,
    response: { [isError ? 'error' : 'output']: textOf(content) },
    ...(media.length && { parts: media.map(toPart) }),
  }
}

/** Newer models refuse a step whose first function call has no signature. */
function signFirstCall(content: { role: string; parts: WirePart[] }): void {
  const index = content.parts.findIndex(({ functionCall }) => functionCall)
  const first = content.parts[index]
  if (first && !first.thoughtSignature)
    content.parts[index] = { ...first, thoughtSignature: foreignSignature }
}
