import {
  asText,
  type Citation,
  type FinishReason,
  type JsonObject,
  LlmError,
  type TokenLogprob,
  toImagePart,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import {
  type Decoder,
  firstMatch,
  parseJson,
  type Sink,
  type Turn,
  type WireRecord,
} from '@modelport/driver'
import type { ChatDialect } from './dialect.js'
import { failureIn, failureStatus } from './error.js'
import { ReplyFacts } from './facts.js'
import { GoogleThoughts, withoutMark } from './google-thoughts.js'
import type { ChatState } from './messages.js'
import { SpokenReply } from './spoken-reply.js'
import { ToolCallReader } from './tool-calls.js'
import {
  asItems,
  asObject,
  type WireChoice,
  type WireLogprob,
  type WireMessage,
  type WirePart,
  type WireReply,
  type WireSource,
  type WireToolCall,
} from './wire.js'

/** Words of real servers, some with more after a colon; all others are `other`. */
const finishReasons: readonly (readonly [words: RegExp, reason: FinishReason])[] = [
  [/^(stop|eos(_token)?|end_turn|stop_sequence|complete)(:|$)/i, 'stop'],
  [
    /^(length|max_tokens|model_length|max_output_tokens|model_context_window_exceeded)(:|$)/i,
    'length',
  ],
  [/^(tool_calls?|tool_use|function_call)(:|$)/i, 'tool-calls'],
  [
    /^(content_filter|refusal|safety|sensitive|recitation|prohibited_content|blocklist|spii)(:|$)/i,
    'content-filter',
  ],
  [
    /^((network_)?error|insufficient_system_resource|abort|function_call_filter|malformed_function_call)(:|$)/i,
    'error',
  ],
]

/** Makes a decoder of one response, streamed or whole. */
export const createChatDecoder = (sink: Sink, turn: Turn, dialect: DecodedDialect = {}): Decoder =>
  new ChatDecoder(sink, turn, dialect)

/** The fields of a dialect that decide how a response is read. */
export type DecodedDialect = Partial<
  Pick<ChatDialect, 'countedSeparately' | 'finishReasonOptional'>
>

/** The kinds of content that the sink has got so far. */
interface Delivered {
  text?: true
  reasoning?: true
  calls?: true
  citations?: true
}

/** {@link ChatState} while the decoder fills it. */
interface WrittenState extends ChatState {
  field?: string
  details?: JsonObject[]
  extra?: unknown
  extras?: Record<number, unknown>
  customs?: readonly number[]
  images?: true
}

/** Where servers write visible reasoning; the first of these that has text counts. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

class ChatDecoder implements Decoder {
  readonly #sink: Sink
  readonly #stream: boolean
  readonly #audio: SpokenReply
  readonly #delivered: Delivered = {}
  /** The latest whole message. At the end, what did not come in deltas is read from it. */
  #message: Partial<WireMessage> | undefined
  /** True for a server whose streams may lack a finish reason. */
  readonly #reasonOptional: boolean
  /** True once a finish reason came. */
  #ended = false
  /** True once a finish reason says that the reply is not whole. */
  #cut = false
  readonly #calls: ToolCallReader
  readonly #facts: ReplyFacts
  readonly #thoughts = new GoogleThoughts()
  readonly #onThought = (text: string): void => {
    this.#think(text)
  }
  readonly #state: WrittenState = {}
  #sources: readonly Citation[] = []
  /** Tools that the server ran, by their index: a later event has more of the same tool. */
  readonly #serverTools = new Map<unknown, JsonObject>()

  constructor(sink: Sink, turn: Turn, dialect: DecodedDialect) {
    this.#sink = sink
    this.#reasonOptional = dialect.finishReasonOptional === true
    this.#stream = turn.stream
    this.#audio = new SpokenReply(sink, turn)
    this.#calls = new ToolCallReader(sink)
    this.#facts = new ReplyFacts(sink, dialect.countedSeparately)
  }

  push({ event, data, whole }: WireRecord): void {
    const text = data.trim()
    if (text === '[DONE]') {
      if (this.#isWhole) this.#sink.terminal()
    } else if (event === 'error') this.#fail(tryParseJson(text) ?? text)
    else if (text) this.#readBody(parseJson(text), whole === true || !this.#stream)
  }

  /**
   * Whether `[DONE]` is the end of the reply. Gateways also write it after a reply that was cut,
   * and llama.cpp of 2025 after a failure that it reports in a field of its own.
   */
  get #isWhole(): boolean {
    return this.#ended || (this.#reasonOptional && this.#facts.counted)
  }

  end(): void {
    this.#fillUp()
    this.#facts.end()
    this.#audio.end()
    // Calls of a reply that was cut are not ended: their arguments stay broken JSON, so that each
    // call has an error.
    const customs = this.#cut ? [] : this.#calls.end()
    if (customs.length) this.#state.customs = customs

    for (const source of this.#sources) this.#sink.citation(source)
    for (const data of this.#serverTools.values())
      this.#sink.providerToolCall({ name: asText(data['name']) || asText(data['type']), data })
    if (Object.keys(this.#state).length) this.#sink.state(this.#state)
  }

  /**
   * `whole` is true for a JSON body. An event is never one, whatever it looks like: some servers
   * repeat the message so far in each.
   */
  #readBody(body: unknown, whole: boolean): void {
    if (typeof body !== 'object' || body === null)
      throw new LlmError('protocol', 'a part of the response is not a JSON object')
    const reply = asObject<WireReply>(body)

    const choices = asItems<WireChoice>(reply.choices)
    const choice = choices.find((one) => !one.index) ?? (whole ? choices[0] : undefined)
    const hasCounts = this.#facts.read(reply, choice)
    const sources = reply.citations ?? reply.search_results ?? (hasCounts && reply.web_search)
    if (sources) this.#keepSources(reply)
    if (choice) this.#readChoice(choice)

    const failure = failureIn(reply) ?? choice?.error
    if (failure) this.#fail(failure)

    if (whole && choice?.message) this.#sink.terminal()
    if (whole && !choice)
      throw new LlmError(
        'protocol',
        `the response has no choices: ${JSON.stringify(body).slice(0, 200)}`,
      )
  }

  #readChoice({ delta, message, finish_reason, logprobs }: Partial<WireChoice>): void {
    if (message) this.#message = asObject<WireMessage>(message)
    this.#readMessage(asObject<WireMessage>(delta))
    if (logprobs) this.#sink.logprobs(toLogprobs(asObject(logprobs)['content']))

    const raw = asText(finish_reason)
    // The word is how some servers write that there is none yet.
    if (!raw || raw === 'null') return
    this.#ended = true
    this.#fillUp()

    const reason = firstMatch(finishReasons, raw) ?? 'other'
    this.#cut = reason !== 'stop' && reason !== 'tool-calls'
    this.#sink.finish(reason, raw)
  }

  /** Takes from a whole message what has not come in deltas. */
  #fillUp(): void {
    const message = this.#message
    this.#message = undefined
    if (message) this.#readMessage(message, { ...this.#delivered })
  }

  /**
   * Reads a delta, or a whole message.
   * @param delivered set for a whole message: the kinds of content that came in deltas before it
   */
  #readMessage(message: Partial<WireMessage>, delivered?: Readonly<Delivered>): void {
    if (!delivered?.reasoning) this.#readReasoning(message)
    if (!delivered?.text) this.#readReply(message)
    if (!delivered?.calls) this.#readToolCalls(message, delivered !== undefined)
    if (!delivered?.citations) this.#readAnnotations(message)

    if (message.provider_metadata) this.#facts.gateway(message.provider_metadata)
    const extra = message.extra_content && withoutMark(message.extra_content)
    if (extra) this.#state.extra = { ...asObject(this.#state.extra), ...extra }
    for (const tool of asItems(message.executed_tools))
      this.#serverTools.set(tool['index'] ?? this.#serverTools.size, tool)
  }

  #readReply(message: Partial<WireMessage>): void {
    this.#content(this.#thoughts.take(message, this.#onThought))

    const audio = asObject(message.audio)
    if (message.audio) this.#audio.add(audio)
    // The transcript of the audio is the text of the reply.
    if (message.audio ?? message.refusal)
      this.#part({ text: audio['transcript'], refusal: message.refusal })

    for (const image of asItems<WirePart>(message.images)) {
      this.#part(image)
      this.#state.images = true
      // An image is part of the reply, as its text is.
      this.#delivered.text = true
    }
  }

  /** A delta says the place of a call itself; in a whole message the order does. */
  #readToolCalls(message: Partial<WireMessage>, isWhole: boolean): void {
    if (message.function_call)
      this.#callPiece({ index: 'function_call', function: message.function_call })
    for (const [place, call] of asItems<WireToolCall>(message.tool_calls).entries())
      this.#callPiece(isWhole ? { ...call, index: place } : call)
  }

  #readAnnotations(message: Partial<WireMessage>): void {
    type Annotation = WireSource & { readonly url_citation?: unknown }
    const sources = asItems<Annotation>(message.annotations).map((annotation) =>
      asObject(annotation.url_citation ?? annotation),
    )
    for (const citation of toCitations(sources)) {
      this.#delivered.citations = true
      this.#sink.citation(citation)
    }
  }

  #content(content: unknown): void {
    if (typeof content === 'string') this.#text(content)
    else if (Array.isArray(content))
      for (const part of content as readonly unknown[]) this.#content(part)
    else if (content) this.#part(asObject<WirePart>(content))
  }

  #part({ text, thinking, refusal, image_url }: Partial<WirePart>): void {
    for (const part of asItems<WirePart>(thinking)) this.#think(asText(part.text), 'thinking')
    this.#think(asText(thinking), 'thinking')
    this.#text(asText(text))
    if (asText(refusal)) this.#sink.refusal(asText(refusal))
    const url = asText(asObject(image_url)['url'])
    if (/^(https?:\/\/|data:[^;,]+(;[^;,]+)*;base64,)/i.test(url)) this.#sink.part(toImagePart(url))
  }

  #text(text: string): void {
    if (!text) return
    this.#delivered.text = true
    this.#sink.text(text)
  }

  #think(text: string, field?: string): void {
    if (!text) return
    this.#delivered.reasoning = true
    if (field) this.#state.field ??= field
    this.#sink.reasoning(text)
  }

  #readReasoning(message: Partial<WireMessage>): void {
    const field = reasoningFields.find((name) => asText(message[name]))
    if (field) this.#think(asText(message[field]), field)

    for (const detail of asItems(message.reasoning_details)) {
      const text = asText(detail['text']) || asText(detail['summary'])
      if (!field) this.#think(text, 'reasoning_details')
      this.#keepDetail(detail)
    }

    for (const step of asItems(message.reasoning_steps)) this.#think(asText(step['thought']))
  }

  /** A text comes in pieces and is closed by its signature; everything else comes whole. */
  #keepDetail(detail: JsonObject): void {
    const details = (this.#state.details ??= [])
    const last = details.at(-1)
    const continues =
      last &&
      last['type'] === detail['type'] &&
      last['index'] === detail['index'] &&
      !last['signature'] &&
      !detail['data']
    if (continues) details[details.length - 1] = joinDetails(last, detail)
    else details.push(detail)
  }

  #callPiece(piece: Partial<WireToolCall>): void {
    const place = this.#calls.read(piece)
    if (place === undefined) return
    this.#delivered.calls = true
    if (piece.extra_content) (this.#state.extras ??= {})[place] = piece.extra_content
  }

  /** Keeps the sources for the end of the reply: servers repeat the list in every event. */
  #keepSources({ search_results, web_search, citations }: Partial<WireReply>): void {
    const results = toCitations(asItems<WireSource>(search_results ?? web_search))
    const sources =
      results.length || !Array.isArray(citations)
        ? results
        : toCitations(citations.map((url: unknown) => ({ url })))
    if (sources.length) this.#sources = sources
  }

  #fail(body: unknown): never {
    return this.#sink.fail({ body, status: failureStatus(body) })
  }
}

function joinDetails(first: JsonObject, second: JsonObject): JsonObject {
  const join = (name: string): unknown => {
    if (name === 'text' || name === 'summary') return asText(first[name]) + asText(second[name])
    return second[name] === '' ? first[name] : (second[name] ?? first[name])
  }
  return Object.fromEntries(Object.keys({ ...first, ...second }).map((name) => [name, join(name)]))
}

const toCitations = (sources: readonly Partial<WireSource>[]): readonly Citation[] =>
  sources.flatMap(({ link, url = link, title, content, snippet, date, start_index, end_index }) => {
    if (!asText(url) && !asText(title)) return []

    const texts = { url, title, text: asText(content) || snippet, date }
    // Routers write both as 0 if they know no position.
    const positions = end_index ? { start: start_index, end: end_index } : {}
    const fields = [
      ...Object.entries(texts).filter(([, value]) => asText(value)),
      ...Object.entries(positions).filter(([, value]) => typeof value === 'number'),
    ]
    return [Object.fromEntries(fields)]
  })

const toLogprobs = (tokens: unknown): readonly TokenLogprob[] =>
  asItems<WireLogprob>(tokens).flatMap(({ token, logprob, top_logprobs }) => {
    if (typeof logprob !== 'number') return []
    const top = toLogprobs(top_logprobs)
    return [{ token: asText(token), logprob, ...(top.length && { top }) }]
  })
