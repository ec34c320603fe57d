import { createHash } from 'node:crypto'

const seal = /^(.*),\n "sha256": "([0-9a-f]{64})"\n\}\n$/s

/**
 * A value as JSON that says itself what its sum is, in its last field. A rename is all or nothing, but a disk that rots, a copy that was
 * cut and a program that merges files are not, and what they leave can still be JSON: a conversation that lacks a message, or says what
 * nobody said. The sum is against damage, not against whoever means to deceive: they can make a new one.
 */
export function toSealed(json: string): string {
  return `${json.slice(0, -2)},\n "sha256": "${sumOf(json)}"\n}\n`
}

/** The JSON that was sealed; undefined where it was not, or the text is no longer the same. */
export function fromSealed(text: string): string | undefined {
  const [, start, sum] = seal.exec(text) ?? []
  const json = `${start}\n}`
  return start !== undefined && sumOf(json) === sum ? json : undefined
}

const sumOf = (json: string): string => createHash('sha256').update(json).digest('hex')
