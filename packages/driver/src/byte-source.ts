/** Bytes pulled one network chunk at a time. */
export interface ByteSource {
  /** The next chunk, or undefined at the end. Rejects when the connection fails. */
  read(): Promise<Uint8Array | undefined>
  /** Drops the connection. Never throws. */
  cancel(): void
}

/** The parts of Node's `Readable` that are used: no Node type is needed to build for other platforms. */
export interface PullStream {
  read(): Uint8Array | null
  on(event: 'readable' | 'end' | 'error' | 'close', listener: (error?: Error) => void): unknown
  destroy(error?: Error): unknown
  readonly readableEnded: boolean
}

/** The source of a response's body: a web stream, or the pull stream our own Node transport gives. */
export function toByteSource(response: Response): ByteSource {
  const body: unknown = response.body
  if (body === null || body === undefined) return { read: () => Promise.resolve(undefined), cancel: () => undefined }
  if (typeof (body as PullStream).on === 'function') return new PullSource(body as PullStream)
  return new WebSource((body as ReadableStream<Uint8Array>).getReader())
}

class WebSource implements ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader
  }

  async read(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#reader.read()
    return done ? undefined : value
  }

  cancel(): void {
    this.#reader.cancel().catch(() => undefined)
  }
}

/** Reads without a web stream in between, which costs more than parsing the event (see docs/performance.md). */
class PullSource implements ByteSource {
  readonly #stream: PullStream
  #waiting: { resolve(chunk: Uint8Array | undefined): void; reject(error: Error): void } | undefined
  #over = false
  #failure: Error | undefined

  constructor(stream: PullStream) {
    this.#stream = stream
    const settle = (): void => {
      this.#settle()
    }
    stream.on('readable', settle)
    stream.on('end', () => {
      this.#over = true
      this.#settle()
    })
    stream.on('error', (error) => {
      this.#failure ??= error ?? new Error('the connection failed')
      this.#settle()
    })
    stream.on('close', () => {
      if (!this.#over) this.#failure ??= new Error('the connection was closed')
      this.#settle()
    })
  }

  /** One promise and no async function: this is run for every event of a live stream. */
  read(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#settle()
    })
  }

  cancel(): void {
    this.#over = true
    this.#stream.destroy()
  }

  /** Gives a waiting read what there is; it goes on waiting when there is nothing yet. */
  #settle(): void {
    const waiting = this.#waiting
    if (!waiting) return
    const chunk = this.#stream.read()
    if (chunk === null && !this.#over && !this.#stream.readableEnded && !this.#failure) return
    this.#waiting = undefined
    if (chunk !== null) waiting.resolve(chunk)
    else if (this.#over || this.#stream.readableEnded || !this.#failure) waiting.resolve(undefined)
    else waiting.reject(this.#failure)
  }
}
