import type { JsonObject, ToolDefinition } from '@modelport/core'
import type { Validated } from '../schema/json-schema.js'
import type { EffectDeclaration } from './reconcile.js'
import type { RunContext } from './run-context.js'

/** The context of the call that a tool executes. */
export interface ToolContext {
  /** The id of the call. */
  readonly callId: string
  /** The step of the run the call belongs to; the first is 1. */
  readonly step: number
  /** Aborts when the run is cancelled or the call's time is up. A tool that waits should pass it on. */
  readonly signal: AbortSignal
  /** The run that calls. */
  readonly run: RunContext
  /**
   * Reports how far the call is, as JSON: the run emits `tool-progress`, at most one in 50 ms of a call. Unset where nobody receives it.
   * @throws {LlmError} `invalid-request` — the value is not JSON.
   */
  readonly progress?: ((value: unknown) => void) | undefined
}

/** A tool that can be executed here. Make one with `defineTool`. */
export interface Tool extends EffectDeclaration {
  /** What the model reads of the tool. */
  readonly definition: ToolDefinition
  /** Checks arguments before anything is executed; never throws. */
  validate(args: JsonObject): Validated | Promise<Validated>
  /**
   * Does the work. Returns, or resolves with, any JSON value, text or content parts; `pending(id)` when the result will come later.
   * A thrown error becomes a result the model can read; its message is all the model sees of it.
   */
  execute(value: unknown, context: ToolContext): unknown
  /** Maximum milliseconds one call may take. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /** True for a tool that must not run next to another call of its step. Default false. */
  readonly exclusive?: boolean | undefined
  /**
   * True for a `readOnly` tool that `infer` starts when its call is complete in the stream, before the reply is. It is allowed before, as ever; its result is
   * dropped if the reply fails. Off under a journal. Default false.
   */
  readonly eager?: boolean | undefined
}
