interface FormFile {
  readonly data: Uint8Array
  /** For example `application/jsonl`. */
  readonly mediaType: string
  readonly fileName: string
}

/** One field of a form: text, or a file. Fields of one name may repeat. */
export type FormField = readonly [name: string, value: string | FormFile]

/** A form as it is sent. */
export interface FormBody {
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

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let position = 0
  for (const chunk of chunks) {
    all.set(chunk, position)
    position += chunk.length
  }
  return all
}

const prefix = encoder.encode('modelport-form-')
const [firstByte = 0] = prefix

/** A boundary that no value contains: its number is the smallest that follows the prefix nowhere. One scan, whatever the values contain. */
function freeBoundary(values: readonly Uint8Array[]): string {
  const used = new Set<string>()
  for (const value of values)
    for (let at = value.indexOf(firstByte); at >= 0; at = value.indexOf(firstByte, at + 1))
      if (prefix.every((byte, index) => value[at + index] === byte)) addNumbers(used, value, at + prefix.length)
  let number = 0
  while (used.has(String(number))) number++
  return `modelport-form-${number}`
}

/** Adds every number that begins here: `12` is 1 and 12. No body has room for as many as nine digits count. */
function addNumbers(used: Set<string>, value: Uint8Array, start: number): void {
  let digits = ''
  for (const byte of value.subarray(start, start + 9)) {
    if (byte < 48 || byte > 57) return
    digits += String.fromCharCode(byte)
    used.add(digits)
  }
}

/** As browsers write a name inside of quotes. */
const escape = (text: string): string =>
  text.replace(/[\r\n"]/g, (character) => (character === '"' ? '%22' : character === '\r' ? '%0D' : '%0A'))

const oneLine = (text: string): string => text.replace(/[\r\n]/g, ' ')
