import { type FileUpload, isLlmError, LlmError, ProviderError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { toByteSource } from '../base/byte-source.js'
import type { DriverIo } from '../base/driver.js'

/** Headers, a query, or fields of a form. */
export type NamedTexts = Readonly<Record<string, string>>

/** Where the content goes. */
export interface UploadTarget {
  /** The address of this upload. */
  readonly url: string
  /** The bytes that the vendor has. */
  readonly offset: number
  /** Headers besides those of the vendor. */
  readonly headers: NamedTexts
}

/** What a vendor wants around the content. */
export interface UploadFrame {
  /** Headers besides those of the client. */
  readonly headers?: NamedTexts
  /** The bytes before the content. */
  readonly head?: Uint8Array
  /** The bytes after the content. */
  readonly tail?: Uint8Array
  /**
   * Called before each attempt, with a function that posts and gives the headers of the response.
   * Says where the content goes, and from which byte on.
   */
  readonly locate?: (
    post: (url: string, headers: NamedTexts, body?: string) => Promise<Headers>,
  ) => Promise<UploadTarget>
}

/** Bytes that are read at once of content in memory or in a Blob. */
const pieceBytes = 256 * 1024
const nothing = new Uint8Array()

/**
 * The body of an upload. Its content is read while it is sent, once for each attempt, and is never
 * held as a whole.
 */
export class UploadBody {
  /** Bytes that the transport took in the current attempt. */
  taken = 0
  #length = 0
  #failure: LlmError | undefined
  readonly #frame: UploadFrame & { readonly provider: string; readonly file: FileUpload }

  constructor(frame: UploadFrame & { readonly provider: string; readonly file: FileUpload }) {
    this.#frame = frame
  }

  /** Makes one attempt. */
  async send(
    io: DriverIo,
    request: { readonly url: string; readonly headers: NamedTexts },
  ): Promise<Response> {
    const { head = nothing, tail = nothing, headers, locate, file } = this.#frame
    const usual = { ...request.headers, ...headers, ...io.headers }

    const target = await locate?.(async (url, targetHeaders, body = '') => {
      const all = { ...targetHeaders, ...usual }
      const response = await io.fetch(url, { method: 'POST', headers: all, body })
      toByteSource(response).cancel()
      return response.headers
    })
    const { url = request.url, offset = 0, headers: targetHeaders } = target ?? {}

    this.taken = 0
    this.#length = head.length + sizeOf(file) - offset + tail.length
    const length = { 'content-length': String(this.#length) }
    const init = {
      method: 'POST',
      headers: { ...targetHeaders, ...length, ...usual },
      body: this.#stream(offset),
      duplex: 'half',
    }
    return io.fetch(url, init)
  }

  /** The content from this byte on, read as the transport asks for it. */
  #stream(offset: number): ReadableStream<Uint8Array> {
    const chunks = this.#chunks(offset)
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { done, value = nothing } = await chunks.next()
      this.taken += value.length
      if (done) controller.close()
      else controller.enqueue(value)
    }
    const cancel = (): Promise<void> => chunks.return(undefined).then(() => undefined)
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  }

  /** True if another attempt cannot be made, or could store the file a second time. */
  isFinal(error: unknown): boolean {
    const isReadOnce =
      typeof (this.#frame.file.content as { readonly stream?: unknown }).stream === 'object'
    const isRepeatable = !isReadOnce && (this.#frame.locate !== undefined || this.#isRefusal(error))
    return this.#failure !== undefined || (this.taken > 0 && !isRepeatable)
  }

  /**
   * The failure as the caller sees it: one that leaves open whether the vendor has the file says
   * so.
   */
  explain(error: unknown): unknown {
    if (!isLlmError(error)) return error
    if (this.#failure || !this.taken || this.#isRefusal(error)) return this.#failure ?? error

    const { provider, file } = this.#frame
    const why = `the vendor may have ${JSON.stringify(file.name)}: look for it with list() before you upload it again`
    const details = Object.assign({ provider }, error, { reason: 'uncertain' as const })
    return new ProviderError(error.code, `${error.message}; ${why}`, details, { cause: error })
  }

  /**
   * The response says that nothing was stored. A server that fails may have stored a body that it
   * has as a whole.
   */
  #isRefusal(error: unknown): boolean {
    const { status = 0 } = error as Partial<ProviderError>
    if (status < 500 || status === 503 || status === 529) return status >= 400
    return this.taken < this.#length
  }

  async *#chunks(offset: number): AsyncGenerator<Uint8Array, undefined> {
    const { head = nothing, tail = nothing } = this.#frame
    const size = sizeOf(this.#frame.file)
    let read = 0
    yield head
    try {
      for await (const chunk of toChunks(this.#frame.file)) {
        const skipped = Math.max(0, offset - read)
        read += chunk.length
        if (read > size) throw new RangeError(`it has more than ${size} bytes`)
        if (skipped < chunk.length) yield chunk.subarray(skipped)
      }
      if (read < size) throw new RangeError(`it has ${read} of ${size} bytes`)
    } catch (cause) {
      const why = errorText(cause)
      const message = `${this.#frame.provider}: invalid-request: the content cannot be read: ${why}`
      throw (this.#failure = new LlmError('invalid-request', message, { cause }))
    }
    yield tail
    return undefined
  }
}

/** The size of the content in bytes; NaN for what is not content. */
export const sizeOf = ({ content }: FileUpload): number =>
  content instanceof Uint8Array
    ? content.length
    : Number((content as { readonly size?: unknown } | undefined)?.size)

async function* toChunks({ content }: FileUpload): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array)
    for (let at = 0; at < content.length; at += pieceBytes)
      yield content.subarray(at, at + pieceBytes)
  else if (content instanceof Blob)
    for (let at = 0; at < content.size; at += pieceBytes)
      yield new Uint8Array(await content.slice(at, at + pieceBytes).arrayBuffer())
  else yield* typeof content.stream === 'function' ? content.stream() : content.stream
}
