import type { CallOptions, LlmError, Provider } from '@modelport/core'
import { withoutNulls } from '@modelport/core'
import type { Driver, HttpFailure } from '../base/driver.js'
import type { ProviderSettings } from '../config/config.js'
import { createEndpointClient } from './endpoint-client.js'

/** One JSON request outside a conversation: embeddings, model lists. */
export interface JsonRequest {
  /** The whole address. */
  readonly url: string
  /** Sent as JSON, by POST. Default: none, and a GET. */
  readonly body?: unknown
  /** Headers in addition to those of the client. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Options of one JSON request. */
export type JsonCallOptions = Pick<CallOptions, 'signal' | 'deadlineMs' | 'retry' | 'vendor'>

/** Sends JSON requests with the same transport, retries, clocks, host check and redaction as a conversation. */
export interface JsonClient {
  /** The parsed response; its shape is taken on trust, so make every field of `T` optional. Throws like {@link Provider.complete}. */
  request<T>(request: JsonRequest, options?: JsonCallOptions): Promise<T>
}

/** Makes a client for a provider's other endpoints; `error` names failures as the provider's driver does. */
export function createJsonClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => LlmError & ReturnType<Driver['error']>,
  settings: ProviderSettings,
): JsonClient {
  const client = createEndpointClient(name, error, settings)
  return {
    request: async <T>(request: JsonRequest, options: JsonCallOptions = {}) =>
      client.json<T>({ ...request, inBandErrors: false }, withoutNulls(options)),
  }
}
