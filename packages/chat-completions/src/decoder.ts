import { type Citation, type FinishReason, type JsonObject, LlmError, type TokenLogprob } from '@modelport/core'
import { type Decoder, parseJson, type Sink, tryParseJson, type Turn, type WireRecord } from '@modelport/driver'
import { failureIn, failureStatus } from './error.js'
import type { ChatState } from './messages.js'
import { toCounts } from './usage.js'
import {
  asItems,
  asText,
  type WireAnswer,
  type WireChoice,
  type WireLogprob,
  type WireMessage,
  type WirePart,
  type WireReasoningDetail,
  type WireSource,
  type WireToolCall,
} from './wire.js'

/** Words of real servers, in lower case; others are `other`. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop', eos: 'stop', eos_token: 'stop', end_turn: 'stop', stop_sequence: 'stop', complete: 'stop',
  length: 'length', max_tokens: 'length', model_length: 'length', max_output_tokens: 'length',
  tool_calls: 'tool-calls', tool_call: 'tool-calls', tool_use: 'tool-calls', function_call: 'tool-calls',
  content_filter: 'content-filter', refusal: 'content-filter', safety: 'content-filter', sensitive: 'content-filter',
  error: 'error', network_error: 'error', insufficient_system_resource: 'error', abort: 'error',
}

/** Fields in which servers send visible reasoning; the first with text counts. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

type Kind = 'text' | 'reasoning' | 'calls' | 'citations'

/** A decoder of one answer, streamed or whole. */
export function createChatDecoder(sink: Sink, turn: Turn): Decoder {
  return new ChatDecoder(sink, turn)
}

class ChatDecoder implements Decoder {
  readonly #sink: Sink
  readonly #turn: Turn
  /** What came so far; a whole message beside the pieces only fills up the rest. */
  readonly #seen = new Set<Kind>()
  #whole: WireMessage | undefined
  /** Calls by index or id, with the key the sink knows them by. */
  readonly #calls = new Map<unknown, { readonly key: number | string; readonly id: string; readonly place: number }>()
  #lastSlot: unknown
  #field: string | undefined
  readonly #details: WireReasoningDetail[] = []
  readonly #extras: Record<number, unknown> = {}
  #sources: readonly Citation[] = []
  readonly #executed = new Map<unknown, JsonObject>()

  constructor(sink: Sink, turn: Turn) {
    this.#sink = sink
    this.#turn = turn
  }

  push({ event, data }: WireRecord): void {
    const text = data.trim()
    if (text === '[DONE]') this.#sink.terminal()
    else if (event === 'error') this.#fail(tryParseJson(text) ?? text)
    else if (text) this.#answer(parseJson<WireAnswer | null>(data))
  }

  end(): void {
    this.#fillUp()
    for (const source of this.#sources) this.#sink.citation(source)
    for (const data of this.#executed.values()) this.#sink.providerToolCall({ name: asText(data['name']) || asText(data['type']), data })
    const state: ChatState = {
      ...(this.#field && { field: this.#field }),
      ...(this.#details.length && { details: this.#details }),
      ...(Object.keys(this.#extras).length && { extras: this.#extras }),
    }
    if (Object.keys(state).length) this.#sink.state(state)
  }

  #answer(answer: WireAnswer | null): void {
    if (typeof answer !== 'object' || answer === null) throw new LlmError('protocol', 'a part of the answer is not a JSON object')
    this.#sink.model(asText(answer.model))
    const choices = asItems(answer.choices)
    const whole = !this.#turn.stream || answer.object === 'chat.completion'
    const choice = choices.find(({ index }) => (index ?? 0) === 0) ?? (whole ? choices[0] : undefined)
    const counts = toCounts(answer.usage ?? answer.x_groq?.usage ?? choice?.usage)
    if (counts) this.#sink.usage(counts)
    this.#cite(answer)
    if (choice) this.#choice(choice)
    const failure = failureIn(answer) ?? choice?.error
    if (failure) this.#fail(failure)
    if (whole && choice?.message) this.#sink.terminal()
    if (!this.#turn.stream && !choice) throw new LlmError('protocol', 'the answer has no choices')
  }

  #choice({ delta, message, finish_reason, logprobs }: WireChoice): void {
    if (message) this.#whole = message
    if (delta) this.#message(delta, false)
    this.#logprobs(logprobs?.content)
    const raw = asText(finish_reason)
    if (!raw) return
    this.#fillUp()
    this.#sink.finish(finishReasons[raw.toLowerCase()] ?? 'other', raw)
  }

  /** Takes from a whole message what did not come in pieces. */
  #fillUp(): void {
    const message = this.#whole
    this.#whole = undefined
    if (!message) return
    const rest: Record<string, unknown> = { ...message }
    const known: Readonly<Record<Kind, readonly string[]>> = {
      text: ['content', 'refusal', 'images', 'audio'],
      reasoning: [...reasoningFields, 'reasoning_details'],
      calls: ['tool_calls', 'function_call'],
      citations: ['annotations'],
    }
    for (const kind of this.#seen) for (const field of known[kind]) rest[field] = undefined
    this.#message(rest, true)
  }

  #message(message: WireMessage, whole: boolean): void {
    this.#reasoning(message)
    this.#content(message.content)
    this.#text(asText(message.audio?.transcript))
    if (asText(message.refusal)) this.#sink.refusal(asText(message.refusal))
    for (const image of asItems(message.images)) this.#part(image)
    if (message.function_call) this.#call({ index: 'function_call', function: message.function_call })
    asItems(message.tool_calls).forEach((call, place) => this.#call(whole ? { ...call, index: place } : call))
    for (const annotation of asItems(message.annotations)) this.#annotation(annotation.url_citation ?? annotation)
    for (const tool of asItems(message.executed_tools)) this.#executed.set(tool.index ?? this.#executed.size, { ...tool })
  }

  #text(text: string): void {
    if (!text) return
    this.#seen.add('text')
    this.#sink.text(text)
  }

  #think(text: string, field: string): void {
    if (!text) return
    this.#seen.add('reasoning')
    this.#field ??= field
    this.#sink.reasoning(text)
  }

  #content(content: unknown): void {
    if (typeof content === 'string') this.#text(content)
    if (!Array.isArray(content)) return
    for (const part of content as readonly unknown[]) {
      if (typeof part === 'string') this.#text(part)
      else if (typeof part === 'object' && part !== null) this.#part(part)
    }
  }

  #part(part: WirePart): void {
    this.#think(flatten(part.thinking), 'thinking')
    this.#text(asText(part.text))
    if (asText(part.refusal)) this.#sink.refusal(asText(part.refusal))
    const url = asText(part.image_url?.url)
    const data = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url)
    if (data) this.#sink.part({ type: 'image', source: { type: 'base64', mediaType: data[1] ?? '', data: data[2] ?? '' } })
    else if (url) this.#sink.part({ type: 'image', source: { type: 'url', url } })
  }

  #reasoning(message: WireMessage & Readonly<Partial<Record<(typeof reasoningFields)[number], unknown>>>): void {
    const field = reasoningFields.find((name) => asText(message[name]))
    if (field) this.#think(asText(message[field]), field)
    for (const detail of asItems(message.reasoning_details)) {
      if (!field) this.#think(asText(detail.text) || asText(detail.summary), 'reasoning_details')
      this.#detail(detail)
    }
  }

  /** Pieces of one text are joined; everything else is kept as it came, in its order. */
  #detail(detail: WireReasoningDetail): void {
    const last = this.#details.at(-1)
    const same = last && last.type === detail.type && last.index === detail.index && /text|summary/.test(asText(detail.type))
    if (!same) this.#details.push(detail)
    else {
      const known = Object.entries(detail).filter(([, value]) => value !== null && value !== '')
      const joined = Object.fromEntries((['text', 'summary'] as const).filter((name) => asText(detail[name])).map((name) => [name, asText(last[name]) + asText(detail[name])]))
      this.#details.splice(-1, 1, { ...last, ...Object.fromEntries(known), ...joined })
    }
  }

  #call(call: WireToolCall): void {
    const { custom, function: body } = call
    const id = asText(call.id)
    const name = asText(body?.name) || asText(custom?.name)
    const slot = call.index ?? (id || (name || this.#lastSlot === undefined ? `#${this.#calls.size}` : this.#lastSlot))
    let open = this.#calls.get(slot)
    // Some servers give every call the same index: a new id with a name is a new call.
    if (!open || (id && open.id && id !== open.id && name)) {
      const place = this.#calls.size
      open = { key: open || typeof slot !== 'number' ? `${place}:${id}` : slot, id, place }
      if (this.#calls.has(slot)) this.#calls.set(open.key, open)
      this.#calls.set(slot, open)
    }
    this.#lastSlot = slot
    this.#seen.add('calls')
    if (call.extra_content !== undefined && call.extra_content !== null) this.#extras[open.place] = call.extra_content
    const value = body?.arguments ?? custom?.input
    this.#sink.toolCall(open.key, { id, name, ...(typeof value === 'string' ? { text: value } : typeof value === 'object' && { value }) })
  }

  #annotation(source: WireSource): void {
    const citation = toCitation(source)
    if (!citation) return
    this.#seen.add('citations')
    this.#sink.citation(citation)
  }

  #cite({ search_results, citations }: WireAnswer): void {
    const results = asItems(search_results)
    const sources = results.length ? results : Array.isArray(citations) ? citations.map((url: unknown) => ({ url })) : []
    const found = sources.flatMap((source) => toCitation(source) ?? [])
    if (found.length) this.#sources = found
  }

  #logprobs(tokens: readonly WireLogprob[] | null | undefined): void {
    const read = toLogprobs(tokens)
    if (read.length) this.#sink.logprobs(read)
  }

  #fail(body: unknown): never {
    return this.#sink.fail({ body, status: failureStatus(body) })
  }
}

/** Text, or the text of parts. */
const flatten = (value: unknown): string => (Array.isArray(value) ? asItems(value as WirePart[]).map(({ text }) => asText(text)).join('') : asText(value))

function toCitation({ url, title, content, snippet }: WireSource): Citation | undefined {
  const text = asText(content) || asText(snippet)
  if (!asText(url) && !asText(title)) return undefined
  return { ...(asText(url) && { url: asText(url) }), ...(asText(title) && { title: asText(title) }), ...(text && { text }) }
}

const toLogprobs = (tokens: readonly WireLogprob[] | null | undefined): readonly TokenLogprob[] =>
  asItems(tokens).flatMap(({ token, logprob, top_logprobs }) => {
    if (typeof logprob !== 'number') return []
    const top = toLogprobs(top_logprobs)
    return [{ token: asText(token), logprob, ...(top.length && { top }) }]
  })
