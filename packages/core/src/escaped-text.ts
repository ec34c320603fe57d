/** A part of a text; `end` is exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A text that was decoded. */
export interface EscapedText {
  readonly text: string
  /** Where a part of it is in the text that it was decoded from. Without: it is that text. */
  readonly toOriginal?: (part: Range) => Range
}

const escapes =
  /\\u([\da-f]{4})|\\x([\da-f]{2})|\\([^])|%([0-7][\da-f])|&#x([\da-f]{1,4});|&#(\d{1,5});|&(amp|lt|gt|quot|apos);/gi
const named: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** The text with its JSON, percent and HTML escapes decoded once, or undefined if it has none. */
export function decodeEscapes({ text, toOriginal }: EscapedText): EscapedText | undefined {
  const decoded = text.replace(escapes, decode)
  // Every escape is longer than what it stands for.
  if (decoded.length === text.length) return undefined
  let places: Uint32Array | undefined
  return {
    text: decoded,
    toOriginal: ({ start, end }) => {
      places ??= placesOf(text, decoded.length)
      const part = { start: places[start] ?? 0, end: places[end] ?? 0 }
      return toOriginal?.(part) ?? part
    },
  }
}

type Group = string | undefined

function decode(
  _: string,
  unicode: Group,
  byte: Group,
  single: Group,
  percent: Group,
  ...entities: Group[]
): string {
  const [entityHex, entity, name] = entities
  const letter = single ?? name?.toLowerCase()
  if (letter !== undefined) return named[letter] ?? letter
  const hex = unicode ?? byte ?? percent ?? entityHex
  return String.fromCharCode(hex === undefined ? Number(entity) : parseInt(hex, 16))
}

/**
 * Where each character of the decoded text begins in the escaped one, and where the last one ends.
 */
function placesOf(text: string, length: number): Uint32Array {
  const places = new Uint32Array(length + 1)
  let at = 0
  let place = 0
  for (const { index, 0: escape } of text.matchAll(escapes)) {
    while (place <= index) places[at++] = place++
    place = index + escape.length
  }
  while (at <= length) places[at++] = place++
  return places
}
