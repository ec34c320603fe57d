/**
 * One sample to take: `repeat` times after another, `streams` answers at once from this base URL.
 */
export interface Sample {
  readonly baseUrl: string
  readonly streams: number
  readonly repeat: number
  readonly method: 'stream' | 'complete'
  /** What is noted of single deltas: when the first came, or how late each was. */
  readonly watch?: 'first' | 'delay'
}

/**
 * What one sample gave. Microseconds, unless the name says otherwise; what was not measured is
 * unset.
 */
export interface Metrics {
  /**
   * CPU time, user and system, of the whole process; with `watch: 'first'` only from each call to
   * its first delta.
   */
  readonly cpu?: number
  readonly wall?: number
  readonly characters?: number
  /** Percentiles of the watched value. */
  readonly p50?: number
  readonly p99?: number
  /** Peak memory of the process. */
  readonly peakMegabytes?: number
  readonly importCpu?: number
  readonly installMegabytes?: number
  readonly browserKilobytes?: number
  readonly workerKilobytes?: number
}

/** What a client process answers: first once it is ready, then to each sample. */
export type Answer = { readonly metrics: Metrics } | { readonly error: string }
