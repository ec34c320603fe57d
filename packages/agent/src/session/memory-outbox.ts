/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous; memory never waits */
import type { Outbox, OutboxRow, PushConfig, PushConfigStore } from './outbox.js'
import { nameOfTask, type TaskKey } from './task-store.js'

interface Waiting {
  row: OutboxRow
  leasedUntil: number
}

/** Notifications in the memory of one process. */
export class MemoryOutbox implements Outbox {
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #dead: OutboxRow[] = []

  async put(row: OutboxRow): Promise<void> {
    const name = queueOf(row.key, row.configId)
    const queue = this.#waiting.get(name) ?? []
    if (queue.some(({ row: { seq } }) => seq === row.seq)) return
    queue.push({ row, leasedUntil: 0 })
    queue.sort((a, b) => a.row.seq - b.row.seq)
    this.#waiting.set(name, queue)
  }

  /** Removes the open rows of a configuration. */
  drop(key: TaskKey, configId: string): void {
    this.#waiting.delete(queueOf(key, configId))
  }

  async claim(now: number, limit: number, leaseMs: number): Promise<readonly OutboxRow[]> {
    const due = [...this.#waiting.values()]
      .flatMap(([oldest]) => oldest ?? [])
      .filter(({ row, leasedUntil }) => row.dueAt <= now && leasedUntil <= now)
      .slice(0, limit)
    for (const waiting of due) waiting.leasedUntil = now + leaseMs
    return due.map(({ row }) => row)
  }

  async settle(row: OutboxRow, outcome: 'delivered' | 'dead' | { readonly retryAt: number }): Promise<void> {
    const name = queueOf(row.key, row.configId)
    const queue = this.#waiting.get(name) ?? []
    const at = queue.findIndex(({ row: { seq } }) => seq === row.seq)
    const waiting = queue[at]
    if (!waiting) return
    if (typeof outcome === 'object') {
      waiting.row = { ...row, attempts: row.attempts + 1, dueAt: outcome.retryAt }
      waiting.leasedUntil = 0
      return
    }
    queue.splice(at, 1)
    if (!queue.length) this.#waiting.delete(name)
    if (outcome === 'dead') this.#dead.push(row)
  }

  async nextDueAt(): Promise<number | undefined> {
    const times = [...this.#waiting.values()].flatMap(([oldest]) =>
      oldest ? [Math.max(oldest.row.dueAt, oldest.leasedUntil)] : [],
    )
    return times.length ? Math.min(...times) : undefined
  }

  async dead(): Promise<readonly OutboxRow[]> {
    return this.#dead
  }
}

const queueOf = (key: TaskKey, configId: string): string => JSON.stringify([key.principal, key.id, configId])

/** Push configurations in the memory of one process. */
export class MemoryPushConfigs implements PushConfigStore {
  readonly #outbox: MemoryOutbox
  readonly #configs = new Map<string, Map<string, PushConfig>>()

  constructor(outbox: MemoryOutbox) {
    this.#outbox = outbox
  }

  async put(key: TaskKey, config: PushConfig): Promise<void> {
    const name = nameOfTask(key)
    const configs = this.#configs.get(name) ?? new Map<string, PushConfig>()
    configs.set(config.id, config)
    this.#configs.set(name, configs)
  }

  async get(key: TaskKey, configId: string): Promise<PushConfig | undefined> {
    return this.#configs.get(nameOfTask(key))?.get(configId)
  }

  async list(key: TaskKey): Promise<readonly PushConfig[]> {
    return [...(this.#configs.get(nameOfTask(key))?.values() ?? [])]
  }

  async delete(key: TaskKey, configId: string): Promise<void> {
    this.#configs.get(nameOfTask(key))?.delete(configId)
    this.#outbox.drop(key, configId)
  }
}
