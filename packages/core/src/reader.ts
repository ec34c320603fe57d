import type { FinishReason, StreamEvent } from './event.js'
import type { ChatMessage } from './message.js'
import type { ReplyDetails } from './reply-details.js'
import type { ToolDefinition, ToolResult } from './tool.js'
import type { TokenUsage } from './usage.js'

/**
 * A stream of `T`: the platform's async iterator with `close()`. The rules R1–R10 are in
 * docs/contract.md. One consumer; overlapping `next()` calls are served in order. After a failure
 * every `next()` rejects with the same error.
 */
export interface Reader<T> extends AsyncIterableIterator<T, undefined, undefined>, AsyncDisposable {
  /**
   * The next item, or `{ done: true }` at the clean end and ever after.
   * @throws {LlmError} `truncated` — the wire closed before the reply's end; any other code of the
   * failure.
   * @throws the abort signal's own reason, unwrapped, once the call's signal is aborted.
   */
  next(): Promise<IteratorResult<T, undefined>>
  /**
   * Ends the stream and frees its connection. Idempotent, never rejects, settles a waiting `next()`
   * as done.
   */
  close(): Promise<void>
}

/** A stream of text. */
export interface StreamReader extends Reader<string> {
  /** All text so far; final after the end. */
  fullText(): string
  /** Token counts so far; final after the end. */
  usage(): TokenUsage
  /** Why the reply ended; undefined before that. */
  finishReason(): FinishReason | undefined
  /**
   * The conversation so far with the reply at its end, plain JSON: reasoning and provider state are
   * kept. Pass it on for a memory.
   */
  messages(): readonly ChatMessage[]
  /** Sources, calls of the vendor's own tools, warnings so far; final after the end. */
  details(): ReplyDetails
}

/** A stream that spans a whole conversation with tools. */
export interface ToolStreamReader extends Reader<StreamEvent> {
  /**
   * Gives the results of tool calls of the current turn, all at once or one by one, in any order.
   * The next read after `turn-end` then continues with everything the model said and the results in
   * call order. Nothing is sent before that read.
   * @throws {LlmError} `invalid-request` — an id is unknown or already has its result; nothing of
   * this call is taken.
   * @throws {TypeError} the stream has ended or no call is open.
   */
  sendToolResults(results: readonly ToolResult[]): Promise<void>
  /** Replaces the tools from the next turn on. */
  setTools(tools: readonly ToolDefinition[]): void
  /** Why the last finished turn ended; undefined before that. */
  finishReason(): FinishReason | undefined
  /** All text of all turns so far. */
  fullText(): string
  /** Token counts of all turns so far. */
  usage(): TokenUsage
  /**
   * Sources, calls of the vendor's own tools, warnings of all turns so far; the reason is that of
   * the last turn.
   */
  details(): ReplyDetails
  /** The conversation so far, plain JSON: ready to store, or to hand to another provider. */
  messages(): readonly ChatMessage[]
}
