import type {
  FinishReason,
  Reader,
  StreamEvent,
  StreamReader,
  ToolDefinition,
  ToolResult,
  ToolStreamReader,
} from '@modelport/core'
import { OuterReader } from './outer-reader.js'

/** Called by an observed reader. */
export interface ReadObserver<T> {
  /** Called with each item before it is given out. Must not throw. */
  onItem(item: T): void
  /**
   * Called once: at the end, after the first rejected read, or when the reader is closed before
   * either.
   */
  onEnd(outcome: 'end' | 'error' | 'closed', error?: unknown): void
}

/**
 * A reader that calls an observer. It has no queue and no state of the stream: the inner reader
 * keeps rules R1 to R10 of the contract.
 */
abstract class ObservedReader<
  T,
  R extends Reader<T> &
    Pick<StreamReader, 'fullText' | 'usage' | 'finishReason' | 'details' | 'messages'>,
> extends OuterReader<T, R> {
  readonly #observer: ReadObserver<T>
  #ended = false

  constructor(inner: R, observer: ReadObserver<T>) {
    super(inner)
    this.#observer = observer
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    try {
      const result = await this.inner.next()
      if (result.done) this.#end('end')
      else this.#observer.onItem(result.value)
      return result
    } catch (error) {
      if (this.mayContinue(error)) throw error
      this.#end('error', error)
      throw error
    }
  }

  finishReason(): FinishReason | undefined {
    return this.inner.finishReason()
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end('closed')
  }

  /** True for a rejected read after which the stream continues. */
  protected abstract mayContinue(error: unknown): boolean

  #end(outcome: 'end' | 'error' | 'closed', error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#observer.onEnd(outcome, error)
  }
}

/** An observed stream of text. */
export class ObservedTextReader
  extends ObservedReader<string, StreamReader>
  implements StreamReader
{
  protected mayContinue(): boolean {
    return false
  }
}

/** An observed conversation with tools. */
export class ObservedToolReader
  extends ObservedReader<StreamEvent, ToolStreamReader>
  implements ToolStreamReader
{
  sendToolResults(results: readonly ToolResult[]): Promise<void> {
    return this.inner.sendToolResults(results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.inner.setTools(tools)
  }

  /** A read before all results are there rejects, and the stream continues once they are. */
  protected mayContinue(error: unknown): boolean {
    return (
      (error as { readonly code?: unknown } | null)?.code === 'invalid-request' &&
      !('status' in Object(error))
    )
  }
}
