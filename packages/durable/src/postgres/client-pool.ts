import type postgres from 'postgres'

type Sql = ReturnType<typeof postgres>

/**
 * Clients of one connection each, used by one caller at a time: what the package's own `reserve`
 * does, which hangs when a connection breaks.
 */
export class ClientPool {
  readonly #make: () => Sql
  readonly #most: number
  readonly #idle: Sql[] = []
  readonly #all: Sql[] = []
  readonly #waiting: ((client: Sql) => void)[] = []

  constructor(most: number, make: () => Sql) {
    this.#most = most
    this.#make = make
  }

  /** Give the client back with `release`. */
  async acquire(): Promise<Sql> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.length < this.#most) {
      const made = this.#make()
      this.#all.push(made)
      return made
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(client: Sql): void {
    const next = this.#waiting.shift()
    if (next) next(client)
    else this.#idle.push(client)
  }

  /**
   * Removes a client that no longer responds from the pool, closes its connection, and gives the
   * next waiting caller a new one.
   */
  discard(client: Sql): void {
    const at = this.#all.indexOf(client)
    if (at >= 0) this.#all.splice(at, 1)
    void client.end({ timeout: 0 }).catch(() => undefined)
    const next = this.#waiting.shift()
    if (!next) return
    const made = this.#make()
    this.#all.push(made)
    next(made)
  }

  async close(timeoutSeconds: number): Promise<void> {
    await Promise.all(this.#all.map((client) => client.end({ timeout: timeoutSeconds })))
  }
}
