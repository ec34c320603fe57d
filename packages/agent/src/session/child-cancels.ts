import type { TaskKey } from './task-store.js'

/**
 * Something that has to be asked for because a task was cancelled or forgotten. Another agent
 * cancels a task that was delegated to it, or forgets it; a tool cancels the work that it left
 * pending.
 */
export interface ChildCancel {
  /** True asks the agent to forget what a task delegated to it. Default: it has to cancel one. */
  readonly forget?: true
  /** True asks a tool, whose name is `target`, to cancel its work. Default: an agent is asked. */
  readonly tool?: true
  /** The task that delegated. Its principal is empty if it is forgotten. */
  readonly key: TaskKey
  /** Agent of the delegating task: only a process that serves it can reach the other agent. */
  readonly agent: string
  /** The name that this agent calls the other one, or its tool, by. */
  readonly target: string
  /** The task, or the work of a tool, to cancel; to forget, the task that delegated. */
  readonly taskId: string
  /** Requests that failed. */
  readonly attempts: number
  /** Not before this time, in milliseconds since 1970. */
  readonly dueAt: number
  /** No request begins after this time, in milliseconds since 1970. */
  readonly giveUpAt: number
  /**
   * Asked once more after this time, in milliseconds since 1970, although it was done: a call of
   * the task may still be under way. Default: asked until it is done.
   */
  readonly againAt?: number
  /** Why the last request failed. Unset: none did. */
  readonly reason?: string
}

/**
 * What agents and tools have to be asked for: retried until they accept, refuse, or the time is
 * over.
 */
export interface ChildCancels {
  /**
   * Adds a row; one for the same thing, of the same target and task, is ignored. Two servers may
   * give the same id to their work: for a tool, `key` is compared, too.
   */
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
   * with one more attempt. `reason` is kept.
   */
  settle(row: ChildCancel, outcome: 'done' | 'dead' | { readonly retryAt: number }): Promise<void>
  /** When the next row of these agents is due, in milliseconds since 1970. Unset: nothing waits. */
  nextDueAt(agents: readonly string[]): Promise<number | undefined>
  /** Rows that were refused or given up, newest last. */
  dead(): Promise<readonly ChildCancel[]>
}
