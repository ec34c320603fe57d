import type { SharedBudgets } from '@modelport/runtime'
import type { ChildCancels } from './child-cancels.js'
import type { Inbox } from './inbox.js'
import type { SessionStore } from './session-store.js'
import type { TaskLeases } from './task-leases.js'
import type { TaskStore } from './task-store.js'

/**
 * Everything that agents keep. `createMemoryStore` makes one for a single process; a durable store
 * passes the same contract tests.
 */
export interface AgentStore {
  /** The tasks and their events. */
  readonly tasks: TaskStore
  /** The conversations. */
  readonly sessions: SessionStore
  /** Messages for tasks that are worked on. */
  readonly inbox: Inbox
  /** Tasks of other agents that have to be cancelled. */
  readonly cancels: ChildCancels
  /** Limits of money, tokens and calls of owners, for all processes with this store. */
  readonly budgets: SharedBudgets
  /** Lets tasks outlive their process. Unset: a task ends with its process. */
  readonly leases?: TaskLeases
  /** Overwrites what was removed, and gives its space back. Unset: nothing of it is left anyway. */
  shrink?(): Promise<void>
  /** Resolves if the store can be used; `/readyz` reports it. */
  ping(): Promise<void>
  /** Ends what the store keeps open. */
  close(): Promise<void>
}
