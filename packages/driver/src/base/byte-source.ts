/** Receives the result of one `pull`: a chunk, `undefined` at the end, or an error. */
export interface ChunkCallbacks {
  /** The chunk, or undefined at the end. */
  onChunk(chunk: Uint8Array | undefined): void
  /** The connection failed. */
  onError(error: unknown): void
}

/** Bytes pulled one network chunk at a time. */
export interface ByteSource {
  /** Asks for the next chunk, which may come synchronously. One pull at a time. */
  pull(callbacks: ChunkCallbacks): void
  /** The next chunk, or undefined at the end. Rejects when the connection fails. */
  read(): Promise<Uint8Array | undefined>
  /** Drops the connection. Never throws. */
  cancel(): void
}

/**
 * The parts of Node's `Readable` that are used: no Node type is needed to build for other
 * platforms.
 */
export interface PullStream {
  read(): Uint8Array | null
  on(event: 'readable' | 'end' | 'error' | 'close', listener: (error?: Error) => void): unknown
  destroy(error?: Error): unknown
  readonly readableEnded: boolean
}

/**
 * The bytes of a response's body, which is our own Node transport's, a web stream or a Node stream.
 */
export function toByteSource(response: Response): ByteSource {
  const body: unknown = response.body ?? new Blob().stream()
  if (typeof (body as ByteSource).pull === 'function') return body as ByteSource
  if (typeof (body as PullStream).on === 'function') return new PullSource(body as PullStream)
  return new WebSource((body as ReadableStream<Uint8Array>).getReader())
}

/** Base of byte sources: implements `read` by `pull`. */
export abstract class Source implements ByteSource {
  abstract pull(callbacks: ChunkCallbacks): void
  abstract cancel(): void

  read(): Promise<Uint8Array | undefined> {
    return new Promise((onChunk, onError) => {
      this.pull({ onChunk, onError })
    })
  }
}

class WebSource extends Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    super()
    this.#reader = reader
  }

  pull(callbacks: ChunkCallbacks): void {
    this.#reader.read().then(
      ({ done, value }) => {
        callbacks.onChunk(done ? undefined : value)
      },
      (error: unknown) => {
        callbacks.onError(error)
      },
    )
  }

  cancel(): void {
    this.#reader.cancel().catch(() => undefined)
  }
}

/**
 * Reads a Node stream without a web stream in between, which would cost more than parsing
 * (docs/performance.md).
 */
export class PullSource extends Source {
  readonly #stream: PullStream
  #callbacks: ChunkCallbacks | undefined
  #over = false
  #failure: Error | undefined

  constructor(stream: PullStream) {
    super()
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
      this.#failure ??= new Error('the connection was closed')
      this.#settle()
    })
  }

  /** Uses no promise: it runs once per event of a live stream. */
  pull(callbacks: ChunkCallbacks): void {
    this.#callbacks = callbacks
    this.#settle()
  }

  cancel(): void {
    this.#over = true
    this.#stream.destroy()
  }

  /** Serves the pending pull, if there is one, with a chunk, the end or the error. */
  #settle(): void {
    const callbacks = this.#callbacks
    if (!callbacks) return
    const chunk = this.#stream.read()
    if (chunk === null && !this.#over && !this.#stream.readableEnded && !this.#failure) return
    this.#callbacks = undefined
    if (chunk !== null) callbacks.onChunk(chunk)
    else if (this.#failure && !this.#over && !this.#stream.readableEnded)
      callbacks.onError(this.#failure)
    else callbacks.onChunk(undefined)
  }
}
