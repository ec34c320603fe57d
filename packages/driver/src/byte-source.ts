/** Told once of the chunk that was asked for, of the end (undefined), or of what cut the body off. */
export interface ChunkTaker {
  /** The chunk, or undefined at the end. */
  take(chunk: Uint8Array | undefined): void
  /** The connection failed. */
  fail(error: unknown): void
}

/** Bytes pulled one network chunk at a time. */
export interface ByteSource {
  /** Asks for the next chunk, which may be given at once. One at a time. */
  pull(taker: ChunkTaker): void
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

/** The source of a response's body: our own Node transport's, a web stream, or a stream of Node. */
export function toByteSource(response: Response): ByteSource {
  const body: unknown = response.body ?? new Blob().stream()
  if (typeof (body as ByteSource).pull === 'function') return body as ByteSource
  if (typeof (body as PullStream).on === 'function') return new PullSource(body as PullStream)
  return new WebSource((body as ReadableStream<Uint8Array>).getReader())
}

/** A source of which only `pull` and `cancel` are its own. */
export abstract class Source implements ByteSource {
  abstract pull(taker: ChunkTaker): void
  abstract cancel(): void

  read(): Promise<Uint8Array | undefined> {
    return new Promise((take, fail) => {
      this.pull({ take, fail })
    })
  }
}

class WebSource extends Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    super()
    this.#reader = reader
  }

  pull(taker: ChunkTaker): void {
    this.#reader.read().then(
      ({ done, value }) => {
        taker.take(done ? undefined : value)
      },
      (error: unknown) => {
        taker.fail(error)
      },
    )
  }

  cancel(): void {
    this.#reader.cancel().catch(() => undefined)
  }
}

/** Reads a stream of Node without a web stream in between, which costs more than parsing the event (see docs/performance.md). */
export class PullSource extends Source {
  readonly #stream: PullStream
  #taker: ChunkTaker | undefined
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

  /** No promise: this is run for every event of a live stream. */
  pull(taker: ChunkTaker): void {
    this.#taker = taker
    this.#settle()
  }

  cancel(): void {
    this.#over = true
    this.#stream.destroy()
  }

  /** Gives who asked what there is; goes on waiting when there is nothing yet. */
  #settle(): void {
    const taker = this.#taker
    if (!taker) return
    const chunk = this.#stream.read()
    if (chunk === null && !this.#over && !this.#stream.readableEnded && !this.#failure) return
    this.#taker = undefined
    if (chunk !== null) taker.take(chunk)
    else if (this.#failure && !this.#over && !this.#stream.readableEnded) taker.fail(this.#failure)
    else taker.take(undefined)
  }
}
