/** Where time and randomness come from; tests inject their own. */
export interface Entropy {
  /** Milliseconds since 1970. */
  now(): number
  /** Fills the array with random bytes and returns it. */
  random(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>
}

/** The clock and the cryptographic random source of the platform. */
export const systemEntropy: Entropy = Object.freeze({
  now: () => Date.now(),
  random: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes),
})

/** The kinds of ids. */
export type IdPrefix = 'task' | 'ctx' | 'msg' | 'art' | 'run' | 'push' | 'appr' | 'evt'

const hexOf: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const toHex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += hexOf[byte] ?? ''
  return text
}

/** An id: prefix, time (UTC, to the second) and 128 random bits, for example `task_20261122193000_6f1c…`. */
export function createId(prefix: IdPrefix, entropy: Entropy = systemEntropy): string {
  const time = new Date(entropy.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${prefix}_${time}_${toHex(entropy.random(new Uint8Array(16)))}`
}

/** The time as ISO 8601 in UTC with milliseconds, the form of every timestamp here. */
export const timestampOf = (entropy: Entropy = systemEntropy): string => new Date(entropy.now()).toISOString()
