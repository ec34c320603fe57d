import { longestTimer } from '@modelport/core'
import { isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import type { AgentStore } from '../session/agent-store.js'
import type { TaskLeases } from '../session/task-leases.js'
import { nameOfTask, type TaskKey, type TaskStore } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { hasChildMoved } from './quiet-children.js'
import { type AcceptedDecision, readWaitState, type WaitingRequest } from './wait-state.js'

/** Milliseconds until a task that another agent let wait is looked at for the first time. */
const firstLookMs = 1_000
const longestLookMs = 600_000

/**
 * Looks at tasks that wait: turns approvals into refusals when their time is over, and continues a
 * task when the agent that asked is over or asks something else.
 */
export class ApprovalExpiry {
  readonly #tasks: TaskStore
  readonly #leases: TaskLeases | undefined
  readonly #entropy: Entropy
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor({ tasks, leases }: Pick<AgentStore, 'tasks' | 'leases'>, entropy: Entropy) {
    this.#tasks = tasks
    this.#leases = leases
    this.#entropy = entropy
  }

  /**
   * Calls `onMoved` with the refusals when the first of the requests expires, or without any when
   * an agent that asked has moved, if the task still waits.
   */
  watch(
    key: TaskKey,
    agent: Agent,
    requests: readonly WaitingRequest[],
    onMoved: (decisions: readonly AcceptedDecision[]) => void,
    onError: (error: unknown) => void,
    lookMs: number = firstLookMs,
  ): void {
    const now = this.#entropy.now()
    const times = timesOf(requests)
    // A store with leases gives the task when it is to be looked at.
    const looks = !this.#leases && requests.some(({ child }) => child)
    if (looks) times.push(now + lookMs)
    if (!times.length) return
    const inMs = Math.max(0, Math.min(...times) - now) + 1
    const nextMs = looks ? Math.min(lookMs * 2, longestLookMs) : lookMs
    const again = (): void => this.watch(key, agent, requests, onMoved, onError, nextMs)
    const timer = setTimeout(
      () => {
        if (inMs > longestTimer) {
          again()
          return
        }
        void this.expire(key, agent, onMoved).then((isMoved) => {
          if (looks && !isMoved && this.#timers.get(nameOfTask(key)) === timer) again()
        }, onError)
      },
      Math.min(inMs, longestTimer),
    )
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    this.#timers.set(nameOfTask(key), timer)
  }

  clear(key: TaskKey): void {
    clearTimeout(this.#timers.get(nameOfTask(key)))
    this.#timers.delete(nameOfTask(key))
  }

  clearAll(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  /**
   * Continues a task that waits: with refusals of the requests whose time is over, or because an
   * agent that asked has moved. Nothing happens if another process was first.
   * @returns true if the task does not wait for the same any more
   */
  async expire(
    key: TaskKey,
    agent: Agent,
    onMoved: (decisions: readonly AcceptedDecision[]) => void,
  ): Promise<boolean> {
    const head = await this.#tasks.head(key)
    const wait =
      head?.state === 'input-required' && (await readWaitState(this.#tasks, key, head.seq))
    if (!head || !wait) return true
    const now = this.#entropy.now()
    const times = timesOf(wait.requests)
    const expired = wait.requests.filter(
      ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now,
    )
    const isLate = wait.requests.some(({ lookAt }) => lookAt !== undefined && lookAt <= now)
    if (!expired.length && !isLate && !(await hasChildMoved(agent, wait))) {
      if (times.length) await this.#leases?.lookAt(key, Math.min(...times))
      return false
    }
    const at = timestampOf(this.#entropy)
    try {
      await this.#tasks.append(key, head.seq, [
        { type: 'status', state: 'working', at, attempt: 1 },
      ])
    } catch (error) {
      if (isAgentError(error, 'conflict')) return true
      throw error
    }
    this.clear(key)
    onMoved(expired.map(({ requestId }) => ({ requestId, approved: false, by: '', expired: true })))
    return true
  }
}

/** When requests expire, or the work that they are about is looked at. */
const timesOf = (requests: readonly WaitingRequest[]): number[] =>
  requests.flatMap(({ expiresAt, lookAt }) => [expiresAt ?? [], lookAt ?? []].flat())
