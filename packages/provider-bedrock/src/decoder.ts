import { type FinishReason, LlmError } from '@modelport/core'
import {
  countOf,
  type Decoder,
  listOf,
  parseJson,
  type Sink,
  stringOf,
  type WireRecord,
} from '@modelport/driver'
import { ReplyBlocks } from './blocks.js'
import { exceptionName, statusOf } from './error.js'
import type { WireEvent, WirePiece, WireUsage } from './wire.js'

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseResponse.html
 * (as in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
const finishReasons = new Map(
  Object.entries<FinishReason>({
    end_turn: 'stop',
    stop_sequence: 'stop',
    tool_use: 'tool-calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    content_filtered: 'content-filter',
    guardrail_intervened: 'content-filter',
    malformed_tool_use: 'error',
    malformed_model_output: 'error',
  }),
)

/**
 * Decodes one reply, streamed or whole. The reply is whole at `messageStop`; `metadata` follows,
 * with the counts, and nothing after it.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (as
 * in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export class ConverseDecoder implements Decoder {
  readonly #sink: Sink
  readonly #blocks: ReplyBlocks
  #isStarted = false
  #isStopped = false

  constructor(sink: Sink) {
    this.#sink = sink
    this.#blocks = new ReplyBlocks(sink)
  }

  push(record: WireRecord): void {
    const event = parseJson<WireEvent | null>(record.data) ?? {}
    const index = event.contentBlockIndex ?? 0
    switch (record.event) {
      case 'contentBlockDelta':
        if (event.delta) this.#blocks.add(index, event.delta)
        break
      case 'contentBlockStart':
        if (event.start) this.#blocks.add(index, event.start)
        break
      case 'contentBlockStop':
        this.#blocks.close(index)
        break
      case 'messageStop':
        this.#stop(event)
        break
      case 'metadata':
        this.#metadata(event)
        // Without messageStop the reply was cut, whatever follows.
        if (this.#isStopped) this.#sink.terminal()
        break
      case 'messageStart':
        if (this.#isStarted)
          throw new LlmError('protocol', 'the stream has a second messageStart: two replies in one')
        this.#isStarted = true
        break
      default:
        this.#other(record, event)
    }
  }

  /**
   * A whole reply, an exception, or an event of a kind that is not known: the last is passed over.
   */
  #other({ event: type, whole }: WireRecord, event: WireEvent): void {
    const name = exceptionName(type)
    const status = statusOf(name)
    if (status !== undefined || /(exception|error|failure)$/i.test(type))
      this.#sink.fail({ body: { __type: name, message: event.message }, status })
    if (!whole) return
    const content = event.output?.message?.content
    if (!Array.isArray(content)) {
      if (event.message !== undefined) this.#sink.fail({ body: event })
      return
    }
    for (const [index, block] of (content as (WirePiece | null)[]).entries()) {
      if (block) this.#blocks.add(index, block, true)
      this.#blocks.close(index)
    }
    this.#metadata(event)
    this.#stop(event)
    this.#sink.terminal()
  }

  #stop({ stopReason }: WireEvent): void {
    this.#isStopped = true
    const state = this.#blocks.kept()
    if (state) this.#sink.state(state)
    if (stopReason) this.#sink.finish(finishReasons.get(stopReason) ?? 'other', stopReason)
  }

  #metadata({ usage, trace, serviceTier }: WireEvent): void {
    if (usage) this.#sink.usage(toCounts(usage))
    if (typeof serviceTier?.type === 'string') this.#sink.details({ serviceTier: serviceTier.type })
    if (trace?.guardrail) this.#sink.safety({ subject: 'reply', data: trace.guardrail })
  }
}

/** The API counts what is read from and written to the cache apart from `inputTokens`. */
function toCounts(usage: WireUsage): Parameters<Sink['usage']>[0] {
  const inputTokens = countOf(usage.inputTokens)
  const read = countOf(usage.cacheReadInputTokens)
  const written = countOf(usage.cacheWriteInputTokens)
  const details = listOf<NonNullable<WireUsage['cacheDetails']>[number]>(usage.cacheDetails)
  const byLifetime = details.flatMap(({ ttl, inputTokens: tokens }) => {
    const count = countOf(tokens)
    return count ? [[stringOf(ttl) ?? '', count] as const] : []
  })
  return {
    inputTokens: inputTokens === undefined ? undefined : inputTokens + (read ?? 0) + (written ?? 0),
    outputTokens: countOf(usage.outputTokens),
    cacheReadTokens: read,
    cacheCreationTokens: written,
    cacheCreationByLifetime: byLifetime.length ? Object.fromEntries(byLifetime) : undefined,
  }
}
