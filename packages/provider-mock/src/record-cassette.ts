import {
  type ByteSource,
  createTransport,
  type Fetch,
  proxySecrets,
  toByteSource,
} from '@modelport/driver'
import {
  type Cassette,
  type CassetteExchange,
  type CassetteRequest,
  toBinary,
  toChunk,
} from './cassette.js'
import { createScrub, type ScrubbedRequest, type ScrubOptions, scrubHeaders } from './scrub.js'

/** Configuration of {@link recordCassette}. */
export interface RecordOptions extends ScrubOptions {
  /** What sends the requests. Default: the transport that every provider uses. */
  readonly fetch?: Fetch | undefined
  /**
   * Address of an HTTP proxy to send through, as a provider's own `proxy`, which a provider with a
   * recorder does not use. Node only.
   */
  readonly proxy?: string | undefined
}

/** A `fetch` that keeps what passes through it. */
export interface CassetteRecorder {
  /** Give it to a provider as its `fetch`. */
  readonly fetch: Fetch
  /**
   * Everything so far, secrets taken out. A body that is still being read is stored as cut where it
   * stands.
   */
  cassette(): Cassette
}

/** Records the HTTP of any provider. Bodies pass as they come, chunk by chunk, without delay. */
export function recordCassette(options: RecordOptions = {}): CassetteRecorder {
  const { fetch, proxy, secrets = [] } = options
  const scrub = createScrub({
    secrets: [...secrets, ...proxySecrets(proxy).filter(({ length }) => length >= 4)],
  })
  const send = createTransport({ ...(fetch && { fetch }), ...(proxy !== undefined && { proxy }) })
  const takes: Take[] = []
  return {
    cassette: () => ({ version: 1, exchanges: takes.map((take) => take.exchange()) }),
    fetch: async (input, init) => {
      const take = new Take(await scrub(input, init))
      takes.push(take)
      let response: Response
      try {
        response = await send(input, init)
      } catch (error) {
        take.failed(error)
        throw error
      }
      return take.keep(response)
    },
  }
}

/** One exchange while it happens. */
class Take {
  readonly #request: CassetteRequest
  readonly #redact: ScrubbedRequest['redact']
  #status = 0
  #headers: Readonly<Record<string, string>> = {}
  #error: { readonly message: string; readonly code?: string } = { message: 'no response yet' }
  #whole = false
  readonly #chunks: string[] = []

  constructor({ request, redact }: ScrubbedRequest) {
    this.#request = request
    this.#redact = redact
  }

  failed(thrown: unknown): void {
    const { message, code, cause } = thrown as Partial<
      Record<'message' | 'code' | 'cause', unknown>
    >
    const inner = cause as { readonly code?: unknown; readonly message?: unknown } | undefined
    const name = [code, inner?.code].find((one) => typeof one === 'string')
    this.#error = {
      message: this.#redact(
        String(message === 'fetch failed' && inner?.message ? inner.message : message),
      ),
      ...(name !== undefined && { code: name }),
    }
  }

  /** The response, its body kept as it is read. */
  keep(response: Response): Response {
    const { status, headers } = response
    this.#headers = scrubHeaders(headers, this.#redact)
    // A redirect that a platform's fetch hides has no status; no response can be made that has
    // none.
    if (status < 200) {
      this.failed(new Error('a redirect, which is not followed'))
      return response
    }
    this.#status = status
    const empty = response.body === null || [204, 205, 304].includes(status)
    this.#whole = empty
    return new Response(empty ? null : this.#pass(toByteSource(response)), { status, headers })
  }

  exchange(): CassetteExchange {
    if (!this.#status) return { request: this.#request, response: { error: this.#error } }
    const chunks = this.#scrubbed().map(toChunk)
    return {
      request: this.#request,
      response: {
        status: this.#status,
        headers: this.#headers,
        chunks,
        ...(!this.#whole && { cut: true as const }),
      },
    }
  }

  #pass(source: ByteSource): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const chunk = await source.read()
          if (chunk) {
            this.#chunks.push(toBinary(chunk))
            controller.enqueue(chunk)
          } else {
            this.#whole = true
            controller.close()
          }
        },
        cancel: () => {
          source.cancel()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Chunks without secrets. One that lies across chunks costs their boundaries. */
  #scrubbed(): string[] {
    const whole = this.#redact(this.#chunks.join(''))
    const single = this.#chunks.map((chunk) => this.#redact(chunk))
    return single.join('') === whole ? single : [whole]
  }
}
