import type { AgentStore } from '@modelport/agent'

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
