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
  const find = (name: 'code' | 'proxy'): string | undefined =>
    chain
      .map((error) => (error as { readonly code?: unknown; readonly proxy?: unknown })[name])
      .find((value) => typeof value === 'string')
  const code = find('code')
  const texts = chain
    .map(({ message }) => message)
    .filter((message) => message && message !== 'fetch failed')
  // Node's own fetch uses this message for a proxy that refuses, too; the cause has the reason.
  const raw =
    texts.find((message) => message !== 'Request was cancelled.') ?? texts[0] ?? String(thrown)
  const text = openSslLine.exec(raw.slice(0, 2048))?.[1] ?? raw
  const refusal = proxyRefusal.exec(text)?.[1]
  const reason = refusal
    ? 'proxy'
    : code === undefined
      ? undefined
      : tls.test(code)
        ? 'tls'
        : reasons[code]
  const details = defined({ provider, host, reason, status: refusal ? Number(refusal) : undefined })
  const cause = Object.assign(new Error(text), defined({ code }))
  cause.stack = `${cause.name}: ${text}`
  const foreign =
    chain.some(({ name }) => name === 'HTTPParserError') || code?.startsWith('HPE_') === true
  const kind =
    refusal === '407' ? 'auth' : foreign ? 'protocol' : reason === 'connect' ? 'timeout' : 'network'
  const proxy = find('proxy')
  // A proxy is the only address that is dialled.
  if (proxy && (reason === 'dns' || reason === 'refused')) {
    const message = `the proxy ${proxy} cannot be reached: ${text}; start it, or correct its address`
    return new ProviderError(kind, `${provider}: ${kind} (${reason}): ${message}`, details, {
      cause,
    })
  }
  const where = `${reason ? ` (${reason})` : ''}${host ? ` at ${host}` : ''}${proxy ? ` through the proxy ${proxy}` : ''}`
  const what = !refusal
    ? `${foreign ? "the server's response is not HTTP: " : ''}${text}${schemeHint(code, secure, foreign || reason === 'reset')}`
    : `the proxy refused the connection with ${refusal}: ${refusal === '407' ? 'set a user and password that it knows, http://user:password@host:port' : 'it, or the sandbox that it belongs to, must allow that host'}`
  return new ProviderError(kind, `${provider}: ${kind}${where}: ${what}`, details, { cause })
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
