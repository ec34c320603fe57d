/** Counts what goes wrong in a row; one success begins anew. */
export class StreakGuard {
  readonly #most: number
  #count = 0

  /** @param most how many in a row end the run */
  constructor(most: number) {
    this.#most = most
  }

  /** How many there are in a row. */
  get count(): number {
    return this.#count
  }

  /** Counts one more. True when it is one too many. */
  fail(): boolean {
    return ++this.#count >= this.#most
  }

  succeed(): void {
    this.#count = 0
  }
}
