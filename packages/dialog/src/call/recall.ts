import { isRetryable, type JsonObject, type ProviderErrorDetails } from '@modelport/core'
import type { InferRequest, RunCheckpoint, RunJournal, RunResult } from '@modelport/runtime'

/**
 * The recalls of a call, as its checkpoints have them: a call that another process continues gets
 * no more of them.
 */
interface RecallState {
  /** Recalls so far. */
  readonly count: number
  /** When the last one is due, in milliseconds since 1970. */
  readonly at: number
}

/** The value of `caller` next to a checkpoint. */
const key = 'dialog'

const longestDelay = 30_000

/** Counts the recalls of one call, and keeps the count in its checkpoints. */
export class Recalls {
  readonly #most: number
  #state: RecallState

  /**
   * @param most recalls that are allowed
   * @param resume the checkpoint that the call continues from; its count is taken
   */
  constructor(most: number, resume: RunCheckpoint | undefined) {
    this.#most = most
    this.#state = readState(resume?.caller?.[key])
  }

  /** Recalls so far. */
  get count(): number {
    return this.#state.count
  }

  /**
   * Milliseconds that remain of the wait for a recall that an earlier process began; 0 if there is
   * none.
   */
  get remainingMs(): number {
    return Math.max(0, this.#state.at - Date.now())
  }

  /**
   * True when a failed run may be recalled. Without a checkpoint it can only begin anew, which is
   * safe before its first reply.
   */
  allows(result: RunResult): result is Extract<RunResult, { status: 'failed' }> {
    const { status, steps } = result
    if (status !== 'failed' || this.count >= this.#most || !isRetryable(result.error)) return false
    return result.checkpoint !== undefined || steps <= 1
  }

  /** Counts one more recall, which is due after this delay. */
  begin(delayMs: number): void {
    this.#state = { count: this.count + 1, at: Date.now() + delayMs }
  }

  /** The checkpoint with the recalls so far. */
  mark(checkpoint: RunCheckpoint): RunCheckpoint {
    const state: JsonObject = { ...this.#state }
    return this.count
      ? { ...checkpoint, caller: { ...checkpoint.caller, [key]: state } }
      : checkpoint
  }

  /** A journal whose checkpoints have the recalls so far. */
  journal(inner: RunJournal): RunJournal {
    return {
      writeIntent: (intent, signal) => inner.writeIntent(intent, signal),
      writeReceipt: (receipt) => inner.writeReceipt(receipt),
      writeCheckpoint: (checkpoint, change) => inner.writeCheckpoint(this.mark(checkpoint), change),
      readTail: (checkpoint) => inner.readTail(checkpoint),
    }
  }

  /**
   * Stores where a failed run continues, before the wait: another process then waits for the rest
   * of it and counts on.
   */
  async store(
    { checkpoint, transcript }: RunResult & { readonly status: 'failed' },
    journal: RunJournal,
  ): Promise<void> {
    if (checkpoint)
      await journal.writeCheckpoint(this.mark(checkpoint), { keep: 0, add: transcript })
  }
}

function readState(stored: unknown): RecallState {
  const { count, at } = (stored ?? {}) as Partial<Record<keyof RecallState, unknown>>
  return typeof count === 'number' && typeof at === 'number' ? { count, at } : { count: 0, at: 0 }
}

/**
 * Milliseconds before a recall: what the server asks for, at least a random half to all of a second
 * that doubles with each attempt.
 */
export function recallDelay(
  attempt: number,
  error: unknown,
  custom?: (attempt: number) => number,
): number {
  const { retryAfterMs = 0 } = (error ?? {}) as Partial<ProviderErrorDetails>
  if (custom) return Math.max(0, custom(attempt))
  const most = Math.min(longestDelay, 1000 * 2 ** (attempt - 1))
  return Math.max(retryAfterMs, Math.round(most * (0.5 + Math.random() / 2)))
}

/** The request that continues a run after a fault. */
export function toResumedRequest(
  first: InferRequest,
  resume: RunCheckpoint,
  { transcript }: RunResult,
): InferRequest {
  const { decisions: _done, ...durable } = first.durable ?? {}
  return { ...first, messages: transcript, durable: { ...durable, resume, repeatFailed: true } }
}

/** The result of a run whose call was aborted during the wait for a recall. */
export function toCancelled(last: RunResult | undefined, reason: unknown): RunResult | undefined {
  if (last?.status !== 'failed') return last
  const { error: _fault, checkpoint: _checkpoint, ...rest } = last
  return { ...rest, status: 'cancelled', reason }
}

/** Waits, unless the signal aborts first: then it rejects with the signal's reason. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject }: PromiseWithResolvers<void> = Promise.withResolvers()
  const stop = (): void => reject(signal.reason)
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', stop)
  await promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
}
