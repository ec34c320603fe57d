import type { JsonObject, ToolDefinition } from '@modelport/core'
import type { Validated } from '../schema/json-schema.js'
import type { Ask, StoredQuestion } from './question.js'
import type { EffectDeclaration } from './reconcile.js'
import type { RunContext } from './run-context.js'

/** The context of the call that a tool executes. */
export interface ToolContext {
  /** The id of the call. */
  readonly callId: string
  /** The step of the run the call belongs to; the first is 1. */
  readonly step: number
  /**
   * Aborts when the run is cancelled or the call's time is up. A tool that waits should pass it on.
   */
  readonly signal: AbortSignal
  /** The run that calls. */
  readonly run: RunContext
  /**
   * Reports how far the call is, as JSON: the run emits `tool-progress`, at most one in 50 ms of a
   * call. Unset where nobody receives it.
   * @throws {LlmError} `invalid-request` — the value is not JSON.
   */
  readonly progress?: ((value: unknown) => void) | undefined
  /**
   * Asks the user of the run; unset where nobody can be asked, but set in `execute` of
   * `defineTool`. If the question was answered, it resolves with the answer. Else it rejects, the
   * run ends as `suspended` when the other calls of the step are done, and a resume with the answer
   * executes the call again from its start: ask before you act. Questions are matched by their
   * place and their content, so ask the same ones in the same order. At most 20 a call.
   * @throws {LlmError} `aborted` — the question is not answered yet: let it pass; `invalid-request`
   * — it cannot be asked; `limit-exceeded`; `unsupported` — the call is not one of a run, so that
   * nobody can answer.
   */
  readonly ask?: Ask | undefined
  /**
   * The questions of this call that were answered, in their order, with `state` as it was given.
   */
  readonly answers?: readonly StoredQuestion[] | undefined
}

/** A tool that can be executed here. Make one with `defineTool`. */
export interface Tool extends EffectDeclaration {
  /** What the model reads of the tool. */
  readonly definition: ToolDefinition
  /** Checks arguments before anything is executed; never throws. */
  validate(args: JsonObject): Validated | Promise<Validated>
  /**
   * Does the work. Returns, or resolves with, any JSON value, text or content parts; `pending(id)`
   * when the result will come later. A thrown error becomes a result the model can read; its
   * message is all the model sees of it.
   */
  execute(value: unknown, context: ToolContext): unknown
  /**
   * Cancels work that a call left pending. An agent calls it when the task that waits for the work
   * is cancelled, perhaps in another process, and again later if it rejects with a retryable error.
   * It resolves if the work is over already. Default: the work continues.
   */
  cancelPending?(taskId: string, context: { readonly signal: AbortSignal }): void | Promise<void>
  /** Maximum milliseconds one call may take. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /**
   * Where its results come from, for example the name of an MCP server: `authorize` learns which of
   * these the conversation holds. Default: the application.
   */
  readonly source?: string | undefined
  /** True for a tool that must not run next to another call of its step. Default false. */
  readonly exclusive?: boolean | undefined
  /**
   * True for a `readOnly` tool that `infer` starts when its call is complete in the stream, before
   * the reply is. It is allowed before, as ever; its result is dropped if the reply fails. Off
   * under a journal. Default false.
   */
  readonly eager?: boolean | undefined
}
