/** One 53-bit hash of a text (cyrb53). */
function hashWith(text: string, seed: number): number {
  let a = 0xdeadbeef ^ seed
  let b = 0x41c6ce57 ^ seed
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/**
 * A hash of 106 bits that distinguishes texts, computed synchronously. It is not cryptographic:
 * collisions can be constructed.
 */
export const textHash = (text: string): string =>
  `${hashWith(text, 0).toString(36)}-${hashWith(text, 1).toString(36)}`
