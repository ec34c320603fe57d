import type { CallOptions, ChatMessage, LlmError, Provider } from '@modelport/core'
import { mergeOptions, validateOptions, withoutNulls } from '@modelport/core'
import { createCallContext } from './call-context.js'
import type { ProviderSettings } from './config.js'
import type { Driver, HttpFailure } from './driver.js'
import { exchangeJson } from './json-exchange.js'
import { postJson } from './post.js'
import { createProviderState } from './provider-state.js'
import { sanitizeError } from './sanitize.js'
import { startCall } from './start-call.js'

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
  /** The parsed response; its shape is taken on trust, so make every field of `T` optional. Throws like {@link Provider.complete}. */
  request<T>(request: JsonRequest, options?: JsonCallOptions): Promise<T>
}

/** A driver whose responses are one JSON value each. */
export type JsonDriver<Request> = Omit<Driver<Request>, 'framing' | 'decoder'>

/** Makes a client for a provider's other endpoints; `error` names failures as the provider's driver does. */
export function createJsonClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => LlmError & ReturnType<Driver['error']>,
  settings: ProviderSettings,
): JsonClient {
  const driver = { name, send: sendJson, error }
  // Default call options do not apply to these requests. They share one retry bucket and one transport.
  const state = createProviderState(driver, settings)
  return {
    request: async <T>(request: JsonRequest, options: JsonCallOptions = {}) => {
      try {
        validateOptions(options)
      } catch (invalid) {
        throw sanitizeError(invalid, name, state.redactWith([]))
      }
      const values = withoutNulls(mergeOptions(options))
      const context = createCallContext(state, values, [])
      return (await exchangeJson(context, { driver, request, onRetry: values.retry?.onRetry })) as T
    },
  }
}

/** Sends a prompt like a call of a model whose response is one JSON value, whatever that is. Throws like {@link Provider.complete}. */
export async function askJson<Request>(
  driver: JsonDriver<Request>,
  settings: ProviderSettings,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
): Promise<unknown> {
  const state = createProviderState(driver, settings)
  const { context, turn, values } = startCall(state, messages, options, false)
  let request: Request
  try {
    request = driver.request(turn(messages, values.tools ?? []))
  } catch (error) {
    context.scope.end()
    throw sanitizeError(error, driver.name, context.redact)
  }
  return exchangeJson(context, { driver, request, onRetry: values.retry?.onRetry })
}

const sendJson: Driver<JsonRequest>['send'] = ({ url, body, headers }, io) =>
  body === undefined
    ? io.fetch(url, { method: 'GET', headers: { accept: 'application/json', ...headers, ...io.headers } })
    : postJson(io, url, body, headers)
