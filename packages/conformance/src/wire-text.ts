import type { WireAnswer } from './wire-format.js'

const isSse = (answer: WireAnswer): boolean => (answer.headers['content-type'] ?? '').includes('event-stream')

/** The same answer as other servers and proxies write it: none of these changes its meaning. */
export const disguises: Readonly<Record<string, (answer: WireAnswer) => WireAnswer>> = {
  'CRLF line ends': (answer) => mapPieces(answer, (piece) => piece.replace(/\r?\n/g, '\r\n')),
  'CR line ends': (answer) => (isSse(answer) ? mapPieces(answer, (piece) => piece.replace(/\r?\n/g, '\r')) : answer),
  'LF line ends': (answer) => mapPieces(answer, (piece) => piece.replace(/\r\n/g, '\n')),
  'no line end after the last event': (answer) => ({
    ...answer,
    pieces: [...answer.pieces.slice(0, -1), (answer.pieces.at(-1) ?? '').trimEnd()],
  }),
  'a byte order mark': (answer) => ({
    ...answer,
    pieces: [`\ufeff${answer.pieces[0] ?? ''}`, ...answer.pieces.slice(1)],
  }),
  'comments and pings': (answer) => (isSse(answer) ? between(answer, ': ping\n\n:\n\nretry: 1000\nid: 7\n\n') : answer),
  'empty lines': (answer) => between(answer, '\n\n'),
  'no space after the colon': (answer) =>
    isSse(answer) ? mapPieces(answer, (piece) => piece.replace(/^(data|event): /gm, '$1:')) : answer,
}

function mapPieces(answer: WireAnswer, change: (piece: string) => string): WireAnswer {
  return { ...answer, pieces: answer.pieces.map(change) }
}

function between(answer: WireAnswer, text: string): WireAnswer {
  return { ...answer, pieces: answer.pieces.flatMap((piece) => [text, piece]) }
}

/** A record that is not JSON, framed like the answer's own. */
export const brokenPiece = (answer: WireAnswer, text: string): string =>
  isSse(answer) ? `data: ${text}\n\n` : `${text}\n`

/** The answer's bytes in two chunks. */
export function inTwo(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

/** The bytes in chunks of this size. */
export function inChunks(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

/** The answer's bytes one by one. */
export function inBytes(bytes: Uint8Array): Uint8Array[] {
  return inChunks(bytes, 1)
}

/** The answer's bytes in random chunks; the same seed gives the same chunks. */
export function inRandomChunks(bytes: Uint8Array, seed: number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let state = seed
  for (let from = 0; from < bytes.length; ) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    const to = from + 1 + ((state >> 8) % 40)
    chunks.push(bytes.subarray(from, to))
    from = to
  }
  return chunks
}
