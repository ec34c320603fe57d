import { type Citation, isObject, type JsonObject } from '@modelport/core'
import { listOf, type Sink, stringOf, TextBuffer } from '@modelport/driver'
import type { WireBlock, WireCitation, WirePiece, WireReasoning, WireToolResult } from './wire.js'

interface OpenBlock {
  readonly text: TextBuffer
  readonly reasoning: TextBuffer
  signature?: string
  redacted?: string
  /** True for a block that is not shown, such as a call of a system tool. */
  isForeign?: true
  toolUse?: { readonly toolUseId: string | undefined; readonly name: string | undefined }
  /** Set while a call of a tool that the vendor runs, or its result, is open. */
  server?: ServerItem
}

/** A call of a tool that the vendor runs, or its result. */
interface ServerItem {
  readonly name: string
  /** The vendor's item, with the input or the content as far as it has come. */
  readonly data: Record<string, unknown>
}

/** Maximum warnings about blocks of a reply. */
const mostWarnings = 20

/** The text of a piece, also one that cites; undefined if it has none. */
function textIn({ text, citationsContent }: WirePiece): string | undefined {
  if (typeof text === 'string') return text
  if (!isObject(citationsContent)) return undefined
  return listOf(citationsContent.content)
    .map((part) => stringOf(part.text) ?? '')
    .join('')
}

/** The kinds of places, by the vendor's names. */
const places = [
  ['documentChar', 'character'],
  ['documentPage', 'page'],
  ['documentChunk', 'block'],
] as const

function placeOf(location: WireCitation['location']): Citation['place'] {
  for (const [name, unit] of places) {
    const { start, end } = location?.[name] ?? {}
    if (typeof start === 'number' && typeof end === 'number') return { unit, start, end }
  }
  return undefined
}

/**
 * The blocks of one reply: passed on as they come, and kept where the API wants them back
 * unchanged.
 */
export class ReplyBlocks {
  readonly #sink: Sink
  readonly #blocks = new Map<number, OpenBlock>()
  readonly #warned = new Set<string>()
  /** Names of the tools that the vendor ran, by the ids of their calls. */
  readonly #serverNames = new Map<unknown, string>()
  #isLossy = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** A block starts or grows. `whole` if nothing will be added to it. */
  add(index: number, piece: WirePiece, whole = false): void {
    const block = this.#blocks.get(index) ?? { text: new TextBuffer(), reasoning: new TextBuffer() }
    this.#blocks.set(index, block)

    const { citation, citationsContent } = piece
    for (const source of [citation, ...listOf(citationsContent?.citations)])
      if (isObject(source)) this.#cite(source)

    if (block.server) this.#ofServer(block.server, piece)
    if (!block.isForeign) this.#addContent(index, block, piece, whole)
  }

  /** What the piece adds to its block, by its kind. */
  #addContent(index: number, block: OpenBlock, piece: WirePiece, whole: boolean): void {
    const { reasoningContent, toolUse, toolResult, citation } = piece
    const text = textIn(piece)
    if (text !== undefined) {
      block.text.add(text)
      this.#sink.text(text)
    } else if (isObject(reasoningContent)) this.#reasoning(block, reasoningContent)
    else if (isObject(toolUse)) this.#toolUse(index, toolUse, block, whole)
    else if (isObject(toolResult)) this.#toolResult(toolResult, block)
    else if (Object.keys(piece).length && !isObject(citation)) {
      block.isForeign = true
      this.#isLossy = true
      this.#warn(`the reply has a block that is not shown: ${Object.keys(piece).join(', ')}`)
    }
  }

  /** Nothing is added to the block any more. */
  close(index: number): void {
    const block = this.#blocks.get(index)
    if (block?.toolUse) this.#sink.endToolCall(index)
    if (!block?.server) return
    const { name, data } = block.server
    delete block.server
    const id = stringOf(data['toolUseId'])
    this.#sink.providerToolCall({ ...(id !== undefined && { id }), name, data })
  }

  /**
   * What has to come back unchanged in the next turn; undefined if text and calls say all of it.
   */
  kept(): readonly WireBlock[] | undefined {
    const blocks = [...this.#blocks]
      .sort(([one], [other]) => one - other)
      .flatMap(([, block]) => toKept(block))
    return blocks.some((block) => 'reasoningContent' in block) && !this.#isLossy
      ? blocks
      : undefined
  }

  /** A call of a tool of ours, or of one that the vendor runs itself. */
  #toolUse(
    index: number,
    { toolUseId, name, type, input }: NonNullable<WirePiece['toolUse']>,
    block: OpenBlock,
    whole: boolean,
  ): void {
    const call = { toolUseId: stringOf(toolUseId), name: stringOf(name) }
    if (type === 'server_tool_use') {
      block.isForeign = true
      this.#isLossy = true
      block.server = { name: call.name ?? '', data: { ...call, type, input: input ?? '' } }
      this.#serverNames.set(call.toolUseId, call.name ?? '')
      return
    }

    block.toolUse ??= call
    const values = whole ? { value: input } : { text: stringOf(input) }
    this.#sink.toolCall(index, { id: call.toolUseId, name: call.name, ...values })
  }

  /** A result has the name of its call; of one without a call, its kind says what it is. */
  #toolResult({ toolUseId, type, status, content }: WireToolResult, block: OpenBlock): void {
    block.isForeign = true
    this.#isLossy = true
    const name = this.#serverNames.get(toolUseId) ?? stringOf(type) ?? ''
    block.server = { name, data: { toolUseId, type, status, content: [...listOf(content)] } }
  }

  /** What a stream adds to a call or a result of the vendor's: text of the input, or content. */
  #ofServer({ data }: ServerItem, { toolUse, toolResult }: WirePiece): void {
    const { input } = toolUse ?? {}
    if (typeof input === 'string') data['input'] = `${stringOf(data['input']) ?? ''}${input}`
    if (Array.isArray(toolResult) && Array.isArray(data['content']))
      data['content'].push(...(toolResult as readonly JsonObject[]))
  }

  /**
   * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html (as in
   * @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-28)
   */
  #cite({ title, source, sourceContent, location }: WireCitation): void {
    // The API wants the citations back with the text, which the message does not have.
    this.#isLossy = true
    const text = listOf(sourceContent)
      .map((one) => stringOf(one.text) ?? '')
      .join('')
    const url = stringOf(location?.web?.url) ?? stringOf(location?.searchResultLocation?.source)
    const place = placeOf(location)
    const named = stringOf(title) ?? stringOf(source)
    this.#sink.citation({
      ...(url !== undefined && { url }),
      ...(named !== undefined && { title: named }),
      ...(text && { text }),
      ...(place && { place }),
    })
  }

  /** The same warning again says nothing new, and a server could send any number. */
  #warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= mostWarnings) return
    this.#warned.add(text)
    this.#sink.warning(text)
  }

  #reasoning(block: OpenBlock, piece: WireReasoning): void {
    const { text: reasoningText, signature } = isObject(piece.reasoningText)
      ? piece.reasoningText
      : piece
    const text = stringOf(reasoningText) ?? ''
    block.reasoning.add(text)
    this.#sink.reasoning(text)
    if (typeof signature === 'string') block.signature = (block.signature ?? '') + signature
    if (typeof piece.redactedContent === 'string')
      block.redacted = (block.redacted ?? '') + piece.redactedContent
  }
}

/**
 * The block as the API wants it back. Thinking without a signature proves nothing and is not sent
 * back.
 */
function toKept({ text, reasoning, signature, redacted, toolUse }: OpenBlock): WireBlock[] {
  if (toolUse) return [{ toolUse }]
  if (redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }]
  if (signature !== undefined)
    return [{ reasoningContent: { reasoningText: { text: reasoning.text, signature } } }]
  return text.text.trim() ? [{ text: text.text }] : []
}
