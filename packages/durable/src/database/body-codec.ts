import { Buffer } from 'node:buffer'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DurableError } from './durable-error.js'

const mark = 'enc2:'

/**
 * Where a body is stored: its table, its row, what it is, and its number if it has one. It is
 * authenticated with the body, so that a body in another place, or an older one put back, cannot be
 * read.
 */
export type BodyPlace = readonly (string | number)[]

/**
 * Bodies of rows: JSON, encrypted with AES-256-GCM if there is a key. Ids, times and states stay
 * readable: they are searched for.
 */
export class BodyCodec {
  readonly #key: Uint8Array | undefined

  /** @param key of 32 bytes */
  constructor(key?: Uint8Array) {
    this.#key = key
  }

  encode(value: unknown, place: BodyPlace): string {
    return this.seal(JSON.stringify(value ?? null), place)
  }

  /** The body of a value that is JSON already. */
  seal(text: string, place: BodyPlace): string {
    if (!this.#key) return text
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(toBytes(place))
    const sealed = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return mark + sealed.toString('base64')
  }

  /** The value that `encode` was given. @throws {DurableError} `damaged`, as {@link open} */
  decode(body: unknown, place: BodyPlace): unknown {
    return this.#read(body, place, (text) => JSON.parse(text) as unknown)
  }

  /**
   * The JSON that `seal` was given.
   * @throws {DurableError} `damaged` — the body is not what was made for this place, or the key is
   * another one. With a key, a body that is not encrypted is refused too.
   */
  open(body: unknown, place: BodyPlace): string {
    return this.#read(body, place, (text) => text)
  }

  #read<Value>(body: unknown, place: BodyPlace, parse: (text: string) => Value): Value {
    const stored = String(body)
    try {
      return parse(this.#key ? decrypt(this.#key, stored, place) : stored)
    } catch (error) {
      const why = this.#key
        ? 'it was changed, is that of another row or an older one, or the encryption key is another one'
        : 'the row is damaged'
      const hint =
        stored.startsWith(mark) && !this.#key ? 'it is encrypted; pass encryptionKey' : why
      throw new DurableError('damaged', `a stored body cannot be read: ${hint}`, { cause: error })
    }
  }
}

function decrypt(key: Uint8Array, body: string, place: BodyPlace): string {
  if (!body.startsWith(mark)) throw new Error('it is not encrypted')
  const sealed = Buffer.from(body.slice(mark.length), 'base64')
  const iv = sealed.subarray(0, 12)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
  decipher.setAAD(toBytes(place)).setAuthTag(sealed.subarray(-16))
  return decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
}

const toBytes = (place: BodyPlace): Buffer => Buffer.from(JSON.stringify(place))
