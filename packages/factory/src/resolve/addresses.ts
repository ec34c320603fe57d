import { type BaseUrl, isLlmError, LlmError, parseBaseUrl } from '@modelport/core'
import { toBase64 } from '@modelport/core/text'
import type { ResolvedModel } from '../providers/row.js'

type ProxyAddress = Omit<NonNullable<ResolvedModel['proxy']>, 'source'>

/** Parses an address; the error names its owner. */
export function parseNamed(text: string, whose: string): BaseUrl {
  try {
    return parseBaseUrl(text)
  } catch (error) {
    throw isLlmError(error) ? new LlmError(error.code, `${whose}: ${error.message}`) : error
  }
}

/**
 * Parses the address of a proxy, which may have a user and a password, as those of sandboxes do.
 */
export function parseProxy(text: string, whose: string): ProxyAddress {
  // parseBaseUrl reports invalid URLs and control characters, which the URL parser drops silently.
  // oxlint-disable-next-line no-control-regex -- see above
  const url = URL.canParse(text) && !/[\u0000-\u001f\u007f]/.test(text) ? new URL(text) : undefined
  if (!url || (!url.username && !url.password))
    return { ...parseNamed(text, whose), url: () => text.trim(), authorization: () => undefined }
  const userinfo = [url.username, url.password].map(decode).join(':')
  url.username = ''
  url.password = ''
  return {
    ...parseNamed(url.href, whose),
    url: () => text.trim(),
    authorization: () => `Basic ${toBase64(new TextEncoder().encode(userinfo))}`,
  }
}

/** Returns the text itself if it is not valid percent-encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
