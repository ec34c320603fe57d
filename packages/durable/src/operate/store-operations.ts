import type { ForgetOptions, ForgetReport } from './forget.js'
import type { PruneOptions, PruneReport } from './prune.js'
import type { OperatorDecision, WorkItem, WorkQuery } from './work-item.js'

/**
 * The view and the decisions of an operator, for every principal and without the code of the
 * agents.
 */
export interface StoreOperations {
  /** Tasks and runs, oldest change first. Default: those that are not over. */
  list(query?: WorkQuery): Promise<readonly WorkItem[]>

  /**
   * Stores a decision about a call that a task or run waits for. A process that serves it continues
   * it.
   *
   * @param request names the call; may be left out if only one waits
   * @throws {DurableError} `not-found`; `conflict` — the call does not wait, or this cannot be
   * decided about it; {AgentError} `invalid-params`
   */
  decide(id: string, decision: OperatorDecision, request?: string): Promise<void>

  /**
   * Makes a task or run claimable at once. A run that stopped continues, also under the changed
   * settings that stopped it; a run that failed is opened again. A run whose version no process
   * serves continues under the one that a live process does serve.
   *
   * @param options `takeOver`: also one that a process works on, which writes nothing of it any
   * more; what that process does at the moment has an unknown outcome. For a process that hangs.
   * Default false
   * @throws {DurableError} `not-found`; `finished` — the task is over, and A2A opens none again;
   * `conflict` — the run is over, or a process works on it
   */
  resume(id: string, options?: { readonly takeOver?: boolean }): Promise<void>

  /**
   * Lets all tasks and runs of a version continue under another one, with its changed settings;
   * those that wait for somebody do so later.
   *
   * @param to the version that runs continue under. Default: the only one that live processes serve
   * @returns how many
   * @throws {DurableError} `conflict` — no live process serves another version, or several do
   */
  resumeVersion(version: string, to?: string): Promise<number>

  /**
   * Cancels a task or a run, whichever process has it. Nothing happens to one that is over.
   *
   * @throws {DurableError} `not-found`
   */
  cancel(id: string, reason?: string): Promise<void>

  /**
   * Removes what is old. Safe while processes work on the store.
   * @throws {LlmError} `config`, {TypeError} — an option is wrong; nothing is removed
   */
  prune(options: PruneOptions): Promise<PruneReport>

  /**
   * Forgets a principal: removes its tasks, of every agent, in whichever state, and its
   * conversations. A task that is worked on is cancelled, and writes nothing any more. Agents that
   * the tasks called are asked to do the same, by a process that serves the calling agent. Runs of
   * `store.runs`, which have no owner, stay; back-ups, cassettes and the vendors of models are out
   * of reach.
   *
   * @param principal its text, as `operations.list` has it: see `toPrincipalText`
   */
  forget(principal: string, options?: ForgetOptions): Promise<ForgetReport>
}
