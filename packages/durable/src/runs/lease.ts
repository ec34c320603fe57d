/** Keeps a claim while its holder works, and aborts `signal` once it may be lost. */
export class Lease {
  readonly #leaseMs: number
  readonly #name: string
  readonly #extend: () => Promise<boolean>
  readonly #controller = new AbortController()
  #validFrom: Instant
  /** When the last heartbeat was sent; undefined if it failed. */
  #sentAt: Instant | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  /**
   * @param claimedAt time before the claim was requested: the lease ends no earlier than `leaseMs`
   * after it
   * @param extend writes a heartbeat; false if the claim is lost
   */
  constructor(name: string, leaseMs: number, claimedAt: Instant, extend: () => Promise<boolean>) {
    this.#name = name
    this.#leaseMs = leaseMs
    this.#extend = extend
    this.#validFrom = claimedAt
    this.#schedule()
  }

  /** Aborts when a heartbeat is refused or too late. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * False once another worker may hold the run: nothing may start then. Both clocks count, as one
   * of them stands still during a suspend.
   */
  isValid(): boolean {
    if (!this.signal.aborted && elapsedSince(this.#validFrom) >= this.#leaseMs)
      this.#lose(
        `its lease of ${this.#leaseMs} ms ended, since this process was busy or stood still`,
      )
    return !this.signal.aborted
  }

  /**
   * True if the next write should extend the lease. Not every write has to: the time of the claim
   * is in an index.
   */
  get isAging(): boolean {
    return elapsedSince(this.#validFrom) >= this.#leaseMs / 6
  }

  /** A write that was sent at this moment has extended the lease. */
  extendedAt(sentAt: Instant): void {
    if (sentAt.monotonic > this.#validFrom.monotonic) this.#validFrom = sentAt
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Waits for the next heartbeat, or for the end of the lease if that comes first. */
  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#stopped || this.signal.aborted) return
    const beatMs = Math.max(this.#leaseMs / 3 - this.#quietMs, this.#leaseMs / 30)
    const endMs = Math.max(0, Math.ceil(this.#leaseMs - elapsedSince(this.#validFrom))) + 1
    this.#timer = setTimeout(() => this.#look(), Math.min(beatMs, endMs))
    this.#timer.unref()
  }

  /** How long no heartbeat was sent and no write of the run was one. */
  get #quietMs(): number {
    const heldMs = elapsedSince(this.#validFrom)
    return this.#sentAt ? Math.min(heldMs, elapsedSince(this.#sentAt)) : heldMs
  }

  /** A heartbeat that gets no reply keeps neither the next one back, nor the end of the lease. */
  #look(): void {
    if (!this.isValid()) return
    if (this.#quietMs >= this.#leaseMs / 3) void this.#beat()
    this.#schedule()
  }

  async #beat(): Promise<void> {
    const sentAt = (this.#sentAt = instant())
    try {
      if (await this.#extend()) this.extendedAt(sentAt)
      else this.#lose('another worker claimed it, or it was cancelled')
    } catch {
      // The database is away: the next heartbeat may reach it before the lease ends.
      this.#sentAt = undefined
      if (this.isValid()) this.#schedule()
    }
  }

  #lose(why: string): void {
    if (this.#stopped) return
    this.#controller.abort(new Error(`the claim of run "${this.#name}" is lost: ${why}`))
  }
}

/** A moment on the monotonic clock and on the wall clock. */
export interface Instant {
  readonly monotonic: number
  readonly wall: number
}

/** This moment. */
export const instant = (): Instant => ({ monotonic: performance.now(), wall: Date.now() })

const elapsedSince = ({ monotonic, wall }: Instant): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall)
