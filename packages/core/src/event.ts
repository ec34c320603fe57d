import type { ToolCall } from './tool.js'
import type { TokenUsage } from './usage.js'

/**
 * Why a turn ended. `stop` the model was done · `length` a token limit · `tool-calls` it waits for
 * results · `content-filter` it was stopped or refused · `pause` the vendor paused a long turn,
 * which continues by itself · `error` the vendor gave up on the turn · `other` a reason without an
 * equivalent here · `unknown` the server gave none.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'pause'
  | 'error'
  | 'other'
  | 'unknown'

/** One event of a stream with tools. Failures are never events: they reject the read. */
export type StreamEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'tool-call-start'
      readonly toolCall: { readonly id: string; readonly name: string }
    }
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'tool-call-complete'; readonly toolCall: ToolCall }
  /**
   * The turn is over; `usage` is the turn's own. Send the results of its calls before the next
   * read.
   */
  | { readonly type: 'turn-end'; readonly reason: FinishReason; readonly usage: TokenUsage }
  /** The last event; `usage` is that of the whole stream. */
  | { readonly type: 'done'; readonly reason: FinishReason; readonly usage: TokenUsage }
