import type { Citation, ProviderFile } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type Sink, TextBuffer } from '@modelport/driver'
import { type Span, SpanRecorder } from './spans.js'
import { containerType, isProviderTool } from './state.js'
import type { WireBlock, WireCitation, WireDelta } from './wire.js'

interface OpenBlock {
  /** The block to replay, but for the arguments of calls: those are in the message. */
  readonly wire: Record<string, unknown> & { type: string }
  /** Where the sink has its text and thinking, as far as they came in deltas. */
  readonly spans: Span[]
  /** Arguments of a tool the API runs, as text. */
  readonly json: TextBuffer
  closed: boolean
}

/** What a delta without a start stands for: some servers leave starts out. */
const implied: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'tool_use',
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const isFilled = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** The blocks of one reply: passed on as they come, and kept for an exact replay. */
export class ReplyBlocks {
  /** The highest key of a block so far; below 0 where there is none. */
  last = -1
  /** True once a block has content or a call began. */
  hasContent = false
  readonly #sink: Sink
  readonly #spans: SpanRecorder
  readonly #blocks = new Map<number, OpenBlock>()
  readonly #toolNames = new Map<unknown, string>()
  /** True once something came that could not be kept. */
  #lossy = false

  constructor(sink: Sink) {
    this.#sink = sink
    this.#spans = new SpanRecorder(sink)
  }

  /** A block begins. `whole` when nothing will be added to it. */
  open(key: number, block: WireBlock | null | undefined, whole = false): void {
    const type = text(block?.type)
    if (!block || !type) return

    const wire: OpenBlock['wire'] = { ...block, type }
    this.#blocks.set(key, { wire, spans: [], json: new TextBuffer(), closed: false })
    this.last = Math.max(this.last, key)
    // The start of the block is in `wire`; only deltas are added from the sink.
    this.#spans.follow(undefined)

    const isProse = type === 'text' || type === 'thinking'
    if (!isProse || block['text'] || block['thinking']) this.hasContent = true
    this.#begin(key, block, wire, whole)
    if (Array.isArray(block['citations']))
      for (const citation of block['citations']) this.#cite(citation as WireCitation | null)

    if (whole) this.close(key)
  }

  /** Passes on what the start of a block says. */
  #begin(key: number, block: WireBlock, wire: OpenBlock['wire'], whole: boolean): void {
    switch (wire.type) {
      case 'text':
        this.#sink.text(text(block['text']))
        break
      case 'thinking':
        this.#sink.reasoning(text(block['thinking']))
        break
      case 'tool_use': {
        const { input } = block
        const value = whole || isFilled(input) ? input : undefined
        this.#sink.toolCall(key, { id: text(block['id']), name: text(block['name']), value })
        delete wire['input']
        break
      }
      case 'fallback':
        this.#sink.model(text((block['to'] as { readonly model?: unknown } | null)?.model))
    }
  }

  add(key: number, delta: WireDelta): void {
    this.hasContent = true
    const type = text(delta.type)
    const block = this.#blocks.get(key) ?? this.#implied(key, type)
    // A delta of no block changes nothing that is kept.
    const wire: OpenBlock['wire'] = block?.wire ?? { type: '' }
    switch (type) {
      case 'text_delta':
        this.#spans.follow(block?.spans, 'text')
        this.#sink.text(text(delta.text))
        break
      case 'thinking_delta':
        this.#spans.follow(block?.spans, 'reasoning')
        this.#sink.reasoning(text(delta.thinking))
        break
      case 'signature_delta':
        if (wire.type === 'thinking') wire['signature'] = delta.signature
        break
      case 'input_json_delta':
        if (wire.type === 'tool_use') this.#sink.toolCall(key, { text: text(delta.partial_json) })
        else if (block) block.json.add(text(delta.partial_json))
        break
      case 'citations_delta':
        this.#cite(delta.citation ?? null)
        if (!Array.isArray(wire['citations'])) wire['citations'] = []
        ;(wire['citations'] as unknown[]).push(delta.citation)
        break
      case 'compaction_delta':
        // The final values, not more of them; null says that the compaction failed.
        for (const field of ['content', 'encrypted_content'] as const)
          if (delta[field] !== undefined) wire[field] = delta[field]
        break
      default:
        this.#lossy = true
    }
  }

  /** The block of a delta that came without a start. */
  #implied(key: number, type: string): OpenBlock | undefined {
    this.open(key, { type: implied[type] ?? '' })
    return this.#blocks.get(key)
  }

  /** Nothing will be added to a block any more. */
  close(key: number): void {
    const block = this.#blocks.get(key)
    if (!block || block.closed) return
    block.closed = true
    const { wire } = block
    if (wire.type === 'tool_use') this.#sink.endToolCall(key)
    else if (isProviderTool(wire)) this.#providerTool(block)
  }

  /**
   * Closes what is open and gives what to keep, or undefined when the message says it all. `all`
   * keeps plain text too.
   */
  finish(all: boolean, container: string | undefined): readonly WireBlock[] | undefined {
    const keys = [...this.#blocks.keys()].sort((a, b) => a - b)
    for (const key of keys) this.close(key)
    this.#spans.follow(undefined)

    const open = keys.map((key) => this.#blocks.get(key) as OpenBlock)
    const blocks = open
      .map(({ wire }) => wire)
      // Thinking that the server did not sign cannot be sent back to anybody.
      .filter((wire) => wire.type !== 'thinking' || wire['signature'])
    if (this.#lossy || !(all || saysMore(blocks))) return undefined

    for (const block of open) this.#fill(block)
    return container === undefined ? blocks : [...blocks, { type: containerType, id: container }]
  }

  /** Puts what came in pieces into a block. */
  #fill({ wire, spans }: OpenBlock): void {
    for (const [field, kind] of [
      ['text', 'text'],
      ['thinking', 'reasoning'],
    ] as const) {
      const added = this.#spans.read(spans, kind)
      if (added) wire[field] = text(wire[field]) + added
    }
    spans.splice(0)
  }

  #cite(citation: WireCitation | null): void {
    const source = toCitation(citation)
    if (isFilled(source)) this.#sink.citation(source)
  }

  #providerTool(block: OpenBlock): void {
    const { wire } = block
    const json = block.json.text
    if (json) {
      const input = tryParseJson(json)
      wire['input'] = input ?? json
      if (input === undefined) this.#lossy = true
    }

    const id = wire['id'] ?? wire['tool_use_id']
    const name =
      text(wire['name']) || (this.#toolNames.get(id) ?? wire.type.replace(/_tool_result$/, ''))
    if (wire['id'] !== undefined) this.#toolNames.set(id, name)

    this.#sink.providerToolCall({ ...(typeof id === 'string' && { id }), name, data: wire })
    for (const file of filesIn(wire)) this.#sink.file(file)
  }
}

/** Files that code execution made, in the content of its result. */
function filesIn({ content }: OpenBlock['wire']): ProviderFile[] {
  const items = (content as { readonly content?: unknown } | null | undefined)?.content
  if (!Array.isArray(items)) return []
  return (items as readonly ({ readonly file_id?: unknown } | null)[]).flatMap((item) =>
    typeof item?.file_id === 'string' ? [{ id: item.file_id }] : [],
  )
}

function toCitation(citation: WireCitation | null): Citation {
  const address = text(citation?.url) || text(citation?.source)
  const name = text(citation?.title) || text(citation?.document_title)
  const quoted = text(citation?.cited_text)
  const fileId = text(citation?.file_id)
  const place = placeOf(citation)
  return {
    ...(address && { url: address }),
    ...(name && { title: name }),
    ...(quoted && { text: quoted }),
    ...(fileId && { fileId }),
    ...(place && { place }),
  }
}

function placeOf(citation: WireCitation | null): Citation['place'] {
  const places = [
    ['character', citation?.start_char_index, citation?.end_char_index],
    ['page', citation?.start_page_number, citation?.end_page_number],
    ['block', citation?.start_block_index, citation?.end_block_index],
  ] as const
  for (const [unit, start, end] of places)
    if (typeof start === 'number' && typeof end === 'number') return { unit, start, end }
  return undefined
}

/** True when text and calls of the message cannot say what the blocks say. */
function saysMore(blocks: readonly WireBlock[]): boolean {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use')
  return !blocks.every((block, index) => {
    if (block.type === 'tool_use') return !block['toolset_name'] && isDirect(block['caller'])
    // In a message, text stands before the calls.
    const followsCall = firstCall >= 0 && index > firstCall
    return block.type === 'text' && !isFilled(block['citations']) && !followsCall
  })
}

const isDirect = (caller: unknown): boolean =>
  caller === undefined || caller === null || (caller as { type?: unknown }).type === 'direct'
