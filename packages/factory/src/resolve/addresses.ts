import { type BaseUrl, isLlmError, LlmError, parseBaseUrl } from '@modelport/core'

/** A proxy, read. What may have a password is behind functions, so that no inspection and no log shows it. */
export interface ProxyAddress extends BaseUrl {
  /** The address as it was given, with user and password where it has them. */
  url(): string
  /** What the proxy is told in `Proxy-Authorization`; undefined for a proxy that asks for nothing. */
  authorization(): string | undefined
}

/** Reads an address, and says whose it is when it does not parse. */
export function parseNamed(text: string, whose: string): BaseUrl {
  try {
    return parseBaseUrl(text)
  } catch (error) {
    throw isLlmError(error) ? new LlmError(error.code, `${whose}: ${error.message}`) : error
  }
}

/** Reads the address of a proxy, which unlike others may have a user and a password, as those of sandboxes do. */
export function parseProxy(text: string, whose: string): ProxyAddress {
  // parseBaseUrl reports invalid URLs and control characters, which the URL parser drops silently.
  // eslint-disable-next-line no-control-regex -- see above
  const url = URL.canParse(text) && !/[\u0000-\u001f\u007f]/.test(text) ? new URL(text) : undefined
  if (!url || (!url.username && !url.password))
    return { ...parseNamed(text, whose), url: () => text.trim(), authorization: () => undefined }
  const userinfo = [url.username, url.password].map(decode).join(':')
  url.username = ''
  url.password = ''
  return { ...parseNamed(url.href, whose), url: () => text.trim(), authorization: () => `Basic ${toBase64(userinfo)}` }
}

/** Returns the text itself if it is not valid percent-encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const toBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
