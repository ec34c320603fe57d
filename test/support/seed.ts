const { SEED = '20261121' } = process.env

/**
 * Where chance begins in every test: the same each time, unless the variable SEED says where else.
 */
export const seed: number = Number(SEED)
if (!Number.isInteger(seed)) throw new Error(`SEED must be a whole number, not ${SEED}`)

/** Random numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function random(from: number): () => number {
  let a = from
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** The same as whole numbers from 0 to below what is asked. */
export function randomBelow(from: number): (below: number) => number {
  const next = random(from)
  return (below) => Math.floor(next() * below)
}
