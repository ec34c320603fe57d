import { type AssistantMessage, type ChatMessage, isObject, textOf } from '@modelport/core'
import { isSameJson, TextBuffer } from '@modelport/driver'
import type { WireFunctionCall, WirePart } from './wire.js'

/** {@link Provider.name} of this package; only messages of that origin have a state it reads. */
export const providerName = 'google'

/** An entry of the state: a part as it came, or the token that continues a stopped reply. */
type StateEntry = WirePart & { readonly continuationToken?: string }

/** A part that grows while a stream is read. */
type GrowingPart = { -readonly [Field in keyof WirePart]: WirePart[Field] }

/** Collects what the model said, part by part, so that it can be sent back exactly. */
export class ModelState {
  readonly #parts: GrowingPart[] = []
  /** What the text of the last part grew by. */
  #growth = new TextBuffer()
  #continuationToken: string | undefined

  /**
   * Keeps a part. Unsigned text after unsigned text of its kind is one part; a signature is never
   * merged with anything.
   */
  keep(part: WirePart): void {
    const last = this.#parts.at(-1)
    if (!isPlainText(part)) this.#push({ ...part })
    else if (last && isPlainText(last) && Boolean(last.thought) === Boolean(part.thought))
      this.#growth.add(part.text ?? '')
    else if (part.text) this.#push({ ...part })
  }

  /** Keeps the call that the last piece of it made whole. */
  keepCall(functionCall: WireFunctionCall, thoughtSignature: string | undefined): void {
    this.#push({ functionCall, ...(thoughtSignature !== undefined && { thoughtSignature }) })
  }

  continueBy(token: string): void {
    this.#continuationToken = token
  }

  #push(part: GrowingPart): void {
    this.#settle()
    this.#parts.push(part)
  }

  #settle(): void {
    const last = this.#parts.at(-1)
    if (last && this.#growth.length) last.text = (last.text ?? '') + this.#growth.text
    this.#growth = new TextBuffer()
  }

  /** The state, or undefined when the message itself says everything. */
  get value(): readonly StateEntry[] | undefined {
    this.#settle()
    const token = this.#continuationToken
    const telling = this.#parts.some(
      (part) => !isPlainText(part) && (!isPlainCall(part) || part.functionCall?.id !== undefined),
    )
    if (!telling && token === undefined) return undefined
    return [...this.#parts, ...(token === undefined ? [] : [{ continuationToken: token }])]
  }
}

/** Kinds of parts that a reply has, and what they say of themselves. */
const replyFields: ReadonlySet<string> = new Set([
  'codeExecutionResult',
  'continuationToken',
  'executableCode',
  'fileData',
  'functionCall',
  'inlineData',
  'mediaResolution',
  'partMetadata',
  'text',
  'thought',
  'thoughtSignature',
  'toolCall',
  'toolResponse',
  'videoMetadata',
])

/**
 * True for a part that the model or the API wrote. The state of a message may have been in a
 * browser: the result of a function is of nobody's reply.
 * @see https://ai.google.dev/api/caching#Part (read 2026-11-28)
 */
const isReplyPart = (part: unknown): part is StateEntry =>
  isObject(part) && Object.keys(part).every((field) => replyFields.has(field))

/** What the state of a message says; nothing for messages of other providers. */
export function readState(message: ChatMessage | undefined): {
  readonly parts?: readonly WirePart[]
  readonly continuationToken?: string
} {
  if (message?.role !== 'assistant' || message.origin?.provider !== providerName) return {}
  const { state } = message.origin
  if (!Array.isArray(state) || !state.every(isReplyPart)) return {}
  const entries: readonly StateEntry[] = state
  const token = entries.at(-1)?.continuationToken
  return {
    parts: entries.filter((entry) => entry.continuationToken === undefined),
    ...(token !== undefined && { continuationToken: token }),
  }
}

/**
 * The parts to send back for a message of this provider; undefined when it has none or was changed
 * since.
 */
export function replayableParts(message: AssistantMessage): readonly WirePart[] | undefined {
  const { parts } = readState(message)
  if (!parts) return undefined
  const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const messageCalls = message.toolCalls ?? []
  const same =
    text === textOf(message.content) &&
    calls.length === messageCalls.length &&
    calls.every(
      ({ name, args }, index) =>
        name === messageCalls[index]?.name &&
        isSameJson(args ?? {}, messageCalls[index]?.arguments),
    )
  return same ? parts : undefined
}

function isPlainText(part: WirePart): boolean {
  for (const key in part) if (key !== 'text' && key !== 'thought') return false
  return true
}

const isPlainCall = (part: WirePart): boolean =>
  Object.keys(part).every((key) => key === 'functionCall')
