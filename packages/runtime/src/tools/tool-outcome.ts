/** The outcome of one call. */
export interface ToolOutcome {
  /**
   * `ok` executed · `invalid-arguments` refused by its schema or not JSON · `unknown-tool` no such
   * tool · `failed` the tool threw or returned an error · `timeout` its time was up · `cancelled`
   * the run ended first · `refused` not allowed · `pending` its result will come later: see
   * `pending()`, or `ask` of its context. Only `ok`, `failed`, `timeout`, `cancelled` and `pending`
   * may have had an effect.
   */
  readonly status:
    | 'ok'
    | 'invalid-arguments'
    | 'unknown-tool'
    | 'failed'
    | 'timeout'
    | 'cancelled'
    | 'refused'
    | 'pending'
  /** What the tool returned, before it was made into content. */
  readonly value?: unknown
  /** What went wrong. */
  readonly message?: string
  /**
   * What the tool, or the check of its arguments, threw. Not recorded: a resume does not have it.
   */
  readonly error?: unknown
  /**
   * True if nobody knows whether the call had its effect: it was started, and its time was up, its
   * connection ended, or its tool threw `OutcomeUnknown`. Never of a `readOnly` tool.
   */
  readonly uncertain?: true
  /** Milliseconds from start to end, 0 for a call that never started. */
  readonly latencyMs: number
}
