import { LlmError } from './error.js'

/** A base URL in normal form. */
export interface BaseUrl {
  /** Scheme, host, port unless it is the scheme's default, and path without a trailing slash. */
  readonly href: string
  /** `host:port`, the port always present, IPv6 in brackets: what a sandbox must allow. */
  readonly host: string
}

/**
 * Parses a base URL with the platform's own parser. Drops query, fragment, surrounding spaces and a
 * dot at the end of the host. Parsing the result's `href` gives the same result.
 * @throws {LlmError} `invalid-base-url` — not an absolute http(s) URL, or it has user information,
 * a tab, a line break, NUL or port 0.
 */
export function parseBaseUrl(text: string): BaseUrl {
  // The value itself is never repeated: it may hold a password.
  const fail = (why: string): never => {
    throw new LlmError('invalid-base-url', `invalid base URL: ${why}`)
  }
  // oxlint-disable-next-line no-control-regex -- the URL parser drops some of these silently
  if (/[\u0000-\u001f\u007f]/.test(text)) fail('it has a control character')
  if (!URL.canParse(text)) fail('write it like https://host.example/v1')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    fail(`the scheme is ${url.protocol} instead of https: or http:; write http://host:port`)
  }
  if (url.username || url.password) fail('it has user information; pass a key as apiKey')
  const hostname = url.hostname.replace(/\.$/, '')
  const { port } = url
  const host = `${hostname}:${port || (url.protocol === 'https:' ? 443 : 80)}`
  if (!/^(\[[0-9a-f:]+\]|[a-z0-9.-]*[a-z0-9-]):[1-9]/.test(host))
    fail('its host or its port is not valid')
  return {
    href: `${url.protocol}//${hostname}${port && `:${port}`}${url.pathname.replace(/(?<!\/)\/+$/, '')}`,
    host,
  }
}
