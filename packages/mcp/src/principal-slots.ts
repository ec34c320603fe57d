/** Maximum values at once, of all principals and of each. */
interface SlotLimits {
  readonly inAll: number
  readonly each: number
}

interface Owned {
  readonly principal: string
}

/**
 * Values by id that belong to principals, in the order of their last use. For one more than the
 * limits allow, one is dropped: that which the same principal used longest ago. If a principal
 * without any comes when all slots are taken, the principal with the most loses one, so that nobody
 * drives out others by opening many.
 */
export class PrincipalSlots<Value extends Owned> {
  readonly #limits: SlotLimits
  readonly #values = new Map<string, Value>()
  readonly #counts = new Map<string, number>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get(id: string): Value | undefined {
    return this.#values.get(id)
  }

  values(): Value[] {
    return [...this.#values.values()]
  }

  /** Adds a value; returns the one that was dropped for it. */
  add(id: string, value: Value): Value | undefined {
    const { principal } = value
    const own = this.#countOf(principal)
    const isFull = this.#values.size >= this.#limits.inAll
    let dropped: Value | undefined
    if (own >= this.#limits.each || (isFull && own > 0)) dropped = this.#dropOldest(principal)
    else if (isFull) dropped = this.#dropOldest(this.#largest())
    this.#values.set(id, value)
    this.#counts.set(principal, this.#countOf(principal) + 1)
    return dropped
  }

  /** Notes that a value is used. */
  touch(id: string): void {
    const value = this.#values.get(id)
    if (!value) return
    this.#values.delete(id)
    this.#values.set(id, value)
  }

  delete(id: string): void {
    const value = this.#values.get(id)
    if (!value) return
    this.#values.delete(id)
    const rest = this.#countOf(value.principal) - 1
    if (rest > 0) this.#counts.set(value.principal, rest)
    else this.#counts.delete(value.principal)
  }

  #countOf(principal: string): number {
    return this.#counts.get(principal) ?? 0
  }

  #largest(): string {
    let largest = ''
    let most = 0
    for (const [principal, count] of this.#counts) {
      if (count <= most) continue
      largest = principal
      most = count
    }
    return largest
  }

  #dropOldest(principal: string): Value | undefined {
    for (const [id, value] of this.#values)
      if (value.principal === principal) {
        this.delete(id)
        return value
      }
    return undefined
  }
}
