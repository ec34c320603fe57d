import { asText, type Citation, type ReplyDetails, type TokenLogprob } from '@modelport/core'
import { listOf, type Sink } from '@modelport/driver'
import { type WireAnnotation, type WireItem, type WirePart } from './wire.js'

/** What the sink has got of an item so far. */
export interface ItemProgress {
  /** Its place in the response; at servers that give no place its id, made unique. */
  readonly key: number | string
  /** Its place, once an event gives it. */
  index: number | undefined
  /** True once the item itself came, finished. */
  isFinished?: boolean
  /** Numbers of the parts delivered so far, whole or in deltas. */
  readonly parts: Set<number>
  /** Which of its two texts a reasoning item gives: the one that comes first. */
  reasoning?: 'summary' | 'content'
  /** True once the arguments of a call came. */
  hasArguments?: boolean
  hasCitations?: boolean
  hasLogprobs?: boolean
}

/**
 * Gives the items of a reply to the sink, each piece once, whether it came in deltas, in a `done`
 * event, or only whole.
 */
export class ItemReader {
  readonly #sink: Sink
  readonly #byIndex = new Map<number, ItemProgress>()
  /** The latest item of each id: some vendors repeat an id within one response. */
  readonly #byId = new Map<string, ItemProgress>()
  #last: ItemProgress | undefined
  #repeated = 0
  /** One object that grows: a copy for each item would cost as much as all items before it. */
  readonly #items: NonNullable<ReplyDetails['items']> = {}
  /** How many items there are so far. */
  #count = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /**
   * The item that an event is about, or a new one:
   * - an event with a place is about the item of that place, or the one of its id that has no place
   *   yet;
   * - an event with an id only is about the latest item of that id;
   * - an event with neither is about the last item.
   *
   * `another`: a finished item is not meant.
   */
  progress(index: number | undefined, id: string | undefined, another = false): ItemProgress {
    const last = this.#last
    const continues = (item: ItemProgress): boolean => !(another && item.isFinished)

    // Fast path: nearly every event is about the item of the one before it.
    if (last && index !== undefined && last.index === index && continues(last)) return last

    if (index === undefined && id === undefined) {
      if (last && continues(last)) return last
      return this.progress(this.#byIndex.size, undefined)
    }

    const known = this.#find(index, id)
    const progress = known && continues(known) ? known : this.#add(index, id)
    progress.index ??= index
    if (index !== undefined) this.#byIndex.set(index, progress)
    if (id !== undefined) this.#byId.set(id, progress)
    this.#last = progress
    return progress
  }

  /** The item of a place, else the one of an id unless it has another place. */
  #find(index: number | undefined, id: string | undefined): ItemProgress | undefined {
    const placed = index === undefined ? undefined : this.#byIndex.get(index)
    if (placed) return placed

    const named = id === undefined ? undefined : this.#byId.get(id)
    const hasOtherPlace = index !== undefined && named?.index !== undefined
    return hasOtherPlace ? undefined : named
  }

  #add(index: number | undefined, id: string | undefined): ItemProgress {
    this.#count++
    return { key: this.#newKey(index, id ?? ''), index, parts: new Set() }
  }

  /** A key that no item has: the place, else the id, made unique if it was there before. */
  #newKey(index: number | undefined, id: string): number | string {
    const isRepeated = index === undefined ? this.#byId.has(id) : this.#byIndex.has(index)
    const key = index ?? id
    return isRepeated ? `${key}#${++this.#repeated}` : key
  }

  /**
   * The items of a whole reply that no event was about, with their places. Events without places
   * were about the first items. Empty if the events were about other items than the reply lists.
   */
  missing(all: readonly WireItem[]): (readonly [place: number, item: WireItem])[] {
    const places = [...all.entries()]
    const isKnown = (place: number): boolean =>
      this.#byIndex.size ? this.#byIndex.has(place) : place < this.#count
    const agrees = places.every(([place, { id = '' }]) => !isKnown(place) || this.#byId.has(id))
    if (!agrees || all.length <= this.#count) return []
    return places.filter(([place]) => !isKnown(place))
  }

  text(progress: ItemProgress, index = 0, text = ''): void {
    progress.parts.add(index)
    this.#sink.text(asText(text))
  }

  refusal(progress: ItemProgress, index = 0, text = ''): void {
    progress.parts.add(index)
    this.#sink.refusal(asText(text))
  }

  part(progress: ItemProgress, index = 0, part: WirePart): void {
    if (!progress.hasLogprobs) this.logprobs(progress, part.logprobs)
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
    if (progress.reasoning !== kind) return
    if (piece.delta === undefined && progress.parts.has(index)) return
    progress.parts.add(index)
    this.#sink.reasoning(asText(piece.delta ?? piece.text))
  }

  callText(progress: ItemProgress, text = ''): void {
    progress.hasArguments = true
    this.#sink.toolCall(progress.key, { text: asText(text) })
  }

  annotation(progress: ItemProgress, annotation: WireAnnotation | undefined): void {
    progress.hasCitations = true
    const citation = annotation && toCitation(annotation)
    if (citation) this.#sink.citation(citation)
    if (annotation?.type === 'container_file_citation' && annotation.file_id)
      this.#sink.file({
        id: annotation.file_id,
        ...(annotation.filename && { name: annotation.filename }),
        ...(annotation.container_id && { containerId: annotation.container_id }),
      })
  }

  logprobs(progress: ItemProgress, tokens: WirePart['logprobs']): void {
    // Nearly every delta has an empty list.
    if (!tokens?.length) return
    const logprobs = toLogprobs(tokens)
    if (!logprobs.length) return

    progress.hasLogprobs = true
    this.#sink.logprobs(logprobs)
  }

  begin({ key }: ItemProgress, { type, call_id, name }: WireItem): void {
    if (type === 'function_call' || type === 'custom_tool_call')
      this.#sink.toolCall(key, { id: asText(call_id), name: asText(name) })
  }

  /** Takes the finished item: gives the sink what no event has given it. */
  finish(progress: ItemProgress, item: WireItem): void {
    progress.isFinished = true
    this.#report(item)
    // Counted, not compared: servers number the parts of their events in other ways than they list
    // them.
    const delivered = progress.parts.size
    switch (item.type) {
      case 'message':
        this.#finishMessage(progress, listOf(item.content), delivered)
        break
      case 'reasoning': {
        const kind = item.summary?.length ? 'summary' : 'content'
        listOf(item[kind]).forEach(({ text = '' }, index) => {
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

  #finishMessage(progress: ItemProgress, parts: readonly WirePart[], delivered: number): void {
    for (const [index, part] of parts.entries())
      if (index >= delivered) this.part(progress, index, part)

    if (progress.hasCitations) return
    for (const annotation of parts.flatMap((part) => listOf(part.annotations)))
      this.annotation(progress, annotation)
  }

  /** Says which items there are: ids that a reader of the reply may want. */
  #report({ id = '', type = '', call_id, content }: WireItem): void {
    if (!id) return
    const annotations = listOf(content).flatMap((part) => listOf(part.annotations))
    const item = {
      type,
      ...(call_id !== undefined && { callId: call_id }),
      ...(annotations.length && { annotations }),
    }
    // Whatever the vendor calls an item: an assignment to `__proto__` would not be a field.
    Object.defineProperty(this.#items, id, { value: item, enumerable: true, configurable: true })
    this.#sink.details({ items: this.#items })
  }

  #finishCall(progress: ItemProgress, item: WireItem): void {
    const { key } = progress
    const isCustom = item.type === 'custom_tool_call'
    const text = isCustom ? item.input : item.arguments
    this.begin(progress, item)
    if (!progress.hasArguments) this.callText(progress, text)

    // The reply was cut within the call: any text could be the whole input of a custom tool.
    if (item.status === 'incomplete') return
    if (isCustom) this.#sink.toolCall(key, { value: { input: asText(text) } })
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

const toLogprobs = (tokens: WirePart['logprobs']): readonly TokenLogprob[] =>
  listOf(tokens).flatMap(({ token, logprob, top_logprobs }) => {
    if (typeof logprob !== 'number') return []
    const top = toLogprobs(top_logprobs)
    return [{ token: asText(token), logprob, ...(top.length && { top }) }]
  })

function toCitation({
  url,
  title,
  filename,
  file_id,
  start_index,
  end_index,
}: WireAnnotation): Citation | undefined {
  const name = [title, filename, url ? '' : file_id].find(Boolean)
  if (!url && !name) return undefined
  return {
    ...(url && { url }),
    ...(name && { title: name }),
    ...(file_id && { fileId: file_id }),
    ...(typeof start_index === 'number' &&
      typeof end_index === 'number' && { start: start_index, end: end_index }),
  }
}
