/** Counts what goes wrong in a row; one success begins anew. */
export class StreakGuard {
  readonly #most: number
  #count: number

  /**
   * @param most how many in a row end the run;
   * @param count how many there are already, after a resume
   */
  constructor(most: number, count = 0) {
    this.#most = most
    this.#count = count
  }

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
