import type { ToolCall, ToolResult } from '@modelport/core'
import type { Tool } from './tool.js'

/** What became of one call. */
export interface ToolOutcome {
  /**
   * `ok` executed · `invalid-arguments` refused by its schema or not JSON · `unknown-tool` no such tool · `failed` the tool threw or
   * answered with an error · `timeout` its time was up · `cancelled` the run ended first · `refused` not allowed. Only `ok`, `failed`,
   * `timeout` and `cancelled` may have had an effect.
   */
  readonly status: 'ok' | 'invalid-arguments' | 'unknown-tool' | 'failed' | 'timeout' | 'cancelled' | 'refused'
  /** What the tool answered, before it was made into content. */
  readonly value?: unknown
  /** What went wrong. */
  readonly message?: string
  /** Milliseconds from start to end, 0 for a call that never started. */
  readonly latencyMs: number
}

/** How the calls of one round are executed. */
export interface ToolBatchOptions {
  /** What may be called. */
  readonly tools: readonly Tool[]
  /** The step of the run. */
  readonly step: number
  /** Cancels what is running and answers what is not. */
  readonly signal?: AbortSignal
  /** Most calls at once. Default 8. */
  readonly concurrency?: number
  /** Most milliseconds a call may take, where its tool does not say. Default 120,000. */
  readonly timeoutMs?: number
  /** Told before a call is executed. */
  onStart?(call: ToolCall): void
  /** Told once for every call, when its result arrives: the place to commit it. */
  onResult(call: ToolCall, result: ToolResult, outcome: ToolOutcome): void
}

/**
 * Executes the calls of one round and answers every one of them, each once, as soon as it is settled.
 * @throws the signal's reason, once every call is answered, when the signal aborts.
 */
export function executeBatch(calls: readonly ToolCall[], options: ToolBatchOptions): Promise<void> {
  return Promise.reject(new Error(`executeBatch: not written yet (${calls.length}, ${options.step})`))
}
