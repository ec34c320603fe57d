/** A text, and where each of its characters starts and ends in the escaped text that it was decoded from. */
export interface EscapedText {
  readonly text: string
  readonly starts?: Uint32Array
  readonly ends?: Uint32Array
}

const escapes =
  /\\u([\da-f]{4})|\\x([\da-f]{2})|\\([^])|%([0-7][\da-f])|&#x([\da-f]{1,4});|&#(\d{1,5});|&(amp|lt|gt|quot|apos);/gi
const named: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
}

/** The text with its JSON, percent and HTML escapes decoded once, or undefined if it has none. Positions refer to the original text. */
export function decodeEscapes({ text, starts, ends }: EscapedText): EscapedText | undefined {
  if (text.search(escapes) < 0) return undefined
  const newStarts = new Uint32Array(text.length)
  const newEnds = new Uint32Array(text.length)
  const parts: string[] = []
  let length = 0
  const add = (characters: string, start: number, end: number, escaped: boolean): void => {
    parts.push(characters)
    for (let i = 0; i < characters.length; i++) {
      const first = escaped ? start : start + i
      const last = escaped ? end - 1 : start + i
      newStarts[length] = starts?.[first] ?? first
      newEnds[length++] = ends?.[last] ?? last + 1
    }
  }
  let position = 0
  for (const match of text.matchAll(escapes)) {
    const [whole, unicode, byte, single, percent, entityHex, entity, name] = match
    const hex = unicode ?? byte ?? percent ?? entityHex
    const letter = single ?? name?.toLowerCase()
    add(text.slice(position, match.index), position, match.index, false)
    const decoded =
      letter === undefined
        ? String.fromCharCode(hex === undefined ? Number(entity) : parseInt(hex, 16))
        : (named[letter] ?? letter)
    position = match.index + whole.length
    add(decoded, match.index, position, true)
  }
  add(text.slice(position), position, text.length, false)
  return { text: parts.join(''), starts: newStarts, ends: newEnds }
}
