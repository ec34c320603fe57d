import { type Content, LlmError, longestTimer, type ToolCall } from '@modelport/core'
import { copyJson } from '../base/copy-json.js'
import { messageOf, mostMessageLength } from '../base/message-of.js'
import { cut } from '../base/well-formed.js'
import type { Validated } from '../schema/json-schema.js'
import { refuseArguments } from './argument-check.js'
import { Asking } from './asking.js'
import { isOutcomeUnknown } from './outcome-unknown.js'
import { AskedResult, PendingResult } from './pending-result.js'
import type { StoredQuestion } from './question.js'
import type { RunContext } from './run-context.js'
import type { Tool, ToolContext } from './tool.js'
import { isToolFailure, toToolContent } from './tool-content.js'
import type { ToolOutcome } from './tool-outcome.js'
import { ToolProgress } from './tool-progress.js'
import { unknownToolText } from './unknown-tool.js'

/** What the model reads about a call, and its outcome. */
export interface SettledCall {
  readonly content: Content
  readonly outcome: ToolOutcome
}

/** How one call is executed. */
export interface CallPlan {
  readonly step: number
  readonly run: RunContext
  readonly timeoutMs: number
  readonly onProgress?: ((value: unknown) => unknown) | undefined
  /** The answered questions of the call. Unset: nobody can be asked. */
  readonly answers?: readonly StoredQuestion[] | undefined
}

/** What a check says about arguments, or what it threw. */
type Checked =
  | Extract<Validated, { ok: true }>
  | (Extract<Validated, { ok: false }> & { readonly error?: unknown })

const mostSchemaLength = 2000

/** Explains to the model why a call has no result. */
export const toRefusal = (
  status: Exclude<ToolOutcome['status'], 'ok' | 'pending'>,
  message: string,
  latencyMs: number = 0,
): SettledCall => ({
  content: message,
  outcome: { status, message, latencyMs },
})

/** The text for the model about a call of a tool that does not exist. */
export const toUnknownTool = (call: ToolCall, tools: readonly Tool[]): SettledCall =>
  toRefusal(
    'unknown-tool',
    unknownToolText(
      call.name,
      tools.map(({ definition }) => definition.name),
    ),
  )

/** The one place that calls a tool; `value` fits its schema. */
export const callTool = (tool: Tool, value: unknown, context: ToolContext): unknown =>
  // eslint-disable-next-line no-restricted-syntax -- the one place that calls a tool
  tool.execute(value, context)

/**
 * One call in execution: checked, started, timed. It settles once, with its result or because it
 * was cut short.
 */
export class ToolRun {
  /** True once the tool itself has been started: from then on it may have had an effect. */
  started = false
  readonly #controller = new AbortController()
  readonly #call: ToolCall
  readonly #tool: Tool
  #progress: ToolProgress | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #startedAt = performance.now()

  constructor(call: ToolCall, tool: Tool) {
    this.#call = call
    this.#tool = tool
  }

  /** Aborts the signal of the tool: nobody waits for its result any more. */
  abort(reason: unknown): void {
    // Nobody waits for its time to pass: a timer would keep the process alive.
    clearTimeout(this.#timer)
    this.#progress?.close()
    this.#controller.abort(reason)
  }

  /** True once nobody waits for the result. */
  #isAborted(): boolean {
    return this.#controller.signal.aborted
  }

  /** Milliseconds since it began. */
  get latencyMs(): number {
    return performance.now() - this.#startedAt
  }

  /**
   * The outcome of the call, within its time.
   * @throws whatever `onStart` throws; nothing was executed then.
   */
  settle(
    { timeoutMs, onProgress, ...plan }: CallPlan,
    onStart: () => unknown,
  ): Promise<SettledCall> {
    if (onProgress) this.#progress = new ToolProgress(this.#call.name, onProgress)
    const executed = this.#execute(plan, onStart)
    if (!Number.isFinite(timeoutMs)) return executed
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(
        () => {
          const effect = this.started
            ? 'whether it had an effect is unknown'
            : 'it was not executed'
          const message = `The tool "${this.#call.name}" did not answer within ${timeoutMs} ms; ${effect}.`
          this.abort(new LlmError('timeout', message))
          resolve(this.#mark(toRefusal('timeout', message, this.latencyMs), this.started))
        },
        Math.min(timeoutMs, longestTimer),
      )
      const inTime =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(this.#timer)
          settle(value)
        }
      executed.then(inTime(resolve), inTime(reject))
    })
  }

  async #execute(
    { step, run, answers }: Pick<CallPlan, 'step' | 'run' | 'answers'>,
    onStart: () => unknown,
  ): Promise<SettledCall> {
    const { signal } = this.#controller
    const checked = await this.#validate()
    if (!checked.ok) return this.#refuseArguments(checked)
    if (this.#isAborted()) return toRefusal('cancelled', notStarted, this.latencyMs)
    await onStart()
    if (this.#isAborted()) return toRefusal('cancelled', notStarted, this.latencyMs)
    this.started = true
    const asking = new Asking(this.#call.name, answers ?? [])
    try {
      const { ask } = asking
      const progress = this.#progress?.report
      const context = {
        callId: this.#call.id,
        step,
        signal,
        run,
        progress,
        ...(answers && { ask, answers }),
      }
      const value = await callTool(this.#tool, checked.value, context)
      if (asking.open) return this.#asked(asking.open)
      if (value instanceof PendingResult)
        return {
          content: notFinished,
          outcome: { status: 'pending', value, latencyMs: this.latencyMs },
        }
      return {
        content: toToolContent(value),
        outcome: { status: 'ok', value, latencyMs: this.latencyMs },
      }
    } catch (error) {
      if (asking.open && !this.#isAborted()) return this.#asked(asking.open)
      if (this.#isAborted() && isAbort(error, signal))
        return toRefusal('cancelled', cutShort, this.latencyMs)
      return this.#fail(error)
    } finally {
      this.#progress?.close()
    }
  }

  /**
   * Whatever the tool made of it: the question is open, and its result would be one without the
   * answer.
   */
  #asked(question: StoredQuestion): SettledCall {
    const value = new AskedResult(question)
    return {
      content: notFinished,
      outcome: { status: 'pending', value, latencyMs: this.latencyMs },
    }
  }

  async #validate(): Promise<Checked> {
    const refused = refuseArguments(this.#call)
    if (refused !== undefined) return { ok: false, message: refused }
    try {
      // A copy: what a tool does to its arguments must not reach the transcript.
      const checked = await this.#tool.validate(copyJson(this.#call.arguments))
      return checked.ok ? checked : { ok: false, message: messageOf(checked) }
    } catch (error) {
      return { ok: false, message: `they could not be checked: ${messageOf(error)}`, error }
    }
  }

  #refuseArguments({ message, error }: Extract<Checked, { ok: false }>): SettledCall {
    const { parameters } = this.#tool.definition
    const schema = parameters ? JSON.stringify(parameters) : 'no arguments: {}'
    const expected =
      schema.length > mostSchemaLength ? `${cut(schema, mostSchemaLength)}...` : schema
    const content = `The arguments for the tool "${this.#call.name}" are not valid and it was not executed: ${cut(message, mostMessageLength)}\nExpected: ${expected}`
    return {
      content,
      outcome: {
        status: 'invalid-arguments',
        message,
        latencyMs: this.latencyMs,
        ...(error !== undefined && { error }),
      },
    }
  }

  #fail(error: unknown): SettledCall {
    const message = messageOf(error)
    const isUnknown = isOutcomeUnknown(error) && !this.#tool.readOnly
    const content = isToolFailure(error)
      ? toToolContent(error.content)
      : `The tool "${this.#call.name}" failed: ${isUnknown ? inDoubt(message) : message}`
    const settled = {
      content,
      outcome: { status: 'failed', message, error, latencyMs: this.latencyMs },
    } as const
    return this.#mark(settled, isUnknown)
  }

  /** Marks a call that may have had its effect. A tool that changes nothing has none. */
  #mark({ content, outcome }: SettledCall, isUnknown: boolean): SettledCall {
    if (!isUnknown || this.#tool.readOnly) return { content, outcome }
    return { content, outcome: { ...outcome, uncertain: true } }
  }
}

/**
 * True for what a tool throws when it gives up because it was aborted; any other error is a result.
 */
const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  error === signal.reason || (error instanceof Error && error.name === 'AbortError')

/** The text for the model about a call whose result comes later. */
export const notFinished = 'This call continues elsewhere: its result is not known yet.'
/** The text for the model about a call that was never started. */
export const notStarted = 'The run was cancelled before this call was started: it had no effect.'
/** The text for the model about a call that was cut short. */
export const cutShort =
  'The run was cancelled while this call was running: whether it had an effect is unknown.'

const inDoubt = (message: string): string =>
  `${message.replace(/\.$/, '')}; whether it had an effect is unknown.`
