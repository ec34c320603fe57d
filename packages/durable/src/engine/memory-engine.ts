import { randomUUID } from 'node:crypto'
import type { Claim, DurableEngine, SleepOptions } from './engine.js'

interface MemoryRun {
  readonly id: string
  readonly queue: string
  readonly key: string
  attempt: number
  token: string | undefined
  /** When it may be claimed: its lease's end, its timer, or at once. */
  availableAt: number
  /** Set between the start of a sleep and its end. */
  woken: boolean
}

/** The engine in this process's memory, for tests and for stores that need not outlive it. */
export class MemoryEngine implements DurableEngine {
  readonly #runs = new Map<string, MemoryRun>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  start(queue: string, key: string): Promise<string> {
    const id = randomUUID()
    this.#runs.set(id, { id, queue, key, attempt: 0, token: undefined, availableAt: 0, woken: false })
    return Promise.resolve(id)
  }

  claim(queue: string, leaseMs: number): Promise<Claim | undefined> {
    const now = this.#now()
    for (const run of this.#runs.values()) {
      if (run.queue !== queue || run.availableAt > now) continue
      run.attempt++
      run.token = randomUUID()
      run.availableAt = now + leaseMs
      return Promise.resolve({ run: run.id, queue, key: run.key, attempt: run.attempt, token: run.token })
    }
    return Promise.resolve(undefined)
  }

  extend(claim: Claim, leaseMs: number): Promise<boolean> {
    const run = this.#held(claim)
    if (run) run.availableAt = this.#now() + leaseMs
    return Promise.resolve(run !== undefined)
  }

  async sleep(claim: Claim, { until, hasWork }: SleepOptions): Promise<boolean> {
    const before = this.#held(claim)
    if (!before) return false
    before.woken = false
    const isBusy = await hasWork()
    const run = this.#held(claim)
    if (!run) return false
    run.token = undefined
    run.availableAt = isBusy || run.woken ? 0 : (until ?? Infinity)
    return true
  }

  wake(queue: string, id: string): Promise<void> {
    const run = this.#runs.get(id)
    if (run?.queue === queue) {
      run.woken = true
      if (run.token === undefined) run.availableAt = 0
    }
    return Promise.resolve()
  }

  finish(claim: Claim): Promise<boolean> {
    const run = this.#held(claim)
    if (run) this.#runs.delete(run.id)
    return Promise.resolve(run !== undefined)
  }

  cancel(_queue: string, id: string): Promise<void> {
    this.#runs.delete(id)
    return Promise.resolve()
  }

  prune(): Promise<void> {
    // Runs that are over are not kept.
    return Promise.resolve()
  }

  isLive(_queue: string, id: string): Promise<boolean> {
    return Promise.resolve(this.#runs.has(id))
  }

  #held({ run: id, token }: Claim): MemoryRun | undefined {
    const run = this.#runs.get(id)
    return run?.token === token ? run : undefined
  }
}
