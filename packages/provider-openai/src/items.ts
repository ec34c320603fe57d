import type { Citation, TokenLogprob } from '@modelport/core'
import type { Sink } from '@modelport/driver'
import { asItems, asText, type WireAnnotation, type WireItem, type WirePart } from './wire.js'

/** What of an item has gone out already. */
export interface ItemProgress {
  /** Its place in the answer; its id at servers that give no place. */
  readonly key: number | string
  /** Numbers of the parts delivered so far, whole or in deltas. */
  readonly parts: Set<number>
  /** Which text of a reasoning item is taken: the first that comes. */
  reasoning?: 'summary' | 'content'
  called?: boolean
  cited?: boolean
  weighed?: boolean
}

/** Gives the items of an answer to the sink, each piece once, whether it came in deltas, in a `done` event, or only whole. */
export class ItemReader {
  readonly #sink: Sink
  readonly #all = new Map<number | string, ItemProgress>()
  #last: ItemProgress | undefined

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** The progress of an item, found by its place, else by its id: some servers give only one, some first both, then one. */
  progress(index: number | undefined, id: string | undefined): ItemProgress {
    const last = this.#last
    if (last && index !== undefined && last.key === index) return last
    const found = this.#find(index) ?? this.#find(id)
    const progress: ItemProgress = found ?? { key: index ?? id ?? 0, parts: new Set() }
    if (index !== undefined) this.#all.set(index, progress)
    if (id !== undefined) this.#all.set(id, progress)
    this.#last = progress
    return progress
  }

  #find(key: number | string | undefined): ItemProgress | undefined {
    return key === undefined ? undefined : this.#all.get(key)
  }

  text(progress: ItemProgress, index = 0, text = ''): void {
    progress.parts.add(index)
    this.#sink.text(asText(text))
  }

  refusal(progress: ItemProgress, index = 0, text = ''): void {
    progress.parts.add(index)
    this.#sink.refusal(asText(text))
  }

  /** A finished part of a message. */
  part(progress: ItemProgress, index = 0, part: WirePart): void {
    if (!progress.weighed) this.logprobs(progress, part.logprobs)
    if (progress.parts.has(index)) return
    if (part.type === 'refusal') this.refusal(progress, index, part.refusal)
    else this.text(progress, index, part.text ?? part.transcript)
  }

  /** A piece of reasoning; a finished text counts only if no piece of it came. */
  reasoning(
    progress: ItemProgress,
    kind: 'summary' | 'content',
    index = 0,
    piece: { delta?: string; text?: string },
  ): void {
    progress.reasoning ??= kind
    if (progress.reasoning !== kind || (piece.delta === undefined && progress.parts.has(index))) return
    progress.parts.add(index)
    this.#sink.reasoning(asText(piece.delta ?? piece.text))
  }

  callText(progress: ItemProgress, text = ''): void {
    progress.called = true
    this.#sink.toolCall(progress.key, { text: asText(text) })
  }

  annotation(progress: ItemProgress, annotation: WireAnnotation | undefined): void {
    progress.cited = true
    const citation = annotation && toCitation(annotation)
    if (citation) this.#sink.citation(citation)
  }

  logprobs(progress: ItemProgress, given: WirePart['logprobs']): void {
    // Mostly an empty list, with every delta.
    if (!given?.length) return
    const logprobs = toLogprobs(given)
    if (!logprobs.length) return
    progress.weighed = true
    this.#sink.logprobs(logprobs)
  }

  /** An item has begun. */
  begin({ key }: ItemProgress, { type, call_id, name }: WireItem): void {
    if (type === 'function_call' || type === 'custom_tool_call')
      this.#sink.toolCall(key, { id: asText(call_id), name: asText(name) })
  }

  /** An item is whole: gives out what has not gone out yet. */
  finish(progress: ItemProgress, item: WireItem): void {
    // Counted, not compared: servers number the parts of their events in other ways than they list them.
    const delivered = progress.parts.size
    switch (item.type) {
      case 'message':
        asItems(item.content).forEach((part, index) => {
          if (index >= delivered) this.part(progress, index, part)
        })
        if (!progress.cited)
          for (const part of asItems(item.content))
            for (const note of asItems(part.annotations)) this.annotation(progress, note)
        break
      case 'reasoning': {
        const kind = item.summary?.length ? 'summary' : 'content'
        asItems(item[kind]).forEach(({ text = '' }, index) => {
          if (index >= delivered) this.reasoning(progress, kind, index, { text })
        })
        break
      }
      case 'function_call':
      case 'custom_tool_call':
        this.#finishCall(progress, item)
        break
      case 'compaction':
        break
      default:
        this.#finishProviderTool(item)
    }
  }

  #finishCall(progress: ItemProgress, item: WireItem): void {
    const { key } = progress
    const custom = item.type === 'custom_tool_call'
    const text = custom ? item.input : item.arguments
    this.begin(progress, item)
    if (!progress.called) this.callText(progress, text)
    if (custom) this.#sink.toolCall(key, { value: { input: asText(text) } })
    this.#sink.endToolCall(key)
  }

  #finishProviderTool(item: WireItem): void {
    const type = asText(item.type) || 'unknown'
    const id = asText(item.id) || asText(item.call_id)
    if (type === 'image_generation_call' && typeof item.result === 'string' && item.result) {
      const format = item.output_format ?? 'png'
      const mediaType = `image/${format === 'svg' ? 'svg+xml' : format}`
      this.#sink.part({ type: 'image', source: { type: 'base64', data: item.result, mediaType } })
    }
    this.#sink.providerToolCall({ ...(id && { id }), name: asText(item.name) || type, data: item })
  }
}

const toLogprobs = (given: WirePart['logprobs']): readonly TokenLogprob[] =>
  asItems(given).flatMap(({ token, logprob, top_logprobs }) => {
    if (typeof logprob !== 'number') return []
    const top = toLogprobs(top_logprobs)
    return [{ token: asText(token), logprob, ...(top.length && { top }) }]
  })

function toCitation({ url, title, filename, file_id }: WireAnnotation): Citation | undefined {
  const name = [title, filename, url ? '' : file_id].find(Boolean)
  const citation = { ...(url && { url }), ...(name && { title: name }) }
  return Object.keys(citation).length ? citation : undefined
}
