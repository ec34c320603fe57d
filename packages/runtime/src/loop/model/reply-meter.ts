/** Estimates how long a reply is while it comes, at a cost that stays linear in its length. */
export class ReplyMeter {
  readonly #estimate: (text: string) => number
  readonly #parts: string[] = []
  /** UTF-16 units that came. */
  #length = 0
  /** Tokens that are paid for. */
  #ceiling: number
  #counted = { length: 0, tokens: 0 }

  /** @param paid tokens that need not be asked for */
  constructor(estimate: (text: string) => number, paid: number) {
    this.#estimate = estimate
    this.#ceiling = paid
  }

  add(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }

  /** Estimated tokens so far. */
  tokens(): number {
    if (this.#counted.length !== this.#length) {
      const whole = this.#parts.join('')
      this.#parts.splice(0, this.#parts.length, whole)
      this.#counted = { length: this.#length, tokens: this.#length ? this.#estimate(whole) : 0 }
    }
    return this.#counted.tokens
  }

  /**
   * True while the reply is paid for. Called for each delta. It estimates only when the reply may
   * have outgrown its reservation, and then reserves a larger block.
   */
  admitted(admits: (tokens: number) => boolean): boolean {
    const { length, tokens } = this.#counted
    if (tokens + (this.#length - length) * mostTokensPerUnit <= this.#ceiling) return true
    const now = this.tokens()
    if (now <= this.#ceiling) return true
    const paid = [now + Math.max(16, this.#ceiling >> 5), now].find(admits)
    this.#ceiling = paid ?? this.#ceiling
    return paid !== undefined
  }
}

/** No script costs more for one UTF-16 unit. */
const mostTokensPerUnit = 4
