import { type Sink, TextBuffer } from '@modelport/driver'
import type { WireBlock, WirePiece, WireReasoning } from './wire.js'

interface OpenBlock {
  readonly text: TextBuffer
  readonly reasoning: TextBuffer
  signature?: string
  redacted?: string
  /** True for a block that is not shown, such as a call of a system tool. */
  isForeign?: true
  toolUse?: { readonly toolUseId: string | undefined; readonly name: string | undefined }
}

/**
 * The blocks of one reply: passed on as they come, and kept where the API wants them back
 * unchanged.
 */
export class ReplyBlocks {
  readonly #sink: Sink
  readonly #blocks = new Map<number, OpenBlock>()
  #isLossy = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** A block starts or grows. `whole` if nothing will be added to it. */
  add(index: number, piece: WirePiece, whole = false): void {
    const block = this.#blocks.get(index) ?? { text: new TextBuffer(), reasoning: new TextBuffer() }
    this.#blocks.set(index, block)
    const text =
      piece.text ?? piece.citationsContent?.content?.map((part) => part?.text ?? '').join('')
    if (block.isForeign) return
    if (typeof text === 'string') {
      block.text.add(text)
      this.#sink.text(text)
    } else if (piece.reasoningContent) this.#reasoning(block, piece.reasoningContent)
    else if (piece.toolUse && piece.toolUse.type !== 'server_tool_use') {
      const { toolUseId, name, input } = piece.toolUse
      block.toolUse ??= { toolUseId, name }
      const rest = whole
        ? { value: input }
        : { text: typeof input === 'string' ? input : undefined }
      this.#sink.toolCall(index, { id: toolUseId, name, ...rest })
    } else if (Object.keys(piece).length) {
      this.#isLossy = true
      if (!piece.citation) block.isForeign = true
      this.#sink.warning(
        `the reply has a block that is not shown: ${Object.keys(piece).join(', ')}`,
      )
    }
  }

  /** Nothing is added to the block any more. */
  close(index: number): void {
    if (this.#blocks.get(index)?.toolUse) this.#sink.endToolCall(index)
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

  #reasoning(block: OpenBlock, piece: WireReasoning): void {
    const { text = '', signature } = piece.reasoningText ?? piece
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
