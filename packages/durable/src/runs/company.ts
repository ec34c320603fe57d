/**
 * How many runs that may have ended their process are worked on at once, next to nothing else: the
 * more often one did, the fewer. So the one that does it is found in a few steps, and the healthy
 * ones next to it are not worked on one by one.
 */
export function roomOf(crashes: number): number {
  if (crashes <= 2) return 16
  return crashes === 3 ? 4 : 1
}

/** The runs of this process: those that may have ended one run next to each other only. */
export class Company {
  #others = 0
  readonly #rooms = new Map<symbol, number>()
  #waiting: (() => void)[] = []

  get isEmpty(): boolean {
    return this.#others === 0 && this.#rooms.size === 0
  }

  /** True while suspects are worked on: nothing else begins then. */
  get isReserved(): boolean {
    return this.#rooms.size > 0
  }

  /** True if a suspect of this room may begin next to what is worked on. */
  admits(room: number): boolean {
    return this.#others === 0 && this.#rooms.size < Math.min(room, ...this.#rooms.values())
  }

  /**
   * Counts a run.
   * @param room of a suspect
   * @returns call it when the work has ended, or the run is not suspect any more; more calls do
   * nothing
   */
  enter(room?: number): () => void {
    const name = Symbol('run')
    if (room === undefined) this.#others++
    else this.#rooms.set(name, room)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      if (room === undefined) this.#others--
      else this.#rooms.delete(name)
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once no suspect is worked on. */
  async whenOpen(): Promise<void> {
    while (this.isReserved) await this.#change()
  }

  /** Resolves once a suspect of this room may begin, or the time is over. */
  async whenAdmitted(room: number, mostMs: number): Promise<void> {
    const until = performance.now() + mostMs
    while (!this.admits(room) && performance.now() < until)
      await Promise.race([this.#change(), new Promise((resolve) => setTimeout(resolve, 100))])
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
