import type { TaskKey } from './task-store.js'

/** A task of another agent that has to be cancelled, because the task that delegated to it was. */
export interface ChildCancel {
  /** The task that delegated. */
  readonly key: TaskKey
  /** Agent of the delegating task: only a process that serves it can reach the other agent. */
  readonly agent: string
  /** The name that this agent calls the other one by. */
  readonly target: string
  /** The task to cancel. */
  readonly taskId: string
  /** Requests that failed. */
  readonly attempts: number
  /** Not before this time, in milliseconds since 1970. */
  readonly dueAt: number
  /** No request begins after this time, in milliseconds since 1970. */
  readonly giveUpAt: number
}

/**
 * Cancels that other agents have to be asked for: retried until they accept, refuse, or the time is
 * over.
 */
export interface ChildCancels {
  /** Adds a row; one of the same target and task is ignored. */
  put(row: ChildCancel): Promise<void>
  /**
   * Claims rows of these agents that are due, at most `limit`, for `leaseMs`. A row whose lease ran
   * out may be claimed again.
   */
  claim(
    agents: readonly string[],
    now: number,
    limit: number,
    leaseMs: number,
  ): Promise<readonly ChildCancel[]>
  /**
   * Ends a claim: `done` removes the row, `dead` keeps it for `dead()`, a time makes it due again
   * with one more attempt.
   */
  settle(row: ChildCancel, outcome: 'done' | 'dead' | { readonly retryAt: number }): Promise<void>
  /** When the next row of these agents is due, in milliseconds since 1970. Unset: nothing waits. */
  nextDueAt(agents: readonly string[]): Promise<number | undefined>
  /** Rows that were refused or given up, newest last. */
  dead(): Promise<readonly ChildCancel[]>
}
