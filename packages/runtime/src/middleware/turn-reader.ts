import {
  addUsage,
  type ChatMessage,
  type FinishReason,
  type Generation,
  mergeDetails,
  ReaderBase,
  type ReplyDetails,
  type StreamEvent,
  type TokenUsage,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  type ToolStreamReader,
  toUsage,
} from '@modelport/core'
import { OpenCalls } from '@modelport/core/turns'
import { untilAborted } from '../base/until-aborted.js'

/** The events of one turn but its end, and then the whole reply. */
export type TurnGenerator = AsyncGenerator<StreamEvent, Generation, undefined>

/** The parts of a {@link TurnReader}. */
export interface TurnReaderOptions {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly signal?: AbortSignal | undefined
  /** Runs one turn. The signal aborts when the reader is closed. */
  run(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    signal: AbortSignal,
  ): TurnGenerator
  /** Called when the reader is closed, to free what was opened before the first read. */
  onClose?(): Promise<void>
}

const end = Object.freeze({ done: true, value: undefined })

/**
 * A conversation with tools whose turns come from a function: replies from a cache, or of several
 * models as one.
 */
export class TurnReader extends ReaderBase<StreamEvent> implements ToolStreamReader {
  readonly #options: TurnReaderOptions
  readonly #closing = new AbortController()
  readonly #messages: ChatMessage[]
  readonly #open = new OpenCalls()
  #tools: readonly ToolDefinition[]
  #turn: TurnGenerator | undefined
  #last: Generation | undefined
  #text = ''
  #turnText = ''
  #usage: TokenUsage = toUsage([])
  #details: ReplyDetails = {}
  #isDone = false
  #failure: { readonly error: unknown } | undefined
  /** Reads are served one at a time, in order. */
  #reads: Promise<unknown> = Promise.resolve()

  constructor(options: TurnReaderOptions) {
    super()
    this.#options = options
    this.#messages = [...options.messages]
    this.#tools = options.tools
  }

  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    const read = this.#reads.then(() => this.#read())
    this.#reads = read.catch(() => undefined)
    return read
  }

  // oxlint-disable-next-line typescript/require-await -- rejects, never throws
  async sendToolResults(results: readonly ToolResult[]): Promise<void> {
    if (this.#isDone || this.#failure) throw new TypeError('sendToolResults: the stream has ended')
    this.#open.take(this.#turn ? [] : this.#calls, results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.#tools = tools
  }

  fullText(): string {
    return this.#text + this.#turnText
  }

  usage(): TokenUsage {
    return this.#usage
  }

  details(): ReplyDetails {
    return this.#details
  }

  finishReason(): FinishReason | undefined {
    return this.#last?.finishReason
  }

  messages(): readonly ChatMessage[] {
    return [...this.#messages, ...this.#open.inOrder(this.#calls)]
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException('the reader was closed', 'AbortError'))
    this.#isDone = true
    // Not awaited: the turn may be waiting for a model, which the signal ends.
    void this.#turn?.return(undefined as never).catch(() => undefined)
    await this.#options.onClose?.()
  }

  async #read(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#failure) throw this.#failure.error
    if (this.#isDone) return end
    try {
      if (!this.#turn && this.#last) {
        if (!this.#open.hasResults) return this.#finish()
        const problem = this.#open.problem(this.#calls)
        if (problem) throw problem
        this.#messages.push(...this.#open.close(this.#calls))
      }
      return { done: false, value: await this.#step() }
    } catch (error) {
      if (this.#closing.signal.aborted) return end
      if (this.#turn) this.#failure = { error }
      throw error
    }
  }

  async #step(): Promise<StreamEvent> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    const both = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    this.#turn ??= this.#options.run(this.messages(), this.#tools, both)
    const step = await untilAborted(this.#turn.next(), both)
    if (!step.done) {
      if (step.value.type === 'text-delta') this.#turnText += step.value.text
      return step.value
    }
    const generation = step.value
    this.#turn = undefined
    this.#last = generation
    this.#text += generation.text
    this.#turnText = ''
    this.#usage = addUsage(this.#usage, generation.usage)
    this.#details = mergeDetails(this.#details, generation)
    this.#messages.push(generation.message)
    return { type: 'turn-end', reason: generation.finishReason, usage: generation.usage }
  }

  #finish(): IteratorResult<StreamEvent, undefined> {
    this.#isDone = true
    return {
      done: false,
      value: { type: 'done', reason: this.#last?.finishReason ?? 'unknown', usage: this.#usage },
    }
  }

  /** The calls of the last turn. */
  get #calls(): readonly ToolCall[] {
    return this.#last?.toolCalls ?? []
  }
}
