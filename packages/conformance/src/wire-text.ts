import type { WireResponse } from './wire-format.js'

const isSse = (response: WireResponse): boolean =>
  (response.headers['content-type'] ?? '').includes('event-stream')

/** The same reply as other servers and proxies write it: none of these changes its meaning. */
export const disguises: Readonly<Record<string, (response: WireResponse) => WireResponse>> = {
  'CRLF line ends': (response) => mapPieces(response, (piece) => piece.replace(/\r?\n/g, '\r\n')),
  'CR line ends': (response) =>
    isSse(response) ? mapPieces(response, (piece) => piece.replace(/\r?\n/g, '\r')) : response,
  'LF line ends': (response) => mapPieces(response, (piece) => piece.replace(/\r\n/g, '\n')),
  'no line end after the last event': (response) => ({
    ...response,
    pieces: [...response.pieces.slice(0, -1), (response.pieces.at(-1) ?? '').trimEnd()],
  }),
  'a byte order mark': (response) => ({
    ...response,
    pieces: [`\ufeff${response.pieces[0] ?? ''}`, ...response.pieces.slice(1)],
  }),
  'comments and pings': (response) =>
    isSse(response) ? between(response, ': ping\n\n:\n\nretry: 1000\nid: 7\n\n') : response,
  'empty lines': (response) => between(response, '\n\n'),
  'no space after the colon': (response) =>
    isSse(response)
      ? mapPieces(response, (piece) => piece.replace(/^(data|event): /gm, '$1:'))
      : response,
}

function mapPieces(response: WireResponse, change: (piece: string) => string): WireResponse {
  return { ...response, pieces: response.pieces.map(change) }
}

function between(response: WireResponse, text: string): WireResponse {
  return { ...response, pieces: response.pieces.flatMap((piece) => [text, piece]) }
}

/** A record that is not JSON, framed like the reply's own. */
export const brokenPiece = (response: WireResponse, text: string): string =>
  isSse(response) ? `data: ${text}\n\n` : `${text}\n`

/** The reply's bytes in two chunks. */
export function inTwo(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

/** The bytes in chunks of this size. */
export function inChunks(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

/** The reply's bytes one by one. */
export function inBytes(bytes: Uint8Array): Uint8Array[] {
  return inChunks(bytes, 1)
}

/** The reply's bytes in random chunks; the same seed gives the same chunks. */
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
