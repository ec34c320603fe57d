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
