import type { CallOptions, ChatMessage, LlmError, Provider } from '@modelport/core'
import { checkConfig } from './check-config.js'
import type { ProviderSettings } from './config.js'
import { createProvider } from './create-provider.js'
import type { Driver, HttpFailure, Sink } from './driver.js'
import { parseJson } from './parse-json.js'
import { postJson } from './post.js'
import { createRetryBucket } from './retry.js'
import { createTransport } from './transport.js'

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
export type JsonCallOptions = Pick<CallOptions, 'signal' | 'deadlineMs' | 'retry'>

/** Sends JSON requests with the same transport, retries, clocks, host check and redaction as a conversation. */
export interface JsonClient {
  /** The parsed answer; its shape is taken on trust, so make every field of `T` optional. Throws like {@link Provider.complete}. */
  request<T>(request: JsonRequest, options?: JsonCallOptions): Promise<T>
}

/** A driver whose answers are one JSON value each. */
export type JsonDriver<Request> = Omit<Driver<Request>, 'framing' | 'decoder'>

/** Makes a client for a provider's other endpoints; `error` names failures as the provider's driver does. */
export function createJsonClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => LlmError & ReturnType<Driver['error']>,
  settings: ProviderSettings,
): JsonClient {
  checkConfig(settings)
  // Default call options do not apply to these requests, which share one retry bucket and one transport.
  const shared = { retryBucket: createRetryBucket(), ...settings, defaults: {}, fetch: createTransport(settings) }
  return {
    request: async <T>(request: JsonRequest, options: JsonCallOptions = {}) => {
      const driver: JsonDriver<JsonRequest> = { name, request: () => request, send: sendJson, error }
      return (await askJson(driver, shared, [{ role: 'user', content: '' }], [options])) as T
    },
  }
}

/** Makes a call that is answered with one JSON value, whatever that is. Throws like {@link Provider.complete}. */
export async function askJson<Request>(
  driver: JsonDriver<Request>,
  settings: ProviderSettings,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
): Promise<unknown> {
  let answer: unknown
  const decoder = (sink: Sink): ReturnType<Driver['decoder']> => ({
    push: ({ data }) => {
      answer = parseJson(data)
      sink.terminal()
    },
  })
  await createProvider({ ...driver, framing: 'ndjson', decoder }, settings).generate(messages, ...options)
  return answer
}

const sendJson: Driver<JsonRequest>['send'] = ({ url, body, headers }, io) =>
  body === undefined
    ? io.fetch(url, { method: 'GET', headers: { accept: 'application/json', ...headers, ...io.headers } })
    : postJson(io, url, body, headers)
