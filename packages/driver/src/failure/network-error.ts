import { ProviderError, type ProviderErrorDetails } from '@modelport/core'
import { defined } from '../base/defined.js'

type Reason = NonNullable<ProviderErrorDetails['reason']>

const reasons: Readonly<Record<string, Reason>> = {
  ENOTFOUND: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ConnectionRefused: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ERR_STREAM_PREMATURE_CLOSE: 'reset',
  ConnectionClosed: 'reset',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ETIMEDOUT: 'connect',
}

/** Codes of refused certificates and failed handshakes, as Node and Bun spell them. */
const tls =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO|HOSTNAME_MISMATCH|UNKNOWN_CERTIFICATE)/

/** A proxy that refuses a connection (4xx) will refuse it again; one that failed (5xx) may not. */
const proxyRefusal = /^Proxy (?:response|Authentication Required) \((4\d\d)\)/

/** Codes of a handshake with a server that does not speak TLS, mostly in plain HTTP. */
const plainHttp = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$|^EPROTO$/

/**
 * OpenSSL's own line:
 * `80BC...:error:0A00010B:SSL routines:tls_get_more_records:packet length too long:../deps/...:`
 */
const openSslLine = /error:[\dA-F]{8}:[^:\n]{0,80}:[^:\n]{0,80}:([^:\n]{1,120})/

/**
 * Turns whatever a `fetch` or a socket threw before a response into a typed error. Only its code
 * and text are kept, as a plain cause. `secure` is false for an address of plain HTTP.
 */
export function toNetworkError(
  thrown: unknown,
  provider: string,
  host: string | undefined,
  secure = true,
): ProviderError {
  const chain = causes(thrown)
  const code = fieldOf(chain, 'code')
  const proxy = fieldOf(chain, 'proxy')
  const text = messageOf(chain, thrown)

  const refusal = proxyRefusal.exec(text)?.[1]
  const reason = refusal ? 'proxy' : reasonOf(code)
  const isForeign =
    chain.some(({ name }) => name === 'HTTPParserError') || code?.startsWith('HPE_') === true
  const kind = kindOf({ refusal, reason, isForeign })

  const details = defined({ provider, host, reason, status: refusal ? Number(refusal) : undefined })
  const cause = Object.assign(new Error(text), defined({ code }))
  cause.stack = `${cause.name}: ${text}`

  // A proxy is the only address that is dialled.
  if (proxy && (reason === 'dns' || reason === 'refused')) {
    const message = `the proxy ${proxy} cannot be reached: ${text}; start it, or correct its address`
    return new ProviderError(kind, `${provider}: ${kind} (${reason}): ${message}`, details, {
      cause,
    })
  }

  const where = [
    reason && ` (${reason})`,
    host && ` at ${host}`,
    proxy && ` through the proxy ${proxy}`,
  ]
  const isBroken = isForeign || reason === 'reset'
  const failure = `${isForeign ? "the server's response is not HTTP: " : ''}${text}`
  const what = refusal
    ? describeRefusal(refusal)
    : `${failure}${schemeHint(code, secure, isBroken)}`
  const message = `${provider}: ${kind}${where.filter(Boolean).join('')}: ${what}`
  return new ProviderError(kind, message, details, { cause })
}

/** The first text that one of the errors has under this name. */
function fieldOf(chain: readonly Error[], name: 'code' | 'proxy'): string | undefined {
  return chain
    .map((error) => (error as { readonly code?: unknown; readonly proxy?: unknown })[name])
    .find((value) => typeof value === 'string')
}

/** The message that says most; of a line of OpenSSL, its reason. */
function messageOf(chain: readonly Error[], thrown: unknown): string {
  const texts = chain
    .map(({ message }) => message)
    .filter((message) => message && message !== 'fetch failed')
  // Node's own fetch uses this message for a proxy that refuses, too; the cause has the reason.
  const text =
    texts.find((message) => message !== 'Request was cancelled.') ?? texts[0] ?? String(thrown)
  return openSslLine.exec(text.slice(0, 2048))?.[1] ?? text
}

function reasonOf(code: string | undefined): Reason | undefined {
  if (code === undefined) return undefined
  return tls.test(code) ? 'tls' : reasons[code]
}

function kindOf({
  refusal,
  reason,
  isForeign,
}: {
  readonly refusal: string | undefined
  readonly reason: Reason | undefined
  readonly isForeign: boolean
}): 'auth' | 'protocol' | 'timeout' | 'network' {
  if (refusal === '407') return 'auth'
  if (isForeign) return 'protocol'
  return reason === 'connect' ? 'timeout' : 'network'
}

/** What a proxy that refuses wants. */
function describeRefusal(status: string): string {
  const advice =
    status === '407'
      ? 'set a user and password that it knows, http://user:password@host:port'
      : 'it, or the sandbox that it belongs to, must allow that host'
  return `the proxy refused the connection with ${status}: ${advice}`
}

/**
 * The advice if the two sides may differ on TLS. `broken`: the server closed, or wrote what is not
 * HTTP.
 */
function schemeHint(code = '', secure: boolean, broken: boolean): string {
  if (plainHttp.test(code))
    return '; the server does not seem to use TLS at this port: write http:// in the base URL, or correct the port'
  return broken && !secure
    ? '; if the server uses TLS at this port, write https:// in the base URL'
    : ''
}

function causes(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error && chain.length < 8; error = error.cause) {
    chain.push(error)
    if (error instanceof AggregateError)
      chain.push(...error.errors.filter((inner) => inner instanceof Error))
  }
  return chain
}
