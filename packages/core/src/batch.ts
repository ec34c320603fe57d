import type { LlmError } from './error.js'
import type { ChatMessage } from './message.js'
import type { CallOptions } from './options.js'
import type { Generation } from './provider.js'
import type { RequestOptions } from './request-options.js'

/**
 * One request of a batch: the messages and options of `Provider.generate`, without those that only
 * a call in this process can have.
 */
export interface BatchRequest {
  /** The conversation. */
  readonly messages: readonly ChatMessage[]
  /** Options of the call; `signal`, `deadlineMs`, `retry` and headers are refused. */
  readonly options?: CallOptions
}

/**
 * State of a batch. An `ended` one has a reply or a failure for each request; a `cancelled` or
 * `expired` one has those made before.
 */
export type BatchStatus = 'running' | 'cancelling' | 'ended' | 'cancelled' | 'expired' | 'failed'

/** A batch at the vendor: plain JSON, which the application keeps until the batch ends. */
export interface Batch {
  /** The vendor's id. */
  readonly id: string
  /** Its state. */
  readonly status: BatchStatus
  /** How many requests it has. Unset: the vendor does not say yet. */
  readonly total?: number
  /** How many have a reply. */
  readonly succeeded?: number
  /** How many failed, expired or were cancelled. */
  readonly failed?: number
  /** When it was made, ISO 8601. */
  readonly createdAt?: string
  /** When the vendor stops working on it, ISO 8601. */
  readonly expiresAt?: string
  /** Why it failed as a whole. */
  readonly error?: string
}

/** What became of one request. */
export type BatchResult =
  | { readonly generation: Generation; readonly error?: undefined }
  | { readonly error: LlmError; readonly generation?: undefined }

/**
 * Submits many requests at once, to which the vendor replies within a day, at a lower price.
 * Separate from {@link Provider}: a capability is never an optional method.
 */
export interface BatchRunner {
  /** Name of the provider. */
  readonly name: string
  /** The model that replies. */
  readonly model: string
  /**
   * Submits the requests. It retries only if `retry` says so: the vendor may have the batch
   * already, and would charge for a second one too. Rejects `invalid-request` without requests, and
   * as `Provider.generate` for a request that cannot be sent.
   */
  createBatch(requests: readonly BatchRequest[], options?: RequestOptions): Promise<Batch>
  /** Asks for the state of a batch. */
  getBatch(id: string, options?: RequestOptions): Promise<Batch>
  /**
   * The results, in the order of the requests; a request without a result at the vendor has an
   * error. Rejects `invalid-request` while the batch runs, and with the reason of a batch that
   * failed as a whole.
   */
  batchResults(id: string, options?: RequestOptions): Promise<readonly BatchResult[]>
  /** Asks the vendor to stop; results made before stay. */
  cancelBatch(id: string, options?: RequestOptions): Promise<Batch>
}
