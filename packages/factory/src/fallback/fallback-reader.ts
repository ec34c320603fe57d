import {
  addUsage,
  type CallOptions,
  type ChatMessage,
  type FinishReason,
  mergeDetails,
  type Provider,
  type Reader,
  ReaderBase,
  type ReplyDetails,
  type StreamEvent,
  type StreamReader,
  type TokenUsage,
  type ToolDefinition,
  type ToolResult,
  type ToolStreamReader,
  toUsage,
} from '@modelport/core'
import type { FallbackWalk } from './fallback-chain.js'

type Open<R> = (provider: Provider, options: CallOptions) => Promise<R>

const end = Object.freeze({ done: true, value: undefined })

/**
 * A reader over a reader, which another may replace until a reply has begun. It keeps no queue and no clock: each read
 * is the inner reader's own, and so are the rules R1–R10.
 */
abstract class FallbackReader<
  T,
  R extends Reader<T> & Pick<StreamReader, 'finishReason' | 'messages'>,
> extends ReaderBase<T> {
  protected inner: R
  readonly #walk: FallbackWalk
  readonly #closing = new AbortController()
  /** True until a part of the reply, or of the turn, was returned. */
  #waiting = true
  #closed = false
  #failure: { readonly error: unknown } | undefined
  /** Reads made before a reply began: one at a time, in order. */
  #reads: Promise<unknown> = Promise.resolve()
  #pending = 0

  constructor(walk: FallbackWalk, inner: R) {
    super()
    this.#walk = walk
    this.inner = inner
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#waiting && !this.#pending && !this.#failure && !this.#closed) return this.#read()
    this.#pending++
    const read = this.#reads.then(() => this.#inTurn())
    this.#reads = read.then(ignore, ignore)
    return read.finally(() => {
      this.#pending--
    })
  }

  finishReason(): FinishReason | undefined {
    return this.inner.finishReason()
  }

  messages(): readonly ChatMessage[] {
    return this.inner.messages()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#closing.abort()
    await this.inner.close()
  }

  /** Opens the next provider's reader. */
  protected abstract reopen(walk: FallbackWalk, signal: AbortSignal): Promise<R>

  /** The item as the caller gets it, and whether another provider may continue after it. */
  protected abstract pass(item: T): { readonly item: T; readonly waiting: boolean }

  async #inTurn(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (this.#failure) throw this.#failure.error
      if (this.#closed || !this.#waiting) return this.#read()
      try {
        return await this.#read()
      } catch (error) {
        if (this.#isClosed()) return end
        if (!(await this.#change(error))) return end
      }
    }
  }

  /** Puts the next provider's reader in place of the one that failed; false when the caller closed meanwhile. */
  async #change(failure: unknown): Promise<boolean> {
    try {
      if (this.#walk.moveOn(failure)) {
        const inner = await this.reopen(this.#walk, this.#closing.signal)
        if (this.#isClosed()) {
          await inner.close()
          return false
        }
        this.inner = inner
        return true
      }
    } catch (error) {
      if (this.#isClosed()) return false
      this.#failure = { error }
      throw error
    }
    // No provider takes over: the reader that failed knows whether its failure is final.
    throw failure
  }

  async #read(): Promise<IteratorResult<T, undefined>> {
    if (this.#closed && this.#waiting) return end
    const result = await this.inner.next()
    if (result.done) return result
    if (this.#waiting) this.#walk.succeeded()
    const { item, waiting } = this.pass(result.value)
    this.#waiting = waiting
    return { done: false, value: item }
  }

  /** A method, since the compiler does not see that `close` may run while a read waits. */
  #isClosed(): boolean {
    return this.#closed
  }
}

const ignore = (): void => undefined

/** A stream of text that another provider may take over before its first chunk. */
export class TextFallbackReader extends FallbackReader<string, StreamReader> implements StreamReader {
  readonly #open: Open<StreamReader>
  #spent: TokenUsage = toUsage([])

  private constructor(walk: FallbackWalk, inner: StreamReader, open: Open<StreamReader>) {
    super(walk, inner)
    this.#open = open
  }

  /** Opens the stream: a failure that no other provider takes over rejects here. */
  static async start(walk: FallbackWalk, open: Open<StreamReader>): Promise<TextFallbackReader> {
    return new TextFallbackReader(walk, await walk.ask(open), open)
  }

  fullText(): string {
    return this.inner.fullText()
  }

  usage(): TokenUsage {
    return addUsage(this.#spent, this.inner.usage())
  }

  details(): ReplyDetails {
    return this.inner.details()
  }

  protected async reopen(walk: FallbackWalk, signal: AbortSignal): Promise<StreamReader> {
    const spent = this.usage()
    const reader = await walk.ask(this.#open, signal)
    this.#spent = spent
    return reader
  }

  protected pass(item: string): { item: string; waiting: boolean } {
    return { item, waiting: false }
  }
}

/** A conversation with tools that another provider may take over before its first event, or between two turns. */
export class EventFallbackReader extends FallbackReader<StreamEvent, ToolStreamReader> implements ToolStreamReader {
  #tools: readonly ToolDefinition[]
  #text = ''
  #spent: TokenUsage = toUsage([])
  #before: ReplyDetails = {}

  private constructor(walk: FallbackWalk, inner: ToolStreamReader, tools: readonly ToolDefinition[]) {
    super(walk, inner)
    this.#tools = tools
  }

  /** Opens the stream: a failure that no other provider takes over rejects here. */
  static async startConversation(
    walk: FallbackWalk,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
  ): Promise<EventFallbackReader> {
    return new EventFallbackReader(
      walk,
      await walk.ask((provider, options) => provider.streamWithTools(messages, tools, options)),
      tools,
    )
  }

  sendToolResults(results: readonly ToolResult[]): Promise<void> {
    return this.inner.sendToolResults(results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.inner.setTools(tools)
    this.#tools = tools
  }

  fullText(): string {
    return this.#text + this.inner.fullText()
  }

  usage(): TokenUsage {
    return addUsage(this.#spent, this.inner.usage())
  }

  details(): ReplyDetails {
    return mergeDetails(this.#before, this.inner.details())
  }

  protected async reopen(walk: FallbackWalk, signal: AbortSignal): Promise<ToolStreamReader> {
    const [text, spent, details, messages] = [this.fullText(), this.usage(), this.details(), this.messages()]
    const reader = await walk.ask(
      (provider, options) => provider.streamWithTools(messages, this.#tools, options),
      signal,
    )
    this.#text = text
    this.#spent = spent
    this.#before = details
    return reader
  }

  protected pass(event: StreamEvent): { item: StreamEvent; waiting: boolean } {
    const item = event.type === 'done' ? { ...event, usage: this.usage() } : event
    return { item, waiting: event.type === 'turn-end' }
  }
}
