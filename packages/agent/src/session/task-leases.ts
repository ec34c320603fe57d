import type { ChatMessage } from '@modelport/core'
import type { RunCheckpoint, RunJournal } from '@modelport/runtime'
import type { TaskKey, TaskStore } from './task-store.js'

/** The stored run of a turn. */
export interface TaskTurn {
  /** Records what the run does. */
  readonly journal: RunJournal
  /** Where it was cut. Unset: it has not begun. */
  readonly resume?: RunCheckpoint
  /** The transcript stored with `resume`. */
  readonly messages: readonly ChatMessage[]
  /** True if an operator lets the run continue under changed settings of the agent. */
  readonly acceptsChange?: boolean
}

/** A task that this process alone works on, until it is released or its lease is lost. */
export interface HeldTask {
  /** Writes here fail once the lease is lost. */
  readonly tasks: TaskStore
  /** Aborts when the lease is lost, or when another process ended the task. */
  readonly signal: AbortSignal
  /**
   * 1, and one more for each process that died or stopped with this turn: the attempt of its
   * events.
   */
  readonly attempt: number
  /** Opens the stored run of this id and drops any other run of the task. */
  open(runId: string): Promise<TaskTurn>
  /**
   * Ends the hold until an operator, to whom the reason is shown, lets the task continue. The task
   * stays as it is.
   */
  stop(why: string): Promise<void>
  /** Ends the hold: another process may continue the task at once. */
  release(): Promise<void>
}

/** Which process works on a task. A store that has leases lets tasks outlive their process. */
export interface TaskLeases {
  /** How often to ask for `abandoned`, in milliseconds. */
  readonly checkMs: number
  /**
   * Takes the lease of a task. `undefined`: another process has it.
   * @param fingerprint what the agent is made of
   */
  hold(key: TaskKey, fingerprint: string): Promise<HeldTask | undefined>
  /**
   * Tasks that are submitted or working, and that no live process works on. Also says that this
   * process lives, and serves these agents. If it rejects with the `reason` `closed`, the store is
   * lost, and nobody asks again.
   * @param agents fingerprints by name; a task that was begun under another fingerprint is given
   * only if no live process has it
   */
  abandoned(agents: ReadonlyMap<string, string>): Promise<readonly TaskKey[]>
  /**
   * Tasks of these agents that wait and are to be looked at: the time of a decision is over, or
   * another agent asked, which may be over by now. Each is given once, and again after as long as
   * it has waited, from one second to ten minutes.
   */
  expired(agents: readonly string[]): Promise<readonly TaskKey[]>
  /** Gives a task that waits again at this time, if that is earlier. */
  lookAt(key: TaskKey, time: number): Promise<void>
}
