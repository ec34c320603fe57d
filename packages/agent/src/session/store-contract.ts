import { contractOfOutbox } from './contract-outbox.js'
import { contractOfSessions } from './contract-sessions.js'
import { contractOfTasks } from './contract-tasks.js'
import type { AgentStore } from './agent-store.js'

/** One rule of a store, to be run as a test. */
export interface StoreContractCase {
  /** What the store does, as a sentence. */
  readonly title: string
  /**
   * Runs the rule against an empty store.
   * @throws {Error} what the store does instead
   */
  run(store: AgentStore): Promise<void>
}

/** Every rule that a store of agents keeps, whatever it keeps them in. Each case needs an empty store of its own. */
export const storeContract: readonly StoreContractCase[] = Object.freeze([
  ...contractOfTasks,
  ...contractOfSessions,
  ...contractOfOutbox,
])
