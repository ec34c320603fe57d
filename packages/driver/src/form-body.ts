import type { MediaBytes } from '@modelport/core'

/** One field of a form: text, or a file with the name it is given. Fields of one name may repeat. */
export type FormField = readonly [name: string, value: string | (MediaBytes & { readonly fileName: string })]

/** A form as it is sent. */
export interface FormBody {
  /** The whole body. */
  readonly data: Uint8Array
  /** Value of the `content-type` header. */
  readonly contentType: string
}

const encoder = new TextEncoder()

/**
 * Encodes fields as `multipart/form-data`. The boundary depends on the fields only, so that every attempt sends the same bytes and a
 * cassette recognizes them.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function toFormBody(fields: readonly FormField[]): FormBody {
  const binary = fields.map(([, value]) => (typeof value === 'string' ? encoder.encode(value) : value.data))
  const boundary = freeBoundary(binary)
  const chunks = fields.flatMap(([name, value], index) => {
    const isFile = typeof value !== 'string'
    const file = isFile ? `; filename="${escape(value.fileName)}"\r\ncontent-type: ${oneLine(value.mediaType)}` : ''
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escape(name)}"${file}\r\n\r\n`
    return [encoder.encode(head), binary[index] as Uint8Array, encoder.encode('\r\n')]
  })
  return {
    data: concatBytes([...chunks, encoder.encode(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

/** These bytes one after the other. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let position = 0
  for (const chunk of chunks) {
    all.set(chunk, position)
    position += chunk.length
  }
  return all
}

/** A boundary that no value contains. */
function freeBoundary(values: readonly Uint8Array[]): string {
  for (let number = 0; ; number++) {
    const boundary = `modelport-form-${number}`
    const wanted = encoder.encode(boundary)
    if (!values.some((value) => includes(value, wanted))) return boundary
  }
}

function includes(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const [first = 0] = wanted
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true
  return false
}

/** As browsers write a name inside of quotes. */
const escape = (text: string): string =>
  text.replace(/[\r\n"]/g, (character) => (character === '"' ? '%22' : character === '\r' ? '%0D' : '%0A'))

const oneLine = (text: string): string => text.replace(/[\r\n]/g, ' ')
