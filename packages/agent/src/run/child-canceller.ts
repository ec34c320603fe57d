import { configError, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { isAgentError } from '../base/agent-error.js'
import type { Entropy } from '../base/ids.js'
import { isTerminal } from '../models/task-state.js'
import type { AgentStore } from '../session/agent-store.js'
import type { ChildCancel, ChildCancels } from '../session/child-cancels.js'
import { forgetRequests } from '../session/forget-requests.js'
import type { TaskHead, TaskKey } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { type CancelTarget, cancelOf, cancelRequests } from './cancel-requests.js'
import { cancelWork, toolsOf } from './pending-work.js'
import { isBound } from './sub-agent.js'

/** How long one process may take to ask, in milliseconds. */
const askMs = 30_000
const longestWaitMs = 60_000
/** Maximum characters that are stored of why a request failed. */
const mostReasonLength = 500

/**
 * Cancels the tasks that a cancelled task delegated and the work that its tools left pending, and
 * has the tasks forgotten that a forgotten one delegated. A request is stored before the task is
 * cancelled and sent afterwards: if the process dies in between, or nobody can be reached, it is
 * sent later.
 */
export class ChildCanceller {
  readonly #store: AgentStore
  readonly #entropy: Entropy
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #onError: (error: unknown) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(
    store: AgentStore,
    entropy: Entropy,
    agents: ReadonlyMap<string, Agent>,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#entropy = entropy
    this.#agents = agents
    this.#onError = onError
  }

  /** Stores a cancel for each thing that a task waits for; `send` asks once the task is over. */
  async requestAll(key: TaskKey): Promise<void> {
    const { tasks, cancels } = this.#store
    const head = await tasks.head(key)
    if (!head) return
    for (const row of await cancelRequests(tasks, head, this.#entropy.now())) await cancels.put(row)
  }

  /** Cancels a task that a running one delegated, or work that a tool of it left pending. */
  async request(key: TaskKey, agent: string, target: CancelTarget): Promise<void> {
    await this.#store.cancels.put(cancelOf(key, agent, target, this.#entropy.now()))
    await this.send()
  }

  /** Stores for each agent that a task called that it has to forget what it was told. */
  async requestForget(head: TaskHead): Promise<void> {
    const events = await this.#store.tasks.read(head.record, 1)
    for (const row of forgetRequests(head, events, this.#entropy.now()))
      await this.#store.cancels.put(row)
  }

  /** Sends every request that is due, and later those that could not be sent. */
  async send(): Promise<void> {
    const agents = [...this.#agents.keys()]
    for (;;) {
      const dueAt = await this.#store.cancels.nextDueAt(agents)
      if (dueAt === undefined) return
      const now = this.#entropy.now()
      if (dueAt > now) {
        this.#schedule(dueAt - now)
        return
      }
      const rows = await this.#store.cancels.claim(agents, now, 32, askMs)
      if (!rows.length) return
      await Promise.all(rows.map((row) => this.#sendOne(row)))
    }
  }

  /** Retries nothing more; what was not sent stays in the store. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(inMs: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => void this.send().catch(this.#onError),
      Math.min(inMs, longestWaitMs),
    )
    if (typeof this.#timer === 'object') (this.#timer as { unref?(): void }).unref?.()
  }

  async #sendOne(row: ChildCancel): Promise<void> {
    const { reason: _, ...asked } = row
    const [outcome, reason] = await this.#outcomeOf(row)
    await this.#store.cancels.settle({ ...asked, ...(reason !== undefined && { reason }) }, outcome)
  }

  /** What becomes of a request, and why it failed. */
  async #outcomeOf(
    row: ChildCancel,
  ): Promise<readonly [outcome: Parameters<ChildCancels['settle']>[1], reason?: string]> {
    const now = this.#entropy.now()
    const isLate = now >= row.giveUpAt
    const retryIn = (ms: number) => ({ retryAt: now + Math.min(ms, longestWaitMs) })
    if (!(await this.#isOver(row.key))) return [isLate ? 'done' : retryIn(50 * 2 ** row.attempts)]
    try {
      await this.#ask(row)
      return [row.againAt !== undefined && now < row.againAt ? { retryAt: row.againAt } : 'done']
    } catch (error) {
      if (isAgentError(error, 'task-not-cancelable') || isAgentError(error, 'task-not-found'))
        return ['done']
      // What is closing with this process is not refused: another process asks.
      if (this.#isClosed) return [retryIn(0)]
      const reason = errorText(error).slice(0, mostReasonLength)
      if (!isLate && isTemporary(error)) return [retryIn(1_000 * 2 ** row.attempts), reason]
      this.#onError(error)
      return ['dead', reason]
    }
  }

  /**
   * False while the delegating task may still continue: a process that stops aborts its work but
   * does not cancel it.
   */
  async #isOver(key: TaskKey): Promise<boolean> {
    // Without leases a task ends with its process.
    if (!this.#store.leases) return true
    const head = await this.#store.tasks.head(key)
    return !head || isTerminal(head.state)
  }

  async #ask(row: ChildCancel): Promise<void> {
    if (row.tool) return this.#cancelWork(row)
    const { forget, agent, target, taskId } = row
    const found = this.#agents.get(agent)?.settings.agents?.find(({ name }) => name === target)
    if (!found || !isBound(found))
      throw configError(
        forget
          ? `agent "${agent}" does not know "${target}" any more`
          : `Task ${taskId} cannot be cancelled: agent "${agent}" does not know "${target}" any more`,
      )
    await (forget ? found.forgetChildrenOf(taskId) : found.cancelChild(taskId))
  }

  async #cancelWork({ agent, target, taskId }: ChildCancel): Promise<void> {
    const known = this.#agents.get(agent)
    const tool = known && toolsOf(known).find(({ definition }) => definition.name === target)
    if (!tool)
      throw configError(
        `Work "${taskId}" cannot be cancelled: agent "${agent}" has no tool "${target}" any more`,
      )
    await cancelWork(tool, taskId)
  }
}

/** What is not a refusal. */
const isTemporary = (error: unknown): boolean => !(error instanceof LlmError) || error.retryable
