import { type FinishReason, LlmError, type ReplyDetails } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type Decoder, parseJson, type Sink, type Turn, type WireRecord } from '@modelport/driver'
import { ReplyBlocks } from './blocks.js'
import { statusOf } from './error.js'
import { UsageReport } from './usage.js'
import type { WireEvent, WireReplyMessage, WireStop } from './wire.js'

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (read
 * 2026-11-21)
 */
const finishReasons = new Map(
  Object.entries<FinishReason>({
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool-calls',
    pause_turn: 'pause',
    refusal: 'content-filter',
  }),
)

const textOr = (value: unknown, otherwise: string | undefined): string | undefined =>
  typeof value === 'string' ? value : otherwise

/**
 * Decodes one reply, streamed or whole. It is over at `message_stop`, not before: a stop reason
 * alone may still be cut.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-21)
 */
export class MessageDecoder implements Decoder {
  readonly #sink: Sink
  #blocks: ReplyBlocks
  #usage = new UsageReport()
  #id: unknown
  /** True when this reply continues a message of the model. */
  readonly #continues: boolean
  #stopReason: string | undefined
  #explanation: string | undefined
  #refusal: WireStop['stop_details']
  #container: ReplyDetails['container']
  /** Where thinking of earlier turns was left out, and why. */
  #dropped: readonly string[] = []

  constructor(sink: Sink, turn: Pick<Turn, 'messages'>) {
    this.#sink = sink
    this.#blocks = new ReplyBlocks(sink)
    this.#continues = turn.messages.at(-1)?.role === 'assistant'
  }

  push(record: WireRecord): void {
    if (!record.data.startsWith('{')) {
      const text = record.data.trim()
      // Older versions of the API and some servers end a stream with the word. Without a stop
      // reason it ends nothing: gateways also write it after a reply that was cut.
      if (text === '[DONE]' && this.#stopReason !== undefined) this.#finish()
      if (!text || text === '[DONE]') return
      // Gateways fail in words of their own.
      if (record.event === 'error') this.#sink.fail({ body: tryParseJson(text) ?? text })
    }
    const event = parseJson<WireEvent | null>(record.data) ?? {}
    // Gateways leave it out: a block then comes after the last, and all else is of the last.
    const index =
      typeof event.index === 'number'
        ? event.index
        : Math.max(0, this.#blocks.last + (event.content_block ? 1 : 0))
    // The most frequent first: each comparison before it costs every delta.
    switch (event.type ?? record.event) {
      case 'content_block_delta':
        if (event.delta) this.#blocks.add(index, event.delta)
        break
      case 'message_start':
        if (event.message) this.#begin(event.message)
        break
      case 'content_block_start':
        this.#blocks.open(index, event.content_block)
        break
      case 'content_block_stop':
        this.#blocks.close(index)
        break
      case 'message_delta':
        this.#takeStop(event.delta)
        this.#takeDropped(event)
        this.#usage.take(event.usage, this.#sink)
        break
      case 'message_stop':
        // Gateways that translate close every stream with it, also one that was cut.
        if (this.#stopReason !== undefined) this.#finish()
        break
      case 'error':
        this.#fail(event)
        break
      default:
        this.#other(event)
    }
  }

  /**
   * A whole reply, a failure without a type, or an event of a kind that is not known: the last is
   * passed over.
   */
  #other(event: WireEvent): void {
    if (event.error) this.#fail(event)
    if (event.type !== 'message' && !(event.type === undefined && Array.isArray(event.content)))
      return
    this.#start(event)
    this.#finish()
  }

  #fail(event: WireEvent): never {
    return this.#sink.fail({ body: event, status: statusOf(event) })
  }

  /**
   * The first event of a message. Some gateways send it again, or give up on a message that said
   * nothing and start another.
   * @throws {LlmError} `protocol` — another message starts after this one has said something.
   */
  #begin(message: WireReplyMessage): void {
    const first = this.#id === undefined
    if (!first && (message.id === this.#id || message.id === undefined)) return
    if (!first) {
      if (this.#blocks.hasContent)
        throw new LlmError(
          'protocol',
          `the stream starts a second message (${String(message.id)}) within the first (${String(this.#id)})`,
        )
      this.#blocks = new ReplyBlocks(this.#sink)
      this.#usage = new UsageReport()
      // What the second message leaves out must not be counted from the first.
      this.#sink.usage({
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      })
    }
    this.#id = message.id ?? ''
    this.#start(message)
  }

  /** What a message starts with; blocks that are there already come before those of the stream. */
  #start(message: WireReplyMessage): void {
    if (typeof message.model === 'string') this.#sink.model(message.model)
    if (typeof message.id === 'string') this.#sink.details({ responseId: message.id })
    const content: WireReplyMessage['content'] = Array.isArray(message.content)
      ? message.content
      : []
    for (const [at, block] of content.entries()) this.#blocks.open(at - content.length, block, true)
    this.#takeStop(message)
    this.#takeDropped(message)
    this.#usage.take(message.usage, this.#sink)
  }

  #takeStop(stop: WireStop | null | undefined): void {
    this.#stopReason = textOr(stop?.stop_reason, this.#stopReason)
    const { explanation, category } = stop?.stop_details ?? {}
    if (stop?.stop_details) this.#refusal = stop.stop_details
    this.#explanation = textOr(explanation ?? category, this.#explanation)
    const { id, ...more } = stop?.container ?? {}
    if (typeof id === 'string') this.#container = { ...this.#container, ...more, id }
    const stopText = textOr(stop?.stop_sequence, undefined)
    this.#sink.details({ container: this.#container, stopText })
  }

  /** A later list replaces an earlier one: it is of the model that took over. */
  #takeDropped({ input_transformations: list }: WireReplyMessage): void {
    if (!Array.isArray(list)) return
    const all = list as NonNullable<WireReplyMessage['input_transformations']>
    this.#dropped = all.flatMap((one) =>
      one?.type === 'thinking_dropped' ? `${String(one.path)}: ${String(one.reason)}` : [],
    )
  }

  #finish(): void {
    const reason = this.#stopReason
    const state = this.#blocks.finish(
      this.#continues || reason === 'pause_turn',
      this.#container?.id,
    )
    if (state) this.#sink.state(state)
    if (this.#refusal) this.#sink.safety({ subject: 'reply', data: this.#refusal })
    if (this.#explanation) this.#sink.warning(`refusal: ${this.#explanation}`)
    if (this.#dropped.length)
      this.#sink.warning(
        `thinking of earlier turns was left out by the API: ${this.#dropped.join(', ')}`,
      )
    if (reason !== undefined) this.#sink.finish(finishReasons.get(reason) ?? 'other', reason)
    this.#sink.terminal()
  }
}
