import { createHash } from 'node:crypto'

const seal = /^(.*),\n "sha256": "([0-9a-f]{64})"\n\}\n$/s

/**
 * A value as JSON whose last field is its own checksum. A rename is all or nothing, but a failing
 * disk, an incomplete copy and a program that merges files can leave valid JSON with a message
 * missing or with words that nobody said. The checksum finds damage only: an attacker can make a
 * new one.
 */
export function toSealed(json: string): string {
  return `${json.slice(0, -2)},\n "sha256": "${sumOf(json)}"\n}\n`
}

/** The JSON that was sealed; undefined if there is no seal, or the text has changed. */
export function fromSealed(text: string): string | undefined {
  const [, start, sum] = seal.exec(text) ?? []
  const json = `${start}\n}`
  return start !== undefined && sumOf(json) === sum ? json : undefined
}

const sumOf = (json: string): string => createHash('sha256').update(json).digest('hex')
