import { LlmError, type Provider, type RequestOptions } from '@modelport/core'
import { checkConfig } from './check-config.js'
import type { ProviderSettings } from './config.js'
import { createProvider } from './create-provider.js'
import type { Driver, DriverIo, Fetch, HttpFailure, Sink } from './driver.js'
import { concatBytes, type FormField, toFormBody } from './form-body.js'
import { decodeUtf8 } from './json-body.js'
import { parseJson, tryParseJson } from './parse-json.js'
import { createRetryBucket } from './retry.js'
import { createTransport } from './transport.js'

/** One request outside a conversation: images, speech, transcription, reranking, batches. */
export interface EndpointRequest {
  /** The whole address. */
  readonly url: string
  /** Default `POST` with a body, else `GET`. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Headers in addition to those of the client. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a form, in place of `body`. */
  readonly form?: readonly FormField[]
  /** False where a field `error` belongs to the result. Default true: a response with one is a failure. */
  readonly inBandErrors?: boolean
}

/** A body of bytes. */
export interface ResponseBytes {
  /** The whole body, at least one byte. */
  readonly data: Uint8Array
  /** The response's `content-type`, or ''. */
  readonly contentType: string
}

/** Sends requests with the same transport, retries, clocks, limits, host check and redaction as a conversation. Throws like {@link Provider.complete}. */
export interface EndpointClient {
  /** The response as JSON; its shape is taken on trust, so make every field of `T` optional. */
  json<T>(request: EndpointRequest, options?: RequestOptions): Promise<T>
  /** The response as bytes. A body that is empty, or JSON, is a failure. */
  bytes(request: EndpointRequest, options?: RequestOptions): Promise<ResponseBytes>
  /** The response as text; it may be empty. */
  text(request: EndpointRequest, options?: RequestOptions): Promise<string>
}

/** Reads a response: how it is framed and decoded, and the result once it is whole. */
interface Reading<T> {
  readonly accept: string
  readonly framing: Driver['framing']
  readonly decoder: Driver['decoder']
  /** Headers of the last response. */
  headers: Headers
  result?: T
}

/** Makes a client for a provider's other endpoints; `error` names failures as the provider's driver does. */
export function createEndpointClient(
  name: Provider['name'],
  error: (failure: HttpFailure) => ReturnType<Driver['error']>,
  settings: ProviderSettings,
): EndpointClient {
  checkConfig(settings)
  // Default call options do not apply to these requests, which share one retry bucket and one transport.
  const shared = { retryBucket: createRetryBucket(), ...settings, defaults: {}, fetch: createTransport(settings) }
  const ask = async <T>(request: EndpointRequest, options: RequestOptions = {}, reading: Reading<T>): Promise<T> => {
    const { signal, deadlineMs, retry } = options
    const send = toSend(request, reading)
    const { framing, decoder } = reading
    const driver: Driver<EndpointRequest> = { name, error, framing, decoder, request: () => request, send }
    await createProvider(driver, shared).generate([{ role: 'user', content: '' }], {
      ...(signal && { signal }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      ...(retry && { retry }),
    })
    return reading.result as T
  }
  return {
    json: <T>(request: EndpointRequest, options?: RequestOptions) => ask<T>(request, options, readJson(request)),
    bytes: (request, options) => ask(request, options, readBytes('application/octet-stream', toFile)),
    text: (request, options) =>
      ask(
        request,
        options,
        readBytes('*/*', (data) => toText(data)),
      ),
  }
}

function toSend(
  { form, body, method, headers, url }: EndpointRequest,
  reading: Reading<unknown>,
): (request: EndpointRequest, io: DriverIo) => ReturnType<Fetch> {
  const encoded = form && toFormBody(form)
  const json = body === undefined ? undefined : JSON.stringify(body)
  const content = encoded ? (encoded.data as Uint8Array<ArrayBuffer>) : json
  const type = encoded?.contentType ?? (json === undefined ? undefined : 'application/json')
  return async (_, io) => {
    const response = await io.fetch(url, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        accept: reading.accept,
        ...(type !== undefined && { 'content-type': type }),
        ...headers,
        ...io.headers,
      },
      ...(content !== undefined && { body: content }),
    })
    reading.headers = response.headers
    return response
  }
}

function readJson<T>({ inBandErrors = true }: EndpointRequest): Reading<T> {
  const reading: Reading<T> = {
    accept: 'application/json',
    headers: new Headers(),
    framing: 'ndjson',
    decoder: (sink) => ({
      push: ({ data }) => {
        reading.result = parseJson<T>(data)
        if (inBandErrors && hasError(reading.result)) sink.fail({ body: reading.result })
        sink.terminal()
      },
    }),
  }
  return reading
}

/** Collects the bytes of each attempt anew; `read` gets them once the wire has ended. */
function readBytes<T>(accept: string, read: (data: Uint8Array, contentType: string, sink: Sink) => T): Reading<T> {
  let chunks: Uint8Array[] = []
  const reading: Reading<T> = {
    accept,
    headers: new Headers(),
    framing: () => {
      chunks = []
      return { cut: false, push: (chunk) => void chunks.push(chunk), end: () => undefined }
    },
    decoder: (sink) => ({
      push: () => undefined,
      end: () => {
        const data = concatBytes(chunks)
        checkLength(data, reading.headers)
        reading.result = read(data, reading.headers.get('content-type') ?? '', sink)
        sink.terminal()
      },
    }),
  }
  return reading
}

/** Not every transport notices a body that is shorter than its header says. */
function checkLength({ length }: Uint8Array, headers: Headers): void {
  const announced = headers.has('content-encoding') ? length : Number(headers.get('content-length') ?? length)
  if (length < announced)
    throw new LlmError('truncated', `the connection ended after ${length} of ${announced} bytes of the file`)
}

function toFile(data: Uint8Array, contentType: string, sink: Sink): ResponseBytes {
  if (contentType.includes('json')) {
    const value = tryParseJson(toText(data))
    if (hasError(value)) sink.fail({ body: value })
    throw new LlmError('protocol', 'the server returned JSON in place of a file; check the base URL and the model')
  }
  if (!data.length) throw new LlmError('protocol', 'the server returned an empty file')
  return { data, contentType }
}

const toText = (data: Uint8Array): string => decodeUtf8(new TextDecoder('utf-8', { fatal: true }), data)

const hasError = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Boolean((value as { readonly error?: unknown }).error)
