import { lookup as resolve } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress, isPrivateHost } from './private-address.js'
import type { PushRequest, PushSender } from './push.js'

/** How addresses are checked. */
export interface PushSenderOptions {
  /** True allows private addresses and `http:`, for tests. Default false. */
  readonly allowInsecure?: boolean
  /** Resolves names. Default: the resolver of the system. */
  readonly lookup?: LookupFunction
}

/**
 * Refuses private addresses when the connection is made: a name that resolved to a public address a moment ago may be private now. If any of the
 * addresses of a name is private, all are refused.
 */
const guard =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const [first] = error ? [] : addresses
      if (error || !first) {
        callback(error ?? new Error('the name has no address'), '', 4)
        return
      }
      if (addresses.some(({ address }) => isPrivateAddress(address))) {
        callback(Object.assign(new Error('the push URL resolves to a private address'), { code: 'EACCES' }), '', 4)
        return
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

/** Makes a sender of push notifications: it checks the address when it connects, follows no redirect, and reads no body. */
export function createPushSender({ allowInsecure = false, lookup = resolve }: PushSenderOptions = {}): PushSender {
  return ({ url, headers, body, timeoutMs }: PushRequest) =>
    new Promise((succeed, fail) => {
      const target = new URL(url)
      const isHttps = target.protocol === 'https:'
      if (!isHttps && !(allowInsecure && target.protocol === 'http:')) {
        fail(new Error('the push URL must be https:'))
        return
      }
      if (!allowInsecure && isPrivateHost(target.hostname)) {
        fail(new Error('the push URL has a private address'))
        return
      }
      const send = isHttps ? requestHttps : requestHttp
      const outgoing = send(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': new TextEncoder().encode(body).byteLength },
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
        ...(!allowInsecure && { lookup: guard(lookup) }),
      })
      outgoing.on('response', (response) => {
        response.destroy()
        succeed(response.statusCode ?? 0)
      })
      outgoing.on('error', fail)
      outgoing.end(body)
    })
}
