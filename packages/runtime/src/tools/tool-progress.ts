import { isObject, LlmError } from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import type { ToolContext } from './tool.js'

/** Milliseconds between two reports of a call. */
const intervalMs = 50
/** Maximum milliseconds for which a generator keeps timers from running. */
const mostBusyMs = 10

/**
 * Hands on what a call reports, so that no tool can flood a reader: the first value at once, then
 * at most one in 50 ms, the newest, once the one before was taken. Values in between are dropped,
 * and so are those that come after the call.
 */
export class ToolProgress {
  readonly #tool: string
  readonly #take: (value: unknown) => unknown
  #next: string | undefined
  #isBusy = false
  #isClosed = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(tool: string, take: (value: unknown) => unknown) {
    this.#tool = tool
    this.#take = take
  }

  /** @throws {LlmError} `invalid-request` — the value is not JSON. */
  readonly report = (value: unknown): void => {
    this.#next = this.#toText(value)
    if (!this.#isBusy) void this.#handOn()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #handOn(): Promise<void> {
    this.#isBusy = true
    while (this.#next !== undefined && !this.#isClosed) {
      const value: unknown = JSON.parse(this.#next)
      this.#next = undefined
      const pause = new Promise((resolve) => {
        this.#timer = setTimeout(resolve, intervalMs)
      })
      try {
        await Promise.all([this.#take(value), pause])
      } catch {
        // Nobody takes more; a sink that failed stops the run at its next effect.
        this.close()
      }
    }
    this.#isBusy = false
  }

  #toText(value: unknown): string {
    let problem: string = typeof value
    try {
      const text = JSON.stringify(value) as string | undefined
      if (text !== undefined) return text
    } catch (error) {
      problem = messageOf(error)
    }
    throw new LlmError(
      'invalid-request',
      `tool "${this.#tool}" reported progress that is not JSON (${problem}); report texts, numbers, lists or plain objects`,
    )
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value

/**
 * The result of a tool. Of an async generator it is the value that it returns, or the last one that
 * it yields if it returns nothing. What it yields is progress, and an abort ends it with
 * `return()`.
 */
export const resultOf = (given: unknown, context: ToolContext): unknown =>
  isIterable(given) ? lastOf(given, context) : given

async function lastOf(
  given: AsyncIterable<unknown>,
  { progress, signal }: ToolContext,
): Promise<unknown> {
  const values = given[Symbol.asyncIterator]()
  const stop = (): void => void values.return?.().catch(() => undefined)
  let last: unknown
  signal.addEventListener('abort', stop)
  let pausedAt = performance.now()
  try {
    for (;;) {
      const { done, value } = (await values.next()) as IteratorResult<unknown, unknown>
      if (done) return value ?? last
      signal.throwIfAborted()
      progress?.(value)
      last = value
      if (performance.now() - pausedAt < mostBusyMs) continue
      await new Promise((resolve) => setTimeout(resolve, 0))
      pausedAt = performance.now()
    }
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
