/* oxlint-disable typescript/require-await -- the interface is asynchronous; memory never waits */
import type { ChildCancel, ChildCancels } from './child-cancels.js'

interface Waiting {
  row: ChildCancel
  leasedUntil: number
}

/** Cancels in the memory of one process. */
export class MemoryChildCancels implements ChildCancels {
  readonly #waiting = new Map<string, Waiting>()
  readonly #dead: ChildCancel[] = []

  async put(row: ChildCancel): Promise<void> {
    if (!this.#waiting.has(nameOf(row))) this.#waiting.set(nameOf(row), { row, leasedUntil: 0 })
  }

  async claim(
    agents: readonly string[],
    now: number,
    limit: number,
    leaseMs: number,
  ): Promise<readonly ChildCancel[]> {
    const due = this.#of(agents)
      .filter(({ row, leasedUntil }) => row.dueAt <= now && leasedUntil <= now)
      .slice(0, limit)
    for (const waiting of due) waiting.leasedUntil = now + leaseMs
    return due.map(({ row }) => row)
  }

  async settle(
    row: ChildCancel,
    outcome: 'done' | 'dead' | { readonly retryAt: number },
  ): Promise<void> {
    const waiting = this.#waiting.get(nameOf(row))
    if (!waiting) return
    if (typeof outcome === 'object') {
      waiting.row = { ...row, attempts: row.attempts + 1, dueAt: outcome.retryAt }
      waiting.leasedUntil = 0
      return
    }
    this.#waiting.delete(nameOf(row))
    if (outcome === 'dead') this.#dead.push(row)
  }

  async nextDueAt(agents: readonly string[]): Promise<number | undefined> {
    const times = this.#of(agents).map(({ row, leasedUntil }) => Math.max(row.dueAt, leasedUntil))
    return times.length ? Math.min(...times) : undefined
  }

  async dead(): Promise<readonly ChildCancel[]> {
    return [...this.#dead]
  }

  #of(agents: readonly string[]): readonly Waiting[] {
    return [...this.#waiting.values()].filter(({ row }) => agents.includes(row.agent))
  }
}

const nameOf = ({ forget, tool, key, target, taskId }: ChildCancel): string =>
  JSON.stringify([forget === true, target, taskId, ...(tool ? [key.principal, key.id] : [])])
