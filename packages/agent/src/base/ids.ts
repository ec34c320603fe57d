/** Where time and randomness come from; tests inject their own. */
export interface Entropy {
  /** Milliseconds since 1970. */
  now(): number
  /** Fills the array with random bytes and returns it. */
  random(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>
}

/**
 * Random bytes that are not used yet: asking the platform for many at once costs as much as asking
 * for a few.
 */
const pool = new Uint8Array(4_096)
let used = pool.length

function takeRandom(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length > pool.length) return crypto.getRandomValues(bytes)
  if (used + bytes.length > pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  bytes.set(pool.subarray(used, used + bytes.length))
  // Used bytes are erased, so that later reads of the memory do not reveal them.
  pool.fill(0, used, used + bytes.length)
  used += bytes.length
  return bytes
}

/** The clock and the cryptographic random source of the platform. */
export const systemEntropy: Entropy = Object.freeze({ now: () => Date.now(), random: takeRandom })

/** The kinds of ids. */
export type IdPrefix = 'task' | 'ctx' | 'msg' | 'art' | 'run' | 'appr' | 'evt'

const hexOf: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

const toHex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += hexOf[byte] ?? ''
  return text
}

/**
 * An id: prefix, time (UTC, to the second) and 128 random bits, for example
 * `task_20261122193000_6f1c…`.
 */
export function createId(prefix: IdPrefix, entropy: Entropy = systemEntropy): string {
  const at = timestampOf(entropy)
  const time =
    at.slice(0, 4) +
    at.slice(5, 7) +
    at.slice(8, 10) +
    at.slice(11, 13) +
    at.slice(14, 16) +
    at.slice(17, 19)
  return `${prefix}_${time}_${toHex(entropy.random(new Uint8Array(16)))}`
}

let lastTime = NaN
let lastText = ''

/** The time as ISO 8601 in UTC with milliseconds, the form of every timestamp here. */
export function timestampOf(entropy: Entropy = systemEntropy): string {
  const now = entropy.now()
  // Fast path: a task takes several timestamps in one millisecond.
  if (now !== lastTime) {
    lastText = new Date(now).toISOString()
    lastTime = now
  }
  return lastText
}
