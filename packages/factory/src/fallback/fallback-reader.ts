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
 * A reader over a reader, which another may replace until a reply has begun. It keeps no queue and
 * no clock: each read is the inner reader's own, and so are the rules R1–R10.
 */
abstract class FallbackReader<
  T,
  R extends Reader<T> & Pick<StreamReader, 'finishReason' | 'messages' | 'usage'>,
> extends ReaderBase<T> {
  protected inner: R
  readonly #walk: FallbackWalk
  readonly #closing = new AbortController()
  /** True until a part of the reply, or of the turn, was returned. */
  #waiting = true
  #closed = false
  /** The tokens of the readers that were replaced. */
  #spent: TokenUsage = toUsage([])
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

  usage(): TokenUsage {
    return addUsage(this.#spent, this.inner.usage())
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#closing.abort()
    await this.inner.close()
  }

  /** Asks a provider for the stream, or for the rest of it. */
  protected abstract readonly open: Open<R>

  /** Puts a reader in place of the one that failed. */
  protected replace(inner: R): void {
    this.#spent = this.usage()
    this.inner = inner
  }

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

  /**
   * Puts the next provider's reader in place of the one that failed; false when the caller closed
   * meanwhile.
   */
  async #change(failure: unknown): Promise<boolean> {
    try {
      if (await this.#walk.moveOn(failure)) {
        const inner = await this.#walk.tryEach(this.open, this.#closing.signal)
        if (this.#isClosed()) {
          await inner.close()
          return false
        }
        this.replace(inner)
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
export class TextFallbackReader
  extends FallbackReader<string, StreamReader>
  implements StreamReader
{
  protected readonly open: Open<StreamReader>

  private constructor(walk: FallbackWalk, inner: StreamReader, open: Open<StreamReader>) {
    super(walk, inner)
    this.open = open
  }

  /** Opens the stream: a failure that no other provider takes over rejects here. */
  static async start(walk: FallbackWalk, open: Open<StreamReader>): Promise<TextFallbackReader> {
    return new TextFallbackReader(walk, await walk.tryEach(open), open)
  }

  fullText(): string {
    return this.inner.fullText()
  }

  details(): ReplyDetails {
    return this.inner.details()
  }

  protected pass(item: string): { item: string; waiting: boolean } {
    return { item, waiting: false }
  }
}

/**
 * A conversation with tools that another provider may take over before its first event, or between
 * two turns.
 */
export class EventFallbackReader
  extends FallbackReader<StreamEvent, ToolStreamReader>
  implements ToolStreamReader
{
  #tools: readonly ToolDefinition[]
  /** The text and the details of the readers that were replaced. */
  #text = ''
  #before: ReplyDetails = {}
  protected readonly open: Open<ToolStreamReader> = (provider, options) =>
    provider.streamWithTools(this.messages(), this.#tools, options)

  private constructor(
    walk: FallbackWalk,
    inner: ToolStreamReader,
    tools: readonly ToolDefinition[],
  ) {
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
      await walk.tryEach((provider, options) => provider.streamWithTools(messages, tools, options)),
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

  details(): ReplyDetails {
    return mergeDetails(this.#before, this.inner.details())
  }

  protected override replace(inner: ToolStreamReader): void {
    this.#text = this.fullText()
    this.#before = this.details()
    super.replace(inner)
  }

  protected pass(event: StreamEvent): { item: StreamEvent; waiting: boolean } {
    const item = event.type === 'done' ? { ...event, usage: this.usage() } : event
    return { item, waiting: event.type === 'turn-end' }
  }
}
