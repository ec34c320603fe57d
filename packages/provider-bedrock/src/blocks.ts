import { isObject } from '@modelport/core'
import { type Sink, TextBuffer, tryParseJson } from '@modelport/driver'
import { toCitation } from './citation.js'
import { type KeptReply, serverTool } from './state.js'
import type { WireBlock, WireCitation, WirePiece, WireReasoning } from './wire.js'

/** A block as it grows. */
interface OpenBlock {
  readonly text: TextBuffer
  readonly reasoning: TextBuffer
  /** Arguments of a tool of the vendor's. */
  readonly input: TextBuffer
  signature: string | undefined
  redacted: string
  toolUse: Record<string, unknown> | undefined
  toolResult: Record<string, unknown> | undefined
  readonly citations: WireCitation[]
}

/** The blocks of one reply: passed on as they come, and kept where the API wants them back unchanged. */
export class ReplyBlocks {
  readonly #sink: Sink
  readonly #blocks = new Map<number, OpenBlock>()
  /** True once something came that could not be kept. */
  #lossy = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** A block starts or grows. `whole` if nothing will be added to it. */
  add(index: number, piece: WirePiece, whole = false): void {
    const block = this.#block(index)
    if (typeof piece.text === 'string') this.#text(block, piece.text)
    else if (piece.reasoningContent) this.#reasoning(block, piece.reasoningContent)
    else if (piece.toolUse) this.#toolUse(index, block, piece.toolUse, whole)
    else if (piece.toolResult) addResult(block, piece.toolResult)
    else if (piece.citation) this.#cite(block, piece.citation)
    else if (piece.citationsContent) {
      for (const part of piece.citationsContent.content ?? []) this.#text(block, part?.text ?? '')
      for (const one of piece.citationsContent.citations ?? []) if (one) this.#cite(block, one)
    } else if (Object.keys(piece).length) {
      this.#lossy = true
      this.#sink.warning(`the reply has a block that is not shown: ${Object.keys(piece).join(', ')}`)
    }
  }

  /** Nothing is added to the block any more. */
  close(index: number): void {
    const block = this.#blocks.get(index)
    if (!block) return
    const { toolUse, toolResult, input } = block
    if (toolUse?.['type'] === serverTool) {
      toolUse['input'] ??= tryParseJson(input.text) ?? {}
      this.#sink.providerToolCall({ ...idOf(toolUse), name: String(toolUse['name']), data: toolUse })
    } else if (toolUse) this.#sink.endToolCall(index)
    if (toolResult)
      this.#sink.providerToolCall({ ...idOf(toolResult), name: String(toolResult['type'] ?? ''), data: toolResult })
  }

  /** What has to come back unchanged in the next turn; undefined if plain text and calls say all of it. */
  kept(): KeptReply | undefined {
    const blocks = [...this.#blocks].sort(([one], [other]) => one - other).flatMap(([, block]) => toKept(block))
    const plain = blocks.every(
      ({ text, toolUse }) => text !== undefined || (isObject(toolUse) && toolUse['type'] !== serverTool),
    )
    return plain || this.#lossy ? undefined : { blocks }
  }

  #block(index: number): OpenBlock {
    let block = this.#blocks.get(index)
    if (!block) {
      block = {
        ...{ text: new TextBuffer(), reasoning: new TextBuffer(), input: new TextBuffer(), citations: [] },
        ...{ signature: undefined, redacted: '', toolUse: undefined, toolResult: undefined },
      }
      this.#blocks.set(index, block)
    }
    return block
  }

  #text(block: OpenBlock, text: string): void {
    block.text.add(text)
    this.#sink.text(text)
  }

  #reasoning(block: OpenBlock, piece: WireReasoning): void {
    const { text = '', signature } = piece.reasoningText ?? piece
    block.reasoning.add(text)
    this.#sink.reasoning(text)
    if (typeof signature === 'string') block.signature = (block.signature ?? '') + signature
    if (typeof piece.redactedContent === 'string') block.redacted += piece.redactedContent
  }

  #toolUse(index: number, block: OpenBlock, use: NonNullable<WirePiece['toolUse']>, whole: boolean): void {
    const { toolUseId, name, type, input } = use
    if (toolUseId !== undefined || name !== undefined) block.toolUse = { toolUseId, name, ...(type && { type }) }
    if (block.toolUse?.['type'] === serverTool) {
      if (whole) block.toolUse['input'] = input
      else if (typeof input === 'string') block.input.add(input)
    } else if (whole) this.#sink.toolCall(index, { id: toolUseId, name, value: input })
    else this.#sink.toolCall(index, { id: toolUseId, name, text: typeof input === 'string' ? input : undefined })
  }

  #cite(block: OpenBlock, citation: WireCitation): void {
    block.citations.push(citation)
    const named = toCitation(citation)
    if (Object.keys(named).length) this.#sink.citation(named)
  }
}

const idOf = ({ toolUseId }: Record<string, unknown>): { readonly id?: string } =>
  typeof toolUseId === 'string' ? { id: toolUseId } : {}

/** A block, or in a delta the next items of its content. */
function addResult(block: OpenBlock, result: unknown): void {
  block.toolResult ??= { content: [] }
  if (Array.isArray(result)) (block.toolResult['content'] as unknown[]).push(...(result as unknown[]))
  else if (isObject(result)) Object.assign(block.toolResult, result)
}

/** The block as the API wants it back. Thinking without a signature proves nothing and is not sent back. */
function toKept(block: OpenBlock): WireBlock[] {
  const { text, reasoning, signature, redacted, toolUse, toolResult, citations } = block
  if (toolUse) return [{ toolUse }]
  if (toolResult) return [{ toolResult }]
  if (redacted) return [{ reasoningContent: { redactedContent: redacted } }]
  if (signature !== undefined) return [{ reasoningContent: { reasoningText: { text: reasoning.text, signature } } }]
  if (citations.length) return [{ citationsContent: { content: [{ text: text.text }], citations } }]
  return text.text.trim() ? [{ text: text.text }] : []
}
