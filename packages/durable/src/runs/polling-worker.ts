import { isDurableError } from '../database/durable-error.js'
import { roomOf } from './company.js'
import { duePhases, suspectPhase } from './due-phases.js'
import { executeRun } from './execute-run.js'
import { HeldRun, type RunParts } from './held-run.js'
import { LiveWorkers } from './live-workers.js'
import { type RunDefinition, servedBy, versionOf } from './run-definition.js'
import { queueKey } from './run-table.js'
import type { RunWorker, RunWorkerOptions } from './run-worker.js'

/** How often a worker looks for runs without being notified, in milliseconds. */
const pollMs = 400

/** One claim of so many prefers a run that nobody has begun. */
const newEvery = 4

interface Served {
  readonly queue: string
  readonly version: string
  readonly definition: RunDefinition
}

/** Looks for runs in a database again and again, and is notified of new ones. */
export class PollingWorker implements RunWorker {
  readonly #parts: RunParts
  readonly #served: readonly Served[]
  readonly #options: RunWorkerOptions
  readonly #live: LiveWorkers
  readonly #stop = new AbortController()
  readonly #active = new Set<Promise<void>>()
  readonly #most: number
  readonly #loop: Promise<void>
  #wake: () => void = () => undefined
  /** Since when a suspect waits until nothing else is worked on here. */
  #suspectSince = Infinity
  #started = 0
  #claims = 0

  /** @param most runs that it starts at all */
  constructor(
    parts: RunParts,
    definitions: readonly RunDefinition[],
    options: RunWorkerOptions,
    most: number = Infinity,
  ) {
    this.#parts = parts
    this.#served = definitions.map((definition) => ({
      queue: definition.name,
      version: versionOf(definition),
      definition,
    }))
    this.#options = options
    this.#live = new LiveWorkers(parts.database, parts.leaseMs)
    this.#most = most
    this.#loop = this.#run()
  }

  get started(): number {
    return this.#started
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the worker was stopped'))
    this.#wake()
    await this.#loop
    await Promise.all(this.#active)
    await this.#live.leave().catch(() => undefined)
  }

  async idle(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#active.size > 0) await Promise.race(this.#active)
      else if (this.#started >= this.#most || (await this.#hasNone())) return
      else await new Promise((resolve) => setTimeout(resolve, idleMs))
    }
  }

  async #run(): Promise<void> {
    const unwatch = this.#served.map(({ queue }) =>
      this.#parts.database.watch(queueKey(queue), () => this.#wake()),
    )
    const { concurrency = 10 } = this.#options
    while (!this.#stop.signal.aborted) {
      const change = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs * (0.75 + Math.random() / 2))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const isFull = (): boolean => this.#active.size >= concurrency || this.#started >= this.#most
      const found = await this.#look(isFull).catch(this.#report)
      if (!found || isFull()) await change
      this.#wake()
    }
    for (const end of unwatch) end()
  }

  async #look(isFull: () => boolean): Promise<boolean> {
    await this.#beat()
    let found = false
    for (const served of this.#served) {
      if (isFull() || this.#stop.signal.aborted) break
      const held = await this.#claim(served)
      found ||= held !== undefined
      if (held instanceof HeldRun) this.#start(held, served)
    }
    return found
  }

  async #claim({ queue, version }: Served): Promise<HeldRun | 'again' | undefined> {
    const { company, leaseMs } = this.#parts
    const due = await this.#due(queue, version)
    if (due.has(suspectPhase)) {
      this.#suspectSince = Math.min(this.#suspectSince, performance.now())
      const room = roomOf(await this.#crashesOfSuspect(queue, version))
      // A suspect waits until the other runs here have ended, and nothing new begins meanwhile.
      // After two leases it is claimed next to them: dying there does not stop it, since another
      // run may be to blame.
      const isImpatient = performance.now() - this.#suspectSince > leaseMs * 2
      if (!company.admits(room) && !isImpatient) return undefined
      this.#suspectSince = Infinity
      return HeldRun.claim(this.#parts, { from: { queue, version, suspects: true } }, room)
    }
    if (company.isReserved) return undefined
    // New runs have their share, however many that were begun are due again and again.
    const newFirst = ++this.#claims % newEvery === 0
    return due.size === 0
      ? undefined
      : HeldRun.claim(this.#parts, { from: { queue, version, newFirst } })
  }

  /** How often the next suspect ended its process. */
  async #crashesOfSuspect(queue: string, version: string): Promise<number> {
    const { database } = this.#parts
    const [row] = await database.read(
      'SELECT crashes FROM runs WHERE queue = ? AND version = ? AND phase = 2 AND due <= ? ORDER BY due LIMIT 1',
      [queue, version, database.now()],
    )
    return Number(row?.['crashes'] ?? 0)
  }

  async #hasNone(): Promise<boolean> {
    for (const { queue, version } of this.#served)
      if ((await this.#due(queue, version)).size > 0) return false
    return true
  }

  #due(queue: string, version: string): Promise<ReadonlySet<number>> {
    return duePhases(this.#parts.database, queue, version)
  }

  #start(held: HeldRun, { definition }: Served): void {
    this.#started++
    const work = executeRun(this.#parts, held, definition.execute, {
      signal: this.#stop.signal,
      countsRejection: true,
    })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#report(error)
      })
      .finally(() => {
        this.#active.delete(work)
        this.#wake()
      })
    this.#active.add(work)
  }

  readonly #report = (error: unknown): false => {
    this.#options.onError?.(error)
    // No store opens again by itself.
    if (isDurableError(error, 'closed')) this.#stop.abort(error)
    return false
  }

  async #beat(): Promise<void> {
    await this.#live.beat(this.#served.map(({ queue, version }) => servedBy(queue, version)))
  }
}

/** How often `idle` looks, in milliseconds. */
const idleMs = 20
