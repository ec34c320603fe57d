import { AgentError } from '@modelport/agent'
import { isLlmError, isObject, LlmError } from '@modelport/core'
import { objectAt } from '../base/json.js'
import { readLimited } from '../base/read-limited.js'
import { withoutEnd } from '../base/without-end.js'
import { reasonOfWire } from '../wire/error-forms.js'
import { readEvents } from './event-stream.js'

/**
 * How a client proves who it is. The secret goes only to the origin of the client's URL, in a
 * header.
 */
export type ClientAuth =
  | { readonly type: 'bearer'; readonly token: string }
  /** `header`: where the key goes. Default `x-api-key`. */
  | { readonly type: 'apiKey'; readonly key: string; readonly header?: string | undefined }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }

/** How requests are sent. */
export interface ConnectionOptions {
  /** How the client proves who it is. Default: it does not. */
  readonly auth?: ClientAuth | undefined
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch | undefined
  /** Milliseconds without a byte after which a stream counts as lost. Default 60,000. */
  readonly idleMs?: number | undefined
  /** Maximum bytes of a response that is not a stream. Default 32 MiB. */
  readonly maxBytes?: number | undefined
  /** Other origins that the card may name. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined
}

const headerOf = (auth: ClientAuth | undefined): Readonly<Record<string, string>> => {
  switch (auth?.type) {
    case 'bearer':
      return { authorization: `Bearer ${auth.token}` }
    case 'apiKey':
      return { [auth.header ?? 'x-api-key']: auth.key }
    case 'basic':
      return {
        authorization: `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${auth.username}:${auth.password}`)))}`,
      }
    case undefined:
      return {}
  }
}

/** One request. */
export interface Outgoing {
  readonly method: string
  /** Address, of the agent's origin. */
  readonly url: string
  /** Headers in addition to those of the connection. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Milliseconds to wait for the headers of the response. Unset: as long as it takes. */
  readonly idleMs?: number
}

/** Sends requests to one agent: only to its origin, without redirects, within limits. */
export class Connection {
  readonly base: URL
  readonly options: ConnectionOptions
  readonly #fetch: typeof fetch

  /** @throws {LlmError} `invalid-base-url` */
  constructor(url: string, options: ConnectionOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new LlmError('invalid-base-url', 'The URL of an agent must be an http: or https: URL')
    this.base = new URL(url)
    if (this.base.username || this.base.password)
      throw new LlmError(
        'invalid-base-url',
        'The URL of an agent must not contain credentials; use auth',
      )
    this.base.hash = ''
    this.base.search = ''
    this.options = options
    this.#fetch = options.fetch ?? fetch
  }

  /** `host:port` of the agent. */
  get host(): string {
    return `${this.base.hostname}:${this.base.port || (this.base.protocol === 'https:' ? '443' : '80')}`
  }

  /** An address below the URL of the agent. */
  at(path: string): string {
    return withoutEnd(this.base.href, '/') + path
  }

  /**
   * Checks an address of a card: it must have the origin of the client's URL, or one that is
   * allowed.
   * @throws {AgentError} `invalid-agent-response`
   */
  check(url: string): string {
    const origin = URL.canParse(url) ? new URL(url).origin : ''
    if (origin === this.base.origin || this.options.allowedOrigins?.includes(origin)) return url
    throw new AgentError(
      'invalid-agent-response',
      `The card names another origin: ${origin || 'not a URL'}; allow it with allowedOrigins`,
    )
  }

  /**
   * Sends a request; a redirect is an error.
   * @throws {LlmError} `network`, `timeout`, `redirect-refused`
   */
  async send({ method, url, headers, body, signal, idleMs }: Outgoing): Promise<Response> {
    this.check(url)
    const isOwn = new URL(url).origin === this.base.origin
    const silence = new AbortController()
    const timer = idleMs === undefined ? undefined : setTimeout(() => silence.abort(), idleMs)
    const until =
      idleMs === undefined ? signal : AbortSignal.any([silence.signal, ...(signal ? [signal] : [])])
    try {
      const response = await this.#fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
          ...(isOwn && headerOf(this.options.auth)),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(until && { signal: until }),
      })
      await this.#refuseRedirect(response)
      return response
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (isLlmError(error)) throw error
      if (silence.signal.aborted)
        throw new LlmError('timeout', `The agent at ${this.host} was silent for ${idleMs} ms`, {
          cause: error,
        })
      throw new LlmError('network', `The agent at ${this.host} cannot be reached`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async #refuseRedirect({ type, status, headers, body }: Response): Promise<void> {
    if (type !== 'opaqueredirect' && !(status >= 300 && status < 400 && status !== 304)) return
    await body?.cancel()
    const to = headers.get('location')
    const origin =
      to !== null && URL.canParse(to, this.base) ? ` to ${new URL(to, this.base).origin}` : ''
    throw new LlmError(
      'redirect-refused',
      `The agent at ${this.host} redirects${origin}, which is not followed`,
    )
  }

  /**
   * Reads the events of a body.
   * @throws {LlmError} `network` — the connection broke; `timeout`; `limit-exceeded`
   */
  async *events(body: ReadableStream<Uint8Array>, idleMs: number): ReturnType<typeof readEvents> {
    try {
      yield* readEvents(body, idleMs)
    } catch (error) {
      if (isLlmError(error)) throw error
      throw new LlmError(
        'network',
        `The connection to the agent at ${this.host} broke in the middle of a stream`,
        {
          cause: error,
        },
      )
    }
  }

  /**
   * Reads the JSON of a response, within the limit.
   * @throws {AgentError} what the agent refused
   * @throws {LlmError} `network` — the connection broke; `limit-exceeded`
   */
  async json(response: Response): Promise<unknown> {
    const { maxBytes = 32 * 2 ** 20 } = this.options
    const tooLong = (): LlmError =>
      new LlmError('limit-exceeded', `The agent's response has more than ${maxBytes} bytes`)
    const bytes = await readLimited(response.body, maxBytes, tooLong).catch((error: unknown) => {
      // The platform's error for a connection that is gone.
      if (!(error instanceof TypeError)) throw error
      throw new LlmError(
        'network',
        `The connection to the agent at ${this.host} broke in the middle of a response`,
        {
          cause: error,
        },
      )
    })
    const text = new TextDecoder().decode(bytes)
    let value: unknown
    try {
      value = text ? (JSON.parse(text) as unknown) : undefined
    } catch (error) {
      if (response.ok)
        throw new AgentError('invalid-agent-response', 'The agent did not answer with JSON', {
          cause: error,
        })
    }
    if (response.ok) return value
    throw errorOf(value, response.status)
  }
}

/** The error in a body. */
export function errorOf(body: unknown, status?: number): AgentError {
  const error = objectAt(body, 'error')
  const details =
    [error['details'], error['data']].find((list): list is unknown[] => Array.isArray(list)) ?? []
  const info = details.find((detail) => isObject(detail) && typeof detail['reason'] === 'string')
  const reason = isObject(info) ? String(info['reason']) : undefined
  const code = typeof error['code'] === 'number' ? error['code'] : status
  const text =
    typeof error['message'] === 'string'
      ? error['message'].slice(0, 1_000)
      : `the agent answered with status ${status ?? 'unknown'}`
  return new AgentError(reasonOfWire(code, reason), `The agent refused: ${text}`)
}
