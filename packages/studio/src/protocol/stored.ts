import type { BudgetState } from '@modelport/runtime'

/** A task or a run of a durable store that waits for somebody. */
export interface StoredWait {
  /**
   * What it waits for: a decision or an answer about a call; what became of a call (`uncertain`);
   * the result of work that continues elsewhere (`work`); a message of its caller; to be continued
   * after it `stopped`; or a process that serves its version (`unserved`).
   */
  readonly kind: 'approval' | 'question' | 'uncertain' | 'work' | 'message' | 'stopped' | 'unserved'
  /** Id of the task or run. */
  readonly id: string
  /** Name of the agent, or of the definition of the run. */
  readonly name: string
  /** Who owns the task. Unset for a run. */
  readonly principal?: string
  /** Since when, in milliseconds since 1970. */
  readonly at: number
  /** The call that it is about. */
  readonly call?: { readonly name: string; readonly args: unknown }
  /** Why, in the words of the agent or the store. */
  readonly reason?: string
  /** Who can end the wait. */
  readonly who: string
  /** The commands that end it, each ready to be copied. */
  readonly commands: readonly string[]
}

/** What a durable store says of itself. */
export interface StoredInfo {
  /** What waits, the oldest first. */
  readonly waits: readonly StoredWait[]
  /** What each owner may spend, and has spent. */
  readonly budgets: readonly BudgetState[]
}
