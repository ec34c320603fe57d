import { toCounts } from '@modelport/chat-completions'
import { asText, type FinishReason, LlmError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import {
  type Decoder,
  listOf,
  parseJson,
  type Sink,
  type Turn,
  type WireRecord,
} from '@modelport/driver'
import { reportFacts } from './facts.js'
import { type ItemProgress, ItemReader } from './items.js'
import { keptAs, knownStart, toState } from './state.js'
import { type WireEvent, type WireItem, type WireResponse } from './wire.js'

/** Why a reply is incomplete; `max_tokens` is the word of other servers. */
const incompleteReasons = new Map(
  Object.entries<FinishReason>({
    max_output_tokens: 'length',
    max_tokens: 'length',
    content_filter: 'content-filter',
  }),
)

/**
 * Decodes a reply of the Responses API, streamed or whole. Text, reasoning and arguments come from
 * their deltas; where a server sends none, from the `done` events or the finished item, once. The
 * terminal events are `response.completed`, `.incomplete` and `.failed`.
 * @see https://developers.openai.com/api/reference/resources/responses/streaming-events (read
 * 2026-11-21)
 */
export function createResponsesDecoder(sink: Sink, turn: Turn): Decoder {
  const { last, isSure } = knownStart(turn.messages, turn.options.vendor)
  if (last >= 0 && !isSure)
    sink.warning(
      `the server is taken to have the conversation up to message ${last}, which was not sent again: no reply in it says whether the server kept it`,
    )
  return new ResponsesDecoder(sink, turn)
}

class ResponsesDecoder implements Decoder {
  readonly #sink: Sink
  readonly #turn: Turn
  readonly #items: ItemReader
  readonly #done = new Map<number | string, WireItem>()

  constructor(sink: Sink, turn: Turn) {
    this.#sink = sink
    this.#turn = turn
    this.#items = new ItemReader(sink)
  }

  push(record: WireRecord): void {
    if (!record.data.startsWith('{')) {
      const text = record.data.trim()
      if (!text || text === '[DONE]') return
      // Gateways fail in words of their own.
      if (record.event === 'error') this.#sink.fail({ body: tryParseJson(text) ?? text })
    }
    const event = parseJson<WireEvent | null>(record.data)
    if (typeof event !== 'object' || event === null) return
    const type = asText(event.type ?? record.event)
    if (type.startsWith('response.') || type === 'error') this.#event(type, event)
    else if (asText(event.object).startsWith('chat.completion') || event.choices) {
      throw new LlmError(
        'protocol',
        'the server responded in the Chat Completions format; set api: "chat"',
      )
    } else if (event.object === 'response' || event.output) this.#end(event, event.status)
    else if (event.error !== undefined && event.error !== null) this.#sink.fail({ body: event })
  }

  #event(type: string, event: WireEvent): void {
    switch (type) {
      case 'response.output_text.delta': {
        const progress = this.#progress(event)
        this.#items.text(progress, event.content_index, event.delta)
        this.#items.logprobs(progress, event.logprobs)
        break
      }
      case 'response.output_text.done':
        this.#items.part(this.#progress(event), event.content_index, {
          ...event,
          type: 'output_text',
        })
        break
      case 'response.refusal.delta':
        this.#items.refusal(this.#progress(event), event.content_index, event.delta)
        break
      case 'response.refusal.done':
        this.#items.part(this.#progress(event), event.content_index, { ...event, type: 'refusal' })
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_summary_text.done':
        this.#items.reasoning(this.#progress(event), 'summary', event.summary_index, event)
        break
      // The last two are the words of Open Responses, which other servers speak.
      case 'response.reasoning_text.delta':
      case 'response.reasoning_text.done':
      case 'response.reasoning.delta':
      case 'response.reasoning.done':
        this.#items.reasoning(this.#progress(event), 'content', event.content_index, event)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#items.callText(this.#progress(event), event.delta)
        break
      case 'response.function_call_arguments.done':
        if (!this.#progress(event).hasArguments)
          this.#items.callText(this.#progress(event), event.arguments)
        break
      // The transcript of audio is kept, as in Chat Completions: the wire does not tell the format
      // of its bytes.
      case 'response.audio.transcript.delta':
        this.#items.text(this.#progress(event), event.content_index, event.delta)
        break
      case 'response.output_text.annotation.added':
        this.#items.annotation(this.#progress(event), event.annotation)
        break
      case 'response.output_item.added':
        if (event.item) this.#items.begin(this.#progress(event, true), event.item)
        break
      case 'response.output_item.done':
        if (event.item) this.#finishItem(event, event.item)
        break
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#sink.model(event.response?.model ?? '')
        this.#sink.details({ responseId: asText(event.response?.id) || undefined })
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        // Some servers put the failure next to the response.
        this.#end(
          { ...event.response, error: event.response?.error ?? event.error },
          type.slice('response.'.length),
        )
        break
      case 'error':
      case 'response.error':
        this.#sink.fail({ body: event.error ?? event.response?.error ?? event })
    }
  }

  #progress({ output_index, item_id, item }: WireEvent, another?: boolean): ItemProgress {
    return this.#items.progress(output_index, item_id ?? item?.id, another)
  }

  /**
   * A finished item. The same one again is ignored; another one in its place or with its id is an
   * item of its own.
   */
  #finishItem(event: WireEvent, item: WireItem): void {
    const latest = this.#progress(event)
    const known = this.#done.get(latest.key)
    if (!known) this.#item(latest, item)
    else if (JSON.stringify(known) !== JSON.stringify(item))
      this.#item(this.#progress(event, true), item)
  }

  #item(progress: ItemProgress, item: WireItem): void {
    this.#done.set(progress.key, item)
    this.#items.finish(progress, item)
  }

  /**
   * The reply is over. A server that sent no finished item has them all here, one that left some
   * out has those.
   */
  #end(response: WireResponse, status: string | undefined): void {
    if (status === 'queued' || status === 'in_progress')
      throw new LlmError(
        'protocol',
        `the response is ${status}: the server writes it in the background; stream it`,
      )
    if (status === 'cancelled')
      throw new LlmError('aborted', 'the response was cancelled at the server')
    const items = listOf(response.output)
    const missing = this.#done.size ? this.#items.missing(items) : items.entries()
    for (const [place, item] of missing)
      this.#item(this.#items.progress(place, item.id, true), item)
    this.#sink.model(response.model ?? '')
    const { usage, error } = response
    const counts = toCounts(usage)
    if (counts) this.#sink.usage(counts)
    reportFacts(this.#sink, response)
    if (counts?.unattributedTokens)
      this.#sink.warning(
        `the server's total has ${counts.unattributedTokens} tokens that it counts neither as prompt nor as output`,
      )
    if (status === 'failed')
      this.#sink.fail({
        body: error ?? { message: 'the response failed; the server gives no reason' },
      })
    const { model, options } = this.#turn
    const state = toState(
      [...this.#done.values()],
      model,
      keptAs(options.vendor ?? {}, response.id),
    )
    if (state) this.#sink.state(state)
    this.#finish(response.status ?? status, response.incomplete_details?.reason)
  }

  #finish(status: string | undefined, incomplete: string | undefined): void {
    if (status === 'completed') this.#sink.finish('stop', status)
    else if (status !== undefined)
      this.#sink.finish(
        incompleteReasons.get(incomplete ?? '') ?? 'other',
        incomplete ? `${status}:${incomplete}` : status,
      )
    this.#sink.terminal()
  }
}
