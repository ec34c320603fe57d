/**
 * Largest factor by which an estimate is raised: a server that reports nonsense must not stop every
 * run.
 */
const largestMargin = 4

/** Learns, by model, how far a server's count of a prompt exceeds the estimate of it. */
export class InputMargins {
  readonly #factors = new Map<string, number>()

  /** The estimate, raised by what earlier calls of the model have shown. */
  raise(estimate: number, model: string | undefined): number {
    return Math.ceil(estimate * (this.#factors.get(model ?? '') ?? 1))
  }

  /**
   * Learns from a finished call: from its unraised estimate and the count that the server reported.
   */
  learn(estimate: number, reported: number, model: string | undefined): void {
    if (!(estimate > 0) || !Number.isFinite(reported)) return
    const factor = Math.min(reported / estimate, largestMargin)
    if (factor > (this.#factors.get(model ?? '') ?? 1)) this.#factors.set(model ?? '', factor)
  }
}
