import { isObject } from '@modelport/core'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Marks what a reply carries through a page: a browser may change it, and what the vendor gets of
 * it is sent with the key of the server.
 */
export interface Seal {
  /** The mark of a value that goes to the page. */
  mark(value: unknown): string
  /** True for a mark of this value that was made with the same secret. */
  fits(value: unknown, mark: unknown): boolean
}

/** A secret with fewer characters is refused. */
export const leastSecretLength = 32

/**
 * A seal by HMAC-SHA-256. Without a secret its key is one of this process.
 */
export function createSeal(secret: string | undefined): Seal {
  const key = secret === undefined ? processKey() : utf8ToBytes(secret)
  const mark = (value: unknown): string =>
    bytesToHex(hmac(sha256, key, utf8ToBytes(`modelport.reply ${sortedJson(value)}`)))
  return {
    mark,
    fits: (value, given) => typeof given === 'string' && isSameText(mark(value), given),
  }
}

const place = Symbol.for('modelport.ai-sdk.seal')

/** Kept where a module that is loaded again finds it. */
const processKey = (): Uint8Array =>
  ((globalThis as Record<symbol, Uint8Array | undefined>)[place] ??= randomBytes(32))

/** A database may have changed the order of the keys. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Takes as long wherever the texts differ. */
function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
