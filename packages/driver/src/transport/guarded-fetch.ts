import { configError, LlmError, ProviderError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { toByteSource } from '../base/byte-source.js'
import type { Clock } from '../base/clock.js'
import type { Fetch, HttpFailure } from '../base/driver.js'
import { errorBodyMs, maxErrorBytes } from '../base/limits.js'
import { type Target, toTarget } from '../base/target.js'
import { toNetworkError } from '../failure/network-error.js'

/** Where a request goes. */
export interface RequestTarget {
  readonly host: string
  /** Without its query, which may hold a key. */
  readonly url: string
  readonly method: string
}

/** Rules for every request of one attempt. */
export interface FetchGuard {
  readonly provider: string
  readonly fetch: Fetch
  readonly signal: AbortSignal
  /** `host:port` list; undefined allows any host. */
  readonly allowedHosts: readonly string[] | undefined
  readonly clock: Clock
  /** Names a failed response. */
  error(failure: HttpFailure): ProviderError
  /** Called with each failure: an SDK would wrap it beyond recognition. */
  failed(error: LlmError): void
  /** Called with the target of each request before it is sent. */
  contacted(target: RequestTarget): void
  /** Called once the headers of a response are there. */
  responded(): void
}

/**
 * A `fetch` that checks the host, refuses redirects, and rejects a failed response with a typed
 * error and a bounded body.
 */
export function createGuardedFetch(guard: FetchGuard): Fetch {
  return async (input, init) => {
    let target: Target | undefined
    try {
      target = toTarget(addressOf(input))
      return await guardedFetch(guard, target, input, init)
    } catch (thrown) {
      const secure = target?.origin.startsWith('https:') ?? true
      const error =
        thrown instanceof LlmError
          ? thrown
          : toNetworkError(thrown, guard.provider, target?.host, secure)
      guard.failed(error)
      throw error
    }
  }
}

const addressOf = (input: string | URL | Request): string =>
  typeof input === 'object' && 'url' in input ? input.url : String(input)

async function guardedFetch(
  guard: FetchGuard,
  { host, url }: Target,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const { provider } = guard
  const method =
    init.method ?? (typeof input === 'object' && 'method' in input ? input.method : 'GET')
  guard.contacted({ host, url, method })
  if (guard.allowedHosts && !guard.allowedHosts.includes(host)) {
    throw configError(
      `${host} is not among the allowed hosts (${guard.allowedHosts.join(', ') || 'none'})`,
    )
  }
  const suspectBody =
    typeof init.body === 'string' && init.body.includes('\\ud') ? init.body : undefined
  const body = suspectBody !== undefined &&
    isJson(init.headers) && { body: suspectBody.replace(halfPair, '\\ufffd') }
  const response = await guard.fetch(input, {
    ...init,
    ...body,
    redirect: 'manual',
    signal: guard.signal,
  })
  guard.responded()
  const { status, type } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    toByteSource(response).cancel()
    const message = `${host} redirects; set the base URL to the target if you trust it`
    throw new ProviderError('redirect-refused', message, { provider, ...(status && { status }) })
  }
  if (response.ok) return response
  const text = await readErrorText(response, guard.clock)
  throw Object.assign(
    guard.error({
      status,
      headers: response.headers,
      body: tryParseJson(text),
      text,
      inBand: false,
    }),
    { host },
  )
}

const isJson = (headers: HeadersInit | undefined): boolean =>
  /json|^$/i.test(new Headers(headers).get('content-type') ?? '')

/**
 * A lone surrogate as `JSON.stringify` escapes it; it escapes nothing else this way. Several
 * vendors refuse it.
 */
const halfPair = /\\ud...(?<=[^\\](\\\\)*\\ud...)/g

/**
 * The start of an error's body; a failing or silent connection ends it early, since the status says
 * enough.
 */
async function readErrorText(response: Response, clock: Clock): Promise<string> {
  const source = toByteSource(response)
  const decoder = new TextDecoder()
  let text = ''
  const { promise: silence, reject: stop }: PromiseWithResolvers<never> = Promise.withResolvers()
  silence.catch(() => undefined)
  const cancel = clock.after(errorBodyMs, () => {
    stop(new Error('the body of the error did not arrive'))
  })
  try {
    for (let room = maxErrorBytes; room > 0; ) {
      const chunk = await Promise.race([source.read(), silence])
      if (!chunk) return text
      text += decoder.decode(chunk.subarray(0, room), { stream: true })
      room -= chunk.length
    }
  } catch {
    // What was read so far is kept.
  } finally {
    cancel()
    source.cancel()
  }
  return text
}
