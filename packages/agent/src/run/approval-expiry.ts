import { longestTimer } from '@modelport/core'
import { isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import { nameOfTask, type TaskKey, type TaskStore } from '../session/task-store.js'
import { readWaitState, type SettledApproval, type WaitingApproval } from './wait-state.js'

/** Turns approvals into refusals when their time is over. */
export class ApprovalExpiry {
  readonly #tasks: TaskStore
  readonly #entropy: Entropy
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(tasks: TaskStore, entropy: Entropy) {
    this.#tasks = tasks
    this.#entropy = entropy
  }

  /**
   * Calls `onExpired` with the refusals when the first of the requests expires and the task still
   * waits.
   */
  watch(
    key: TaskKey,
    requests: readonly WaitingApproval[],
    onExpired: (decisions: readonly SettledApproval[]) => void,
    onError: (error: unknown) => void,
  ): void {
    const times = requests.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]))
    if (!times.length) return
    const inMs = Math.max(0, Math.min(...times) - this.#entropy.now()) + 1
    const isLong = inMs > longestTimer
    const timer = setTimeout(
      () => {
        if (isLong) this.watch(key, requests, onExpired, onError)
        else void this.expire(key, onExpired).catch(onError)
      },
      isLong ? longestTimer : inMs,
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
   * Continues a task that waits with refusals of the requests whose time is over. Nothing happens
   * if another process was first.
   */
  async expire(
    key: TaskKey,
    onExpired: (decisions: readonly SettledApproval[]) => void,
  ): Promise<void> {
    this.#timers.delete(nameOfTask(key))
    const head = await this.#tasks.head(key)
    const wait =
      head?.state === 'input-required' && (await readWaitState(this.#tasks, key, head.seq))
    if (!head || !wait) return
    const now = this.#entropy.now()
    const expired = wait.requests.filter(
      ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now,
    )
    if (!expired.length) return
    const at = timestampOf(this.#entropy)
    try {
      await this.#tasks.append(key, head.seq, [
        { type: 'status', state: 'working', at, attempt: 1 },
      ])
    } catch (error) {
      if (isAgentError(error, 'conflict')) return
      throw error
    }
    onExpired(
      expired.map(({ requestId }) => ({ requestId, approved: false, by: '', expired: true })),
    )
  }
}
