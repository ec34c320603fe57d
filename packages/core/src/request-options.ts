import type { RetryOptions } from './options.js'
import type { JsonObject } from './tool.js'

/** Options of one call of a capability besides text: embeddings, batches. */
export interface RequestOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** Maximum milliseconds for the whole call, retries included. Default: none. */
  readonly deadlineMs?: number | undefined
  /** Attempts of the call. Default: three in all, as for text. */
  readonly retry?: RetryOptions | undefined
  /**
   * Fields of the vendor's request, merged as `CallOptions.vendor`; `headers` is added to the HTTP
   * headers, and `model` is refused.
   */
  readonly vendor?: JsonObject | undefined
}
