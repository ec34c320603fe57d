import {
  type AssistantMessage,
  type Citation,
  type ContentPart,
  type FinishReason,
  type PartialReply,
  type ProviderFile,
  type ProviderToolCall,
  type ReplyDetails,
  type SafetyReport,
  type StreamEvent,
  type TokenCounts,
  type TokenLogprob,
  type ToolCall,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { defined } from '../base/defined.js'
import type { InBandFailure, ResponseFacts, Sink, ToolCallDelta } from '../base/driver.js'
import type { ResponseLimits } from '../base/limits.js'
import { TextBuffer } from '../base/text-buffer.js'
import { InBandError } from '../failure/in-band.js'
import { readCount } from './read-count.js'
import { ToolCallBuffer } from './tool-call-buffer.js'

/** Reasons of a reply that was cut: a call without arguments may have been about to get some. */
const cutReasons: ReadonlySet<FinishReason | undefined> = new Set<FinishReason>([
  'length',
  'content-filter',
  'error',
])

type Counts = { -readonly [Name in keyof TokenCounts]: TokenCounts[Name] }

/**
 * Records one turn: the sink of its decoder, which emits an event for each delta and collects the
 * finished reply.
 */
export class TurnRecorder implements Sink {
  /** True from the first semantic event on: the request must not be repeated any more. */
  committed = false
  /** Counts deltas of the reply, for the idle clock. */
  deltas = 0
  /** True once the reply is whole: its finish reason or the API's last mark was seen. */
  finished = false
  /** True once the API's last mark was seen: nothing follows it. */
  terminated = false
  /** True once the server reported any count of tokens. */
  reported = false
  rawFinishReason: string | undefined
  readonly #facts: { -readonly [Name in keyof ResponseFacts]: ResponseFacts[Name] } = {}
  readonly #lists = {
    logprobs: [] as TokenLogprob[],
    citations: [] as Citation[],
    providerToolCalls: [] as ProviderToolCall[],
    warnings: [] as string[],
    safety: [] as SafetyReport[],
    files: [] as ProviderFile[],
  }
  readonly #parts: ContentPart[] = []
  readonly #emit: (event: StreamEvent) => void
  readonly #calls: ToolCallBuffer
  readonly #text = new TextBuffer()
  readonly #reasoning = new TextBuffer()
  readonly #refusal = new TextBuffer()
  #reason: FinishReason | undefined
  readonly #counts: Counts = { ...zeroCounts }
  #model: string
  #state: unknown

  constructor(
    emit: (event: StreamEvent) => void,
    limits: ResponseLimits,
    usedIds: Set<string>,
    model: string,
  ) {
    this.#emit = emit
    const commit = (event: StreamEvent): void => {
      this.committed = true
      emit(event)
    }
    this.#calls = new ToolCallBuffer(commit, limits, usedIds)
    this.#model = model
  }

  text(text: string): void {
    if (!text) return
    this.deltas++
    this.committed = true
    this.#text.add(text)
    this.#emit({ type: 'text-delta', text })
  }

  reasoning(text: string): void {
    if (!text) return
    this.deltas++
    this.committed = true
    this.#reasoning.add(text)
    this.#emit({ type: 'reasoning-delta', text })
  }

  written(kind: 'text' | 'reasoning'): TextBuffer {
    return kind === 'text' ? this.#text : this.#reasoning
  }

  refusal(text: string): void {
    this.deltas++
    this.#refusal.add(text)
  }

  toolCall(key: number | string, piece: ToolCallDelta): void {
    this.deltas++
    this.#calls.push(key, piece)
  }

  endToolCall(key: number | string): void {
    this.#calls.end(key)
  }

  part(part: ContentPart): void {
    this.deltas++
    this.committed = true
    this.#parts.push(part)
  }

  citation(citation: Citation): void {
    this.#lists.citations.push(citation)
  }

  providerToolCall(call: ProviderToolCall): void {
    this.deltas++
    this.#lists.providerToolCalls.push(call)
  }

  logprobs(tokens: readonly TokenLogprob[]): void {
    for (const token of tokens) this.#lists.logprobs.push(token)
  }

  usage(counts: { readonly [Name in keyof TokenCounts]?: TokenCounts[Name] | undefined }): void {
    const turnCounts: Record<string, unknown> = this.#counts
    // Makes no list of entries and no copy, since some servers send counts with every delta.
    for (const name in counts) {
      const counted = readCount(name as keyof TokenCounts, counts[name as keyof TokenCounts])
      if (counted === undefined) continue
      this.reported = true
      turnCounts[name] = counted
    }
  }

  details(facts: ResponseFacts): void {
    const turnFacts: Record<string, unknown> = this.#facts
    for (const name in facts) {
      const value = facts[name as keyof ResponseFacts]
      if (value !== undefined) turnFacts[name] = value
    }
  }

  safety(report: SafetyReport): void {
    this.#lists.safety.push(report)
  }

  file(file: ProviderFile): void {
    this.#lists.files.push(file)
  }

  model(name: string): void {
    if (name) this.#model = name
  }

  finish(reason: FinishReason, raw?: string): void {
    this.finished = true
    this.#reason = reason
    this.rawFinishReason = raw ?? this.rawFinishReason
  }

  resume(): void {
    this.finished = false
    this.#reason = undefined
    this.rawFinishReason = undefined
  }

  terminal(): void {
    this.finished = true
    this.terminated = true
  }

  state(state: unknown): void {
    this.#state = state
  }

  get warnings(): readonly string[] {
    return this.#lists.warnings
  }

  warning(text: string): void {
    this.#lists.warnings.push(text)
  }

  fail(failure: InBandFailure): never {
    throw new InBandError(failure)
  }

  /**
   * From now on, only `complete` emits the calls that end. The response is over, and may have been
   * cut inside a call.
   */
  holdToolCalls(): void {
    this.#calls.hold()
  }

  /** The reply is whole: ends the open calls. A refusal without other text becomes the text. */
  complete(): void {
    if (this.#refusal.length && !this.#text.length) this.text(this.#refusal.text)
    this.#calls.endAll(cutReasons.has(this.#reason))
  }

  /**
   * Why the turn ended. Calls that await results make it `tool-calls`, whatever word the server
   * used.
   */
  get finishReason(): FinishReason {
    const reason = this.#reason ?? 'unknown'
    return this.#calls.size > 0 && (reason === 'stop' || reason === 'unknown')
      ? 'tool-calls'
      : reason
  }

  /** The counts, with no part larger than its whole. */
  get counts(): TokenCounts {
    const counts = this.#counts
    const inputTokens = Math.max(
      counts.inputTokens,
      counts.cacheReadTokens,
      counts.cacheCreationTokens,
    )
    return {
      ...counts,
      inputTokens,
      // Tokens reported both as read and as written were read.
      cacheCreationTokens: Math.min(
        counts.cacheCreationTokens,
        inputTokens - counts.cacheReadTokens,
      ),
      // Only the dialect knows whether the output includes reasoning: the sizes do not show it.
      reasoningTokens: Math.min(counts.reasoningTokens, counts.outputTokens),
    }
  }

  /** The parts of the reply besides text, calls and counts. Fields without a value are left out. */
  get replyDetails(): ReplyDetails {
    const details: Record<string, unknown> = { ...this.#facts }
    if (this.rawFinishReason !== undefined) details['rawFinishReason'] = this.rawFinishReason
    const lists: Readonly<Record<string, readonly unknown[]>> = this.#lists
    for (const name in lists) if (lists[name]?.length) details[name] = lists[name]
    return details
  }

  get toolCalls(): readonly ToolCall[] {
    return this.#calls.toolCalls()
  }

  get finishedCalls(): readonly ToolCall[] {
    return this.#calls.finishedCalls()
  }

  /** The reply's text; a refusal that stands in for one included. */
  get fullText(): string {
    return this.#text.text
  }

  message(provider: string): AssistantMessage {
    const toolCalls = this.toolCalls
    const { fullText } = this
    const content: AssistantMessage['content'] = this.#parts.length
      ? [...(fullText ? [{ type: 'text' as const, text: fullText }] : []), ...this.#parts]
      : fullText
    return defined({
      role: 'assistant',
      content,
      toolCalls: toolCalls.length ? toolCalls : undefined,
      reasoning: this.#reasoning.text || undefined,
      refusal: this.#refusal.text || undefined,
      origin: defined({ provider, model: this.#model, state: this.#state }),
    })
  }

  /** The part of a failed turn that had arrived. */
  partial(bytes: number): PartialReply {
    return defined({
      text: this.fullText,
      reasoning: this.#reasoning.text,
      toolCalls: this.toolCalls,
      usage: toUsage(this.reported ? [this.counts] : [], 0, this.reported),
      bytes,
      finishReason: this.#reason,
    })
  }
}
