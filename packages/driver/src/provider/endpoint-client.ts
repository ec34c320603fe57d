import {
  isObject,
  LlmError,
  mergeOptions,
  type Provider,
  type RequestOptions,
  validateOptions,
  withoutNulls,
} from '@modelport/core'
import { type Clock, systemClock } from '../base/clock.js'
import type { Driver, DriverIo, Fetch, HttpFailure } from '../base/driver.js'
import { createCallContext } from '../call/call-context.js'
import { createProviderState } from '../call/provider-state.js'
import { sanitizeError } from '../call/sanitize.js'
import type { ProviderSettings } from '../config/config.js'
import { type BodyFormat, exchangeWhole } from '../exchange/exchange-whole.js'
import type { UploadBody } from '../exchange/upload-body.js'
import { readJsonBody, readTextBody } from '../exchange/whole-body.js'
import { InBandError } from '../failure/in-band.js'
import { withVendor } from '../turn/vendor-fields.js'

/** One request outside a conversation: embeddings, batches, token counts, lists of models. */
export interface EndpointRequest {
  /** The whole address. */
  readonly url: string
  /** Default `POST` with a body, else `GET`. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Headers in addition to those of the client. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with the options' `vendor` merged into it. */
  readonly body?: unknown
  /** Sent as it is read, in place of `body`. */
  readonly upload?: UploadBody
  /**
   * False where a field `error` belongs to the result. Default true: a response with one is a
   * failure.
   */
  readonly inBandErrors?: boolean
}

/**
 * Sends requests with the same transport, retries, clocks, limits, host check and redaction as a
 * conversation. Throws like {@link Provider.complete}.
 */
export interface EndpointClient {
  /** The clock of its waits. */
  readonly clock: Clock
  /** The response as JSON; its shape is taken on trust, so make every field of `T` optional. */
  json<T>(request: EndpointRequest, options?: RequestOptions): Promise<T>
  /** The response as text; it may be empty. */
  text(request: EndpointRequest, options?: RequestOptions): Promise<string>
}

/** A request as it is sent, the same bytes in each attempt. */
interface EncodedRequest {
  readonly url: string
  readonly init: RequestInit
  readonly headers: Readonly<Record<string, string>>
  readonly upload: UploadBody | undefined
}

/**
 * Makes a client for a provider's other endpoints; `error` names failures as the provider's driver
 * does.
 */
export function createEndpointClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => ReturnType<Driver['error']>,
  settings: ProviderSettings,
): EndpointClient {
  const driver = { name, send, error }
  // The requests share one retry bucket and one transport. Default call options do not apply to
  // them.
  const state = createProviderState(driver, settings)
  const ask = async <T>(
    request: EndpointRequest,
    format: BodyFormat<T>,
    { signal, deadlineMs, retry, vendor }: RequestOptions = {},
  ): Promise<T> => {
    const options = mergeOptions({ signal, deadlineMs, retry, vendor })
    let encoded: EncodedRequest
    try {
      validateOptions(options)
      const { body } = request
      encoded = encode(
        isObject(body) ? { ...request, body: withVendor(body, vendor) } : request,
        format.accept,
      )
    } catch (invalid) {
      throw sanitizeError(invalid, name, state.redactWith([]))
    }
    const values = withoutNulls(options)
    const sending = {
      driver,
      request: encoded,
      onRetry: values.retry?.onRetry,
      upload: encoded.upload,
    }
    return exchangeWhole(createCallContext(state, values, []), sending, format)
  }
  return {
    clock: settings.clock ?? systemClock,
    json: <T>(request: EndpointRequest, options?: RequestOptions) =>
      ask(request, jsonFormat<T>(request), options),
    text: (request, options) => ask(request, textFormat, options),
  }
}

function encode(
  { body, upload, method, headers, url }: EndpointRequest,
  accept: string,
): EncodedRequest {
  const type = body !== undefined && { 'content-type': 'application/json' }
  const content = body !== undefined && { body: toJson(body) }
  const init = { method: method ?? (content ? 'POST' : 'GET'), ...content }
  return { url, upload, init, headers: { accept, ...type, ...headers } }
}

/**
 * @throws {LlmError} `invalid-request` — the body is circular, or has a value that JSON does not
 * know.
 */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw new LlmError(
      'invalid-request',
      `the request body cannot be written as JSON: ${String(error)}`,
    )
  }
}

function send({ url, init, headers, upload }: EncodedRequest, io: DriverIo): ReturnType<Fetch> {
  if (upload) return upload.send(io, { url, headers })
  return io.fetch(url, { ...init, headers: { ...headers, ...io.headers } })
}

function jsonFormat<T>({ inBandErrors = true }: EndpointRequest): BodyFormat<T> {
  return {
    accept: 'application/json',
    read: (headers, { maxJsonValues }) =>
      readJsonBody(headers, maxJsonValues, (value) => {
        if (inBandErrors) throwInBand(value)
        return value as T
      }),
  }
}

const textFormat: BodyFormat<string> = { accept: '*/*', read: readTextBody }

/** @throws {InBandError} the value has a field `error`. */
function throwInBand(value: unknown): void {
  if (typeof value === 'object' && value !== null && (value as { readonly error?: unknown }).error)
    throw new InBandError({ body: value })
}
