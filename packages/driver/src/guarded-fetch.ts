import { LlmError, parseBaseUrl, ProviderError } from '@modelport/core'
import type { Fetch, HttpFailure } from './driver.js'
import { toByteSource } from './byte-source.js'
import { maxErrorBytes } from './limits.js'
import { toNetworkError } from './network-error.js'
import { tryParseJson } from './parse-json.js'

/** What every request of one attempt is held to. */
export interface FetchGuard {
  readonly provider: string
  readonly fetch: Fetch
  readonly signal: AbortSignal
  /** `host:port` list; undefined allows any host. */
  readonly allowedHosts: readonly string[] | undefined
  /** Names a failed response. */
  error(failure: HttpFailure): ProviderError
  /** Told of each failure: an SDK would wrap it beyond recognition. */
  failed(error: LlmError): void
  /** Told of the host of each request before it is sent. */
  contacted(host: string): void
}

/** A `fetch` that checks the host, refuses redirects, and rejects a failed response with a typed error and a bounded body. */
export function createGuardedFetch(guard: FetchGuard): Fetch {
  return async (input, init) => {
    let host: string | undefined
    try {
      host = parseBaseUrl(typeof input === 'object' && 'url' in input ? input.url : String(input)).host
      return await guardedFetch(guard, host, input, init)
    } catch (thrown) {
      const error = thrown instanceof LlmError ? thrown : toNetworkError(thrown, guard.provider, host)
      guard.failed(error)
      throw error
    }
  }
}

async function guardedFetch(
  guard: FetchGuard,
  host: string,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const { provider } = guard
  guard.contacted(host)
  if (guard.allowedHosts && !guard.allowedHosts.includes(host)) {
    throw new LlmError('config', `${host} is not among the allowed hosts (${guard.allowedHosts.join(', ') || 'none'})`)
  }
  const body = typeof init.body === 'string' && { body: init.body.replace(halfPair, '\\ufffd') }
  const response = await guard.fetch(input, { ...init, ...body, redirect: 'manual', signal: guard.signal })
  const { status, headers, type } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    toByteSource(response).cancel()
    const message = `${host} answers with a redirect; set the base URL to its target if you trust it`
    throw new ProviderError('redirect-refused', message, { provider, ...(status && { status }) })
  }
  if (response.ok) return response
  const text = await readErrorText(response)
  throw Object.assign(guard.error({ status, headers, body: tryParseJson(text), text, inBand: false }), { host })
}

/** Half of a surrogate pair, as `JSON.stringify` writes it; it writes nothing else so. Several vendors refuse it. */
const halfPair = /\\ud...(?<=[^\\](\\\\)*\\ud...)/g

/** The start of an error's body; a failing connection ends it early, since the status says enough. */
async function readErrorText(response: Response): Promise<string> {
  const source = toByteSource(response)
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let room = maxErrorBytes; room > 0; ) {
      const chunk = await source.read()
      if (!chunk) return text
      text += decoder.decode(chunk.subarray(0, room), { stream: true })
      room -= chunk.length
    }
    source.cancel()
  } catch {
    // What was read so far is kept.
  }
  return text
}
