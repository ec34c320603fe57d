import type { Claim, DurableEngine } from '../engine/engine.js'

/** Keeps a claim while its holder works, and aborts `signal` once it may be lost. */
export class Lease {
  readonly claim: Claim
  readonly #engine: DurableEngine
  readonly #leaseMs: number
  readonly #controller = new AbortController()
  /** Called with each heartbeat, to show the row as alive. */
  onBeat: () => Promise<unknown> = () => Promise.resolve()
  #validFrom: Instant
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  /** @param claimedAt taken before the claim was asked for: the lease ends no earlier than `leaseMs` after it */
  constructor(engine: DurableEngine, claim: Claim, leaseMs: number, claimedAt: Instant) {
    this.#engine = engine
    this.claim = claim
    this.#leaseMs = leaseMs
    this.#validFrom = claimedAt
    this.#schedule()
  }

  /** Aborts when a heartbeat is refused or too late. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** False once another worker may hold the run: nothing may start then. Both clocks count, as one of them stands still during a suspend. */
  isValid(): boolean {
    if (!this.signal.aborted && elapsedSince(this.#validFrom) >= this.#leaseMs) this.#lose('its lease ended')
    return !this.signal.aborted
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#stopped || this.signal.aborted) return
    this.#timer = setTimeout(() => void this.#beat(), this.#leaseMs / 3)
    this.#timer.unref()
  }

  async #beat(): Promise<void> {
    if (!this.isValid()) return
    const sentAt = instant()
    try {
      if (await this.#engine.extend(this.claim, this.#leaseMs)) this.#validFrom = sentAt
      else this.#lose('another worker claimed it, or it was canceled')
      await this.onBeat()
    } catch {
      // The database is away: the next heartbeat may reach it before the lease ends.
    }
    if (this.isValid()) this.#schedule()
  }

  #lose(why: string): void {
    if (this.#stopped) return
    this.#controller.abort(new Error(`the claim of run "${this.claim.key}" is lost: ${why}`))
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
