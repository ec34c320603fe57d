import { Buffer } from 'node:buffer'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DurableError } from './durable-error.js'

const mark = 'enc1:'

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

  /** True if bodies are stored as they are. */
  get isPlain(): boolean {
    return this.#key === undefined
  }

  encode(value: unknown): string {
    return this.seal(JSON.stringify(value ?? null))
  }

  /** The body of a value that is JSON already. */
  seal(text: string): string {
    if (!this.#key) return text
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const sealed = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return mark + sealed.toString('base64')
  }

  /**
   * @throws {DurableError} `damaged` — the text is not what `encode` made, or the key is another
   * one.
   */
  decode(body: unknown): unknown {
    const text = String(body)
    try {
      return JSON.parse(text.startsWith(mark) ? this.#open(text) : text) as unknown
    } catch (error) {
      const key = this.#key
        ? 'the encryption key is another one, or the row is damaged'
        : 'the row is damaged'
      const hint = text.startsWith(mark) && !this.#key ? 'it is encrypted; pass encryptionKey' : key
      throw new DurableError('damaged', `a stored body cannot be read: ${hint}`, { cause: error })
    }
  }

  #open(text: string): string {
    const sealed = Buffer.from(text.slice(mark.length), 'base64')
    const decipher = createDecipheriv(
      'aes-256-gcm',
      this.#key ?? new Uint8Array(),
      sealed.subarray(0, 12),
    )
    decipher.setAuthTag(sealed.subarray(-16))
    return decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
  }
}
