/** One delivery that waits for its turn. */
export interface PushJob {
  /** Who owns the task. */
  readonly principal: string
  /** Where the notification goes, as `host:port`. */
  readonly host: string
  /** Delivers it. Never rejects. */
  run(): Promise<void>
}

/** Maximum deliveries at once: from one principal to one host, from one principal, to one host, and in all. */
const most = { lane: 4, principal: 16, host: 32, all: 256 }
/** Maximum deliveries that wait for their turn: from one principal to one host, from one principal, and in all. */
const mostWaiting = { lane: 64, principal: 128, all: 1_024 }

/**
 * Runs deliveries in parallel, so that a receiver that does not respond delays only its own deliveries: each principal and each host has a limited
 * number of places, and no delivery waits for one of somebody else.
 */
export class PushLanes {
  readonly #running = new Map<string, number>()
  readonly #lanes = new Map<string, PushJob[]>()
  /** How long the last delivery of a lane took, in milliseconds; only of lanes where something waits or runs. */
  readonly #lastMs = new Map<string, number>()
  #waiting = 0

  /** True if further deliveries can wait here. */
  get hasRoom(): boolean {
    return this.#waiting < mostWaiting.all
  }

  /** Takes a delivery, or says in how many milliseconds to offer it again. */
  offer(job: PushJob): number | undefined {
    const lane = laneOf(job)
    const queue = this.#lanes.get(lane) ?? []
    const isOverShare = this.#waitingOf(job) >= mostWaiting.principal
    if (!this.hasRoom || isOverShare || queue.length >= mostWaiting.lane) {
      const turns = mostWaiting.lane / most.lane
      return Math.min(Math.max((this.#lastMs.get(lane) ?? 0) * turns, isOverShare ? 5_000 : 250), 60_000)
    }
    queue.push(job)
    this.#lanes.set(lane, queue)
    this.#waiting++
    this.#start()
    return undefined
  }

  #waitingOf({ principal }: PushJob): number {
    const own = [...this.#lanes.values()].filter(([first]) => first?.principal === principal)
    return own.reduce((sum, { length }) => sum + length, 0)
  }

  /** Starts what has a place. Lanes take turns: one that was served goes to the end. */
  #start(): void {
    for (const [lane, queue] of [...this.#lanes]) {
      for (let job = queue[0]; job && this.#hasPlace(job); job = queue[0]) {
        queue.shift()
        this.#waiting--
        void this.#run(job)
      }
      this.#lanes.delete(lane)
      if (queue.length) this.#lanes.set(lane, queue)
    }
  }

  #hasPlace(job: PushJob): boolean {
    return countersOf(job).every(([name, limit]) => (this.#running.get(name) ?? 0) < limit)
  }

  async #run(job: PushJob): Promise<void> {
    const began = performance.now()
    this.#count(job, 1)
    try {
      await job.run()
    } finally {
      this.#count(job, -1)
      const lane = laneOf(job)
      if (this.#lanes.has(lane) || this.#running.has(lane)) this.#lastMs.set(lane, performance.now() - began)
      else this.#lastMs.delete(lane)
      this.#start()
    }
  }

  #count(job: PushJob, change: number): void {
    for (const [name] of countersOf(job)) {
      const count = (this.#running.get(name) ?? 0) + change
      if (count) this.#running.set(name, count)
      else this.#running.delete(name)
    }
  }
}

const laneOf = ({ principal, host }: PushJob): string => JSON.stringify([principal, host])

const countersOf = (job: PushJob): readonly (readonly [name: string, limit: number])[] => [
  [laneOf(job), most.lane],
  [`principal ${job.principal}`, most.principal],
  [`host ${job.host}`, most.host],
  ['all', most.all],
]
