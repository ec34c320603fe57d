import { type BaseUrl, parseBaseUrl } from '@modelport/core'

/** A parsed proxy address. */
export interface ProxyAddress extends BaseUrl {
  /**
   * `user:password` without percent-encoding, for `Proxy-Authorization`; '' if the address has
   * none.
   */
  readonly userinfo: string
}

/**
 * Reads the address of a proxy, which unlike a base URL may have a user and a password:
 * `http://user:password@proxy.local:3128`. Neither `href` nor `host` nor any message has them.
 * @throws {LlmError} `invalid-base-url` — not an absolute http(s) URL.
 */
export function parseProxy(text: string): ProxyAddress {
  // The URL parser drops control characters silently. parseBaseUrl reports them, and invalid URLs.
  // oxlint-disable-next-line no-control-regex -- see above
  if (!URL.canParse(text) || /[\u0000-\u001f\u007f]/.test(text))
    return { ...parseBaseUrl(text), userinfo: '' }
  const url = new URL(text)
  const { username, password } = url
  url.username = ''
  url.password = ''
  return {
    ...parseBaseUrl(url.href),
    userinfo: username || password ? `${decode(username)}:${decode(password)}` : '',
  }
}

/**
 * The secrets in a proxy's address: the password, or a user without a password; as written, and
 * without percent-encoding.
 */
export function proxySecrets(proxy = ''): string[] {
  if (!URL.canParse(proxy)) return []
  const { username, password } = new URL(proxy)
  return [password || username, decode(password || username)]
}

/** Decodes percent-encoding; returns text with invalid encoding unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
