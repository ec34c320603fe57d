/** The runs of this process: a run that may have ended its process before runs alone. */
export class Company {
  #active = 0
  #suspects = 0
  #waiting: (() => void)[] = []

  get isEmpty(): boolean {
    return this.#active === 0
  }

  /** True while a suspect is worked on alone: nothing else begins then. */
  get isReserved(): boolean {
    return this.#suspects > 0
  }

  /** Counts a run. @returns call it when the work has ended; more calls do nothing */
  enter(isSuspect: boolean): () => void {
    this.#active++
    if (isSuspect) this.#suspects++
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.#active--
      if (isSuspect) this.#suspects--
      if (!this.isReserved) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once no suspect is worked on. */
  whenOpen(): Promise<void> {
    return this.isReserved
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve()
  }
}
