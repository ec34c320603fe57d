/** A run that this worker holds until its lease ends. */
export interface Claim {
  /** The engine's id of the run. */
  readonly run: string
  /** The queue that the run waits in. */
  readonly queue: string
  /** What `start` was given. */
  readonly key: string
  /** Claims of this run so far; each claim has a higher one. */
  readonly attempt: number
  /** Unique to this claim. */
  readonly token: string
}

/** How long a sleeping run stays out of reach when nothing wakes it. */
export interface SleepOptions {
  /** The store's time to become claimable again; never when absent. */
  readonly until?: number
  /**
   * Called after the engine listens for wake-ups and before the run is given back. The run stays claimable at once if this returns true.
   */
  readonly hasWork: () => Promise<boolean>
}

/** Claim, lease, timers and wake-up. Everything else about a run is stored by this package. */
export interface DurableEngine {
  /** Makes a run claimable; returns the engine's id. A queue is a fingerprint: workers claim only from queues that they name. */
  start(queue: string, key: string): Promise<string>
  /** Claims the next run of the queue, for `leaseMs`. */
  claim(queue: string, leaseMs: number): Promise<Claim | undefined>
  /** Extends the lease; false when the claim is lost. */
  extend(claim: Claim, leaseMs: number): Promise<boolean>
  /** Gives the claim back until the time or a wake-up; false when the claim is lost. */
  sleep(claim: Claim, options: SleepOptions): Promise<boolean>
  /** Makes a sleeping run claimable at once. A run that is claimed, over or unknown is left alone. */
  wake(queue: string, run: string): Promise<void>
  /** Ends a run; false when the claim is lost. */
  finish(claim: Claim): Promise<boolean>
  /** Ends a run that is waiting or claimed; its holder's next `extend` returns false. */
  cancel(queue: string, run: string): Promise<void>
  /** True while the run can still be claimed, now or later. */
  isLive(queue: string, run: string): Promise<boolean>
  /** Forgets runs that were over before this time, in milliseconds since 1970. */
  prune(before: number): Promise<void>
}
