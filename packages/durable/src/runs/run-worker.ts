/** Settings of {@link RunWorker}. */
export interface RunWorkerOptions {
  /** Maximum runs at once. Default 10. */
  readonly concurrency?: number | undefined
  /**
   * Called for each failure of the database, and for each run whose function rejected: it is
   * claimed again later, five times in a row. Default: nothing.
   */
  onError?(error: unknown): void
}

/** Claims and executes runs of its definitions until it is stopped, or its store is closed. */
export interface RunWorker {
  /** How many runs it has started. */
  readonly started: number

  /**
   * Claims no more runs; current runs are stopped and given back, so that other workers continue
   * them.
   */
  stop(): Promise<void>

  /** Resolves once nothing is worked on, and nothing can be claimed or no more may be started. */
  idle(): Promise<void>
}
