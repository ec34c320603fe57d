import { type LlmError, mergeOptions, type Provider } from '@modelport/core'
import { createCallContext } from './call-context.js'
import type { ProviderSettings } from './config.js'
import { createProviderState } from './create-provider.js'
import type { Driver, HttpFailure } from './driver.js'
import { oneStep } from './event-reader.js'
import { Exchange } from './exchange.js'
import { parseJson } from './parse-json.js'

/** One JSON request that is no conversation: embeddings, model lists, token counts. */
export interface JsonRequest {
  /** The whole address. */
  readonly url: string
  /** Default POST when there is a body, else GET. */
  readonly method?: 'GET' | 'POST'
  /** Sent as JSON. Default: no body. */
  readonly body?: unknown
  /** Headers beside those of the client. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Options of one JSON request. */
export interface JsonCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
  /** Most milliseconds for the call, all attempts included. Default: none. */
  readonly deadlineMs?: number
}

/** Sends JSON requests with the same transport, retries, clocks, host check and redaction as a conversation. */
export interface JsonClient {
  /** The parsed answer; its shape is taken on trust, so make every field of `T` optional. Throws like {@link Provider.complete}. */
  request<T>(request: JsonRequest, options?: JsonCallOptions): Promise<T>
}

/** Makes a client for a provider's other endpoints; `error` names failures as the provider's driver does. */
export function createJsonClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => LlmError & ReturnType<Driver['error']>,
  settings: ProviderSettings,
): JsonClient {
  // Once for all requests: they share one retry bucket, one transport and one list of secrets.
  const shared = createProviderState(settings)
  return {
    request: async <T>(request: JsonRequest, options: JsonCallOptions = {}): Promise<T> => {
      let answer: unknown
      const driver: Driver = {
        name,
        framing: 'ndjson',
        request: () => request,
        send: (_, io) => {
          const { url, body, headers, method = body === undefined ? 'GET' : 'POST' } = request
          const type = body === undefined ? undefined : { 'content-type': 'application/json' }
          return io.fetch(url, {
            method,
            headers: { accept: 'application/json', ...type, ...headers, ...io.headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          })
        },
        decoder: (sink) => ({
          push: (record) => {
            answer = parseJson(record.data)
            sink.terminal()
          },
        }),
        error,
      }
      const context = createCallContext({ ...shared, driver }, mergeOptions(options))
      const turn = { model: settings.model, messages: [], tools: [], options: { maxTokens: 1 }, defaultTemperature: undefined, stream: false }
      const exchange = new Exchange(context, turn, () => undefined)
      try {
        await exchange.open()
        while (!exchange.ended) await oneStep((step) => { exchange.read(step) })
      } finally {
        context.scope.end()
      }
      return answer as T
    },
  }
}
