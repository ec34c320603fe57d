import type { Fields } from './sent-request.ts'

/** A file of a form; its bytes are not among the fields that are compared or printed. */
export interface SentFile {
  readonly fileName?: string
  readonly mediaType?: string
  /** Bytes. */
  readonly size: number
  readonly data: Uint8Array
}

/** Why a body is not a form. */
export class FormError extends Error {}

/** A file as it stands among the fields of a form. */
export function toSentFile(data: Uint8Array, fileName?: string, mediaType?: string): SentFile {
  const shown = {
    ...(fileName !== undefined && { fileName }),
    ...(mediaType && { mediaType }),
    size: data.length,
  }
  return Object.defineProperty(shown, 'data', { value: data }) as SentFile
}

/**
 * Reads `multipart/form-data` as strict servers do. A name that ends in `[]` has a list, a name
 * that repeats too; every other name has a text or a file.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 * @throws {FormError} the body is not a form.
 */
export function parseForm(contentType: string, bytes: Uint8Array): Fields {
  const boundary = /^multipart\/form-data; ?boundary="?([\w'()+,./:=?-]{1,70})"?$/.exec(
    contentType,
  )?.[1]
  if (!boundary)
    throw new FormError(
      `the content type is ${contentType || 'missing'}, not a form with a boundary`,
    )
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const first = `--${boundary}\r\n`
  if (body.subarray(0, first.length).toString('latin1') !== first)
    throw new FormError('the body does not begin with the boundary')
  const fields: Record<string, unknown> = {}
  let position = first.length
  for (;;) {
    const end = body.indexOf(`\r\n--${boundary}`, position)
    if (end < 0) throw new FormError('a part has no end')
    add(fields, readPart(body.subarray(position, end)))
    position = end + boundary.length + 4
    const rest = body.subarray(position, position + 2).toString('latin1')
    position += 2
    if (rest === '--') break
    if (rest !== '\r\n') throw new FormError('a boundary does not end its line')
  }
  if (body.subarray(position).toString('latin1').trim())
    throw new FormError('there is something after the last boundary')
  return fields
}

interface Part {
  readonly name: string
  readonly value: string | SentFile
}

function readPart(part: Buffer): Part {
  const end = part.indexOf('\r\n\r\n')
  if (end < 0) throw new FormError('a part has no headers')
  const headers = new Map(
    part
      .subarray(0, end)
      .toString('utf8')
      .split('\r\n')
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split(':')
        return [name.toLowerCase(), value.join(':').trim()]
      }),
  )
  const disposition = /^form-data; name="([^"\r\n]+)"(?:; filename="([^"\r\n]*)")?$/.exec(
    headers.get('content-disposition') ?? '',
  )
  const [, name, fileName] = disposition ?? []
  if (name === undefined) throw new FormError(`a part has no name: ${[...headers].join('; ')}`)
  const data = part.subarray(end + 4)
  if (fileName !== undefined)
    return { name, value: toSentFile(data, fileName, headers.get('content-type')) }
  const text = data.toString('utf8')
  if (!Buffer.from(text).equals(data)) throw new FormError(`the field ${name} is not UTF-8`)
  return { name, value: text }
}

function add(fields: Record<string, unknown>, { name, value }: Part): void {
  const before = fields[name]
  if (Array.isArray(before)) before.push(value)
  else if (before !== undefined) fields[name] = [before, value]
  else fields[name] = name.endsWith('[]') ? [value] : value
}
