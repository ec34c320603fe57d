import { configError, isObject } from '@modelport/core'

/** Recorded HTTP, with every secret taken out: plain JSON. */
export interface Cassette {
  readonly version: 1
  /** In the order in which the requests were sent. */
  readonly exchanges: readonly CassetteExchange[]
}

/** One request and what came of it. */
export interface CassetteExchange {
  /** What was sent. */
  readonly request: CassetteRequest
  /** What came back, or how it failed. */
  readonly response: CassetteResponse | CassetteFailure
}

/** A request as it was sent. */
export interface CassetteRequest {
  /** HTTP method. */
  readonly method: string
  /** The whole address, without secrets. */
  readonly url: string
  /**
   * Lower-case names; those that change from run to run are left out, values of secret ones read
   * `[redacted]`.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or the text if it is not JSON; unset if there is no body. */
  readonly body?: unknown
}

/** A response as it came. */
export interface CassetteResponse {
  /** Status of the response. */
  readonly status: number
  /** Headers of the response, without secrets. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The body in the chunks in which it was read, without content encoding; a chunk that is not
   * valid UTF-8 on its own is in base64.
   */
  readonly chunks: readonly (string | { readonly base64: string })[]
  /** True when the body was not read to its end: the connection failed, or the reader left. */
  readonly cut?: true
}

/** A request that got no response. */
export interface CassetteFailure {
  /** What the transport rejected with. */
  readonly error: { readonly message: string; readonly code?: string }
}

/**
 * Reads what was stored.
 * @throws {LlmError} `config` — it is not a cassette, its version is unknown, or an exchange is
 * damaged.
 */
export function parseCassette(stored: unknown): Cassette {
  const { version, exchanges } = (stored ?? {}) as Partial<Record<keyof Cassette, unknown>>
  if (version !== 1) {
    const what =
      version === undefined
        ? 'not a cassette: it has no version'
        : `a cassette of version ${JSON.stringify(version)}; this package reads version 1`
    throw configError(`cassette: ${what}`)
  }
  if (!Array.isArray(exchanges))
    throw configError('cassette: "exchanges" must be a list; record the cassette again')
  const damaged = exchanges.findIndex((exchange) => !isExchange(exchange))
  if (damaged >= 0)
    throw configError(`cassette: exchange ${damaged + 1} is damaged; record the cassette again`)
  return { version, exchanges: exchanges as Cassette['exchanges'] }
}

function isExchange(exchange: unknown): boolean {
  const { request, response } = isObject(exchange) ? exchange : {}
  if (!isObject(request) || !isObject(response)) return false
  const { method, url, headers, body } = request
  const { error, status, headers: received, chunks } = response

  const isRequest =
    typeof method === 'string' &&
    URL.canParse(String(url)) &&
    isTexts(headers) &&
    // A body that is nested too deeply cannot be compared.
    works(() => JSON.stringify(body))
  if (!isRequest) return false
  if (error !== undefined) return isObject(error) && typeof error['message'] === 'string'
  return (
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    isTexts(received) &&
    Array.isArray(chunks) &&
    chunks.every(isChunk)
  )
}

const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')

const isChunk = (chunk: unknown): boolean =>
  typeof chunk === 'string' || (isObject(chunk) && works(() => atob(String(chunk['base64']))))

function works(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/**
 * The bytes as a string with one character for each. Such strings can be joined and searched for
 * secrets, even if a chunk ends inside a UTF-8 character.
 */
export function toBinary(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  return binary
}

/** The chunk of a cassette for these bytes. */
export function toChunk(binary: string): CassetteResponse['chunks'][number] {
  try {
    return decodeUtf8(fromBinary(binary))
  } catch {
    return { base64: btoa(binary) }
  }
}

/** The bytes of a chunk. */
export const toBytes = (chunk: CassetteResponse['chunks'][number]): Uint8Array<ArrayBuffer> =>
  typeof chunk === 'string' ? new TextEncoder().encode(chunk) : fromBinary(atob(chunk.base64))

const fromBinary = (binary: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(binary, (character) => character.charCodeAt(0))

/** The text of these bytes, a byte order mark kept. Throws if they are not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string {
  // eslint-disable-next-line no-restricted-globals -- stores bytes as text that gives the same bytes again; reads no wire
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
