import { configError, type ToolCall, type ToolResult } from '@modelport/core'
import { checkBatch } from '../base/check-request.js'
import { messageOf } from '../base/message-of.js'
import { randomId } from '../base/random-id.js'
import type { StoredQuestion } from './question.js'
import type { RunContext } from './run-context.js'
import type { Tool } from './tool.js'
import type { ToolOutcome } from './tool-outcome.js'
import {
  cutShort,
  notStarted,
  type SettledCall,
  ToolRun,
  toRefusal,
  toUnknownTool,
} from './tool-run.js'

/** How the calls of one turn are executed. */
export interface ToolBatchOptions {
  /** What may be called. */
  readonly tools: readonly Tool[]
  /** The step of the run. */
  readonly step: number
  /**
   * What each tool gets as `context.run`. Default: a run of its own, with the index of the call in
   * its `idempotencyKey`.
   */
  readonly run?: ((call: ToolCall, index: number) => RunContext) | undefined
  /** Cancels the calls that run, and those that have not begun. */
  readonly signal?: AbortSignal | undefined
  /** Maximum calls at once. Default 8. */
  readonly concurrency?: number | undefined
  /** Maximum milliseconds a call may take, where its tool does not say. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds for all of them, whatever the limit of a tool is; a call without a result by then
   * is a `timeout`. Default: no limit.
   */
  readonly remainingMs?: number | undefined
  /**
   * The questions of a call that its user answered. Unset: its `context.ask` rejects with
   * `unsupported`.
   */
  readonly answers?: ((call: ToolCall) => readonly StoredQuestion[]) | undefined
  /**
   * Called before a call is executed, its arguments found valid; the call waits for the promise it
   * may return. If it throws or rejects, the call is not executed but reported as `refused` with
   * the error's message, and the batch rejects with the error once every call has a result.
   */
  readonly onStart?: ((call: ToolCall) => unknown) | undefined
  /**
   * Called with what a call reports while it runs; what it reports before the promise that this may
   * return is settled is dropped but for the newest.
   */
  readonly onProgress?: ((call: ToolCall, progress: unknown) => unknown) | undefined
  /**
   * Called once for every call, when its result arrives: the place to commit it. The batch waits
   * for the promise it may return. If it throws or rejects, the batch rejects with the error once
   * every call has a result.
   */
  onResult(call: ToolCall, result: ToolResult, outcome: ToolOutcome): unknown
}

/**
 * Executes the calls of one turn and reports the result of each, once, as soon as it is there.
 * Calls start in their order, several at once; an exclusive tool waits for those before it, and
 * those after it wait.
 * @throws the signal's reason, once every call has a result, when the signal aborts. A call that
 * has finished keeps its result; any other call is reported as cancelled without waiting for its
 * tool.
 * @throws {LlmError} `config` — the concurrency or a time limit is not a number in its range.
 */
export async function executeBatch(
  calls: readonly ToolCall[],
  options: ToolBatchOptions,
): Promise<void> {
  checkBatch(calls, options)
  const { concurrency = 8, timeoutMs = 120_000, remainingMs = Infinity } = options
  if (!(concurrency >= 1))
    throw configError(`concurrency must be a number of at least 1, not ${concurrency}`)
  if (!(timeoutMs > 0)) throw configError(`timeoutMs must be a number above 0, not ${timeoutMs}`)
  if (!(remainingMs >= 0))
    throw configError(`remainingMs must be a number of at least 0, not ${remainingMs}`)
  await new Batch(calls, options, concurrency, timeoutMs).run()
}

/** The calls of one turn, each waiting, running or settled. */
class Batch {
  readonly #calls: readonly ToolCall[]
  readonly #options: ToolBatchOptions
  readonly #concurrency: number
  readonly #timeoutMs: number
  readonly #running = new Map<number, ToolRun>()
  readonly #settled = new Set<number>()
  #runId: string | undefined
  /** When their time is up, by `performance.now`. */
  readonly #endsAt: number
  /** Calls whose result was taken. */
  #finished = 0
  #next = 0
  #exclusive = false
  #stopped = false
  #grace: ReturnType<typeof setTimeout> | undefined
  #failure: { readonly error: unknown } | undefined
  readonly #done: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(
    calls: readonly ToolCall[],
    options: ToolBatchOptions,
    concurrency: number,
    timeoutMs: number,
  ) {
    this.#calls = calls
    this.#options = options
    this.#concurrency = concurrency
    this.#timeoutMs = timeoutMs
    this.#endsAt = performance.now() + (options.remainingMs ?? Infinity)
  }

  /** Runs them all. */
  run(): Promise<void> {
    const { signal } = this.#options
    if (signal?.aborted) {
      this.#stopped = true
      this.#cancelRest()
    } else {
      signal?.addEventListener('abort', this.#onAbort)
      this.#startMore()
    }
    if (!this.#calls.length) this.#settle()
    return this.#done.promise
  }

  #settle(): void {
    const { signal } = this.#options
    signal?.removeEventListener('abort', this.#onAbort)
    clearTimeout(this.#grace)
    if (this.#failure) this.#done.reject(this.#failure.error)
    else if (this.#stopped) this.#done.reject(signal?.reason)
    else this.#done.resolve()
  }

  #startMore(): void {
    for (
      let call = this.#calls[this.#next];
      call && !this.#stopped && this.#running.size < this.#concurrency;
      call = this.#calls[this.#next]
    ) {
      const { name } = call
      const tool = this.#options.tools.find(({ definition }) => definition.name === name)
      if (tool && this.#running.size && (this.#exclusive || tool.exclusive)) return
      const index = this.#next++
      if (tool) this.#start(index, call, tool)
      else this.#report(index, toUnknownTool(call, this.#options.tools))
    }
  }

  #start(index: number, call: ToolCall, tool: Tool): void {
    const run = new ToolRun(call, tool)
    this.#running.set(index, run)
    this.#exclusive = tool.exclusive ?? false
    const finish = (settled: SettledCall): void => {
      this.#running.delete(index)
      this.#report(index, settled)
      this.#startMore()
    }
    // One more: a timer may be early, and the budget must then find the time over.
    const timeoutMs = Math.min(
      Number(tool.timeoutMs) > 0 ? Number(tool.timeoutMs) : this.#timeoutMs,
      Math.max(0, Math.ceil(this.#endsAt - performance.now())) + 1,
    )
    const { step, onProgress, answers } = this.#options
    const take = onProgress && ((value: unknown) => onProgress(call, value))
    run
      .settle(
        {
          step,
          run: this.#runOf(call, index),
          timeoutMs,
          onProgress: take,
          answers: answers?.(call),
        },
        () => this.#options.onStart?.(call),
      )
      .then(finish, (error: unknown) => {
        this.#failure ??= { error }
        finish(toRefusal('refused', messageOf(error)))
      })
  }

  #runOf(call: ToolCall, index: number): RunContext {
    const { run, step } = this.#options
    if (run) return run(call, index)
    this.#runId ??= `batch_${randomId()}`
    return { runId: this.#runId, idempotencyKey: `${this.#runId}/${step}/${index}` }
  }

  #report(index: number, { content, outcome }: SettledCall): void {
    const call = this.#calls[index]
    if (!call || this.#settled.has(index)) return
    this.#settled.add(index)
    const isError = outcome.status !== 'ok' && outcome.status !== 'pending'
    const result = { callId: call.id, content, ...(isError && { isError }) }
    // A promise also for what throws.
    new Promise((resolve) => {
      resolve(this.#options.onResult(call, result, outcome))
    }).then(this.#finish, this.#fail)
  }

  readonly #finish = (): void => {
    if (++this.#finished === this.#calls.length) this.#settle()
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error }
    this.#finish()
  }

  readonly #onAbort = (): void => {
    this.#stopped = true
    for (const run of this.#running.values()) run.abort(this.#options.signal?.reason)
    // A tool that has finished already has its result in a promise: one turn of the event loop lets
    // it through.
    this.#grace = setTimeout(() => this.#cancelRest(), 0)
  }

  #cancelRest(): void {
    this.#calls.forEach((_, index) => {
      const run = this.#running.get(index)
      this.#report(
        index,
        toRefusal('cancelled', run?.started ? cutShort : notStarted, run?.latencyMs),
      )
    })
  }
}
