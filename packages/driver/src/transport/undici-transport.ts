import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { LlmError } from '@modelport/core'
import type { Agent, Dispatcher } from 'undici'
import { type ByteSource, PullSource } from '../base/byte-source.js'
import type { Fetch } from '../base/driver.js'
import { toTarget } from '../base/target.js'
import { parseProxy } from './proxy.js'
import { UndiciBody, type UndiciHead } from './undici-body.js'
import { agentOptions, PendingConnects } from './undici-connects.js'

/** How the transport connects. */
export interface UndiciOptions {
  readonly connectMs: number
  readonly proxy: string | undefined
}

/** A pool of connections, with those that are being opened. */
interface Connections {
  readonly agent: Dispatcher
  readonly pending: PendingConnects
}

const pools = new Map<string, Promise<Connections>>()

/** One pool of connections for all providers that connect alike. */
function connectionsFor(options: UndiciOptions): Promise<Connections> {
  const key = `${options.connectMs} ${options.proxy ?? ''}`
  const connections = pools.get(key) ?? connect(options)
  pools.set(key, connections)
  return connections
}

async function connect({ connectMs, proxy }: UndiciOptions): Promise<Connections> {
  const pending = new PendingConnects(connectMs)
  if (!proxy) return { pending, agent: await createAgent(connectMs, pending) }
  const { createProxyAgent } = await import('./undici-proxy.js')
  return { pending, agent: createProxyAgent(connectMs, proxy, pending) }
}

type Undici = typeof import('undici')

/**
 * Loads only the files of undici that a pool of connections needs, which takes half as long as all
 * of undici. A version without such files is loaded whole.
 */
async function loadParts(): Promise<Pick<Undici, 'Agent' | 'Pool' | 'buildConnector'>> {
  try {
    const [agent, pool, connector] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/core/connect.js'),
    ])
    return { Agent: agent.default, Pool: pool.default, buildConnector: connector.default }
  } catch {
    return import('undici')
  }
}

async function createAgent(connectMs: number, pending: PendingConnects): Promise<Agent> {
  const { Agent, buildConnector, Pool } = await loadParts()
  const connector = buildConnector({ timeout: connectMs, allowH2: false })
  return new Agent({
    ...agentOptions,
    factory: (origin, options) =>
      new Pool(
        origin,
        Object.assign({}, options, { connect: pending.wrap(String(origin), connector) }),
      ),
  })
}

/**
 * A `fetch` over undici that follows no redirect and whose body is read without a stream in
 * between.
 */
export async function createUndiciFetch(options: UndiciOptions): Promise<Fetch> {
  const { agent, pending } = await connectionsFor(options)
  return async (input, init = {}) => {
    const address = String(typeof input === 'object' && 'url' in input ? input.url : input)
    const { origin, path } = toTarget(address)
    const { method = 'GET', body = null } = init

    // Through a proxy, all connections are to one place.
    const stopWaiting = pending.wait(options.proxy ? '' : origin)
    const exchange = new UndiciBody(init.signal, stopWaiting)
    try {
      agent.dispatch(
        {
          origin,
          path,
          method,
          headers: toHeaderRecord(init.headers),
          body: body as string | null,
        },
        exchange,
      )
    } catch (error) {
      // A proxy's agent throws what another agent passes to the handler.
      exchange.onResponseError(undefined, error)
    }

    const { status, headers } = await (options.proxy
      ? headThrough(options.proxy, exchange)
      : exchange.head)

    const unpacked = decompress(exchange, headerOf(headers, 'content-encoding'))
    // eslint-disable-next-line no-restricted-syntax -- ThinResponse has what SDKs and our reader use of a Response
    return new ThinResponse(status, headers, unpacked, address) as unknown as Response
  }
}

/** The head of a response through a proxy: a failure says which proxy it was. */
async function headThrough(proxy: string, exchange: UndiciBody): Promise<UndiciHead> {
  try {
    return await exchange.head
  } catch (cause) {
    throw Object.assign(new Error('fetch failed', { cause }), { proxy: parseProxy(proxy).host })
  }
}

/** One header, as `Headers.get` gives it. */
function headerOf(raw: UndiciHead['headers'], name: string): string | null {
  const value = raw[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** The part of `Response` that SDKs and our reader use, over a body that is not a stream. */
class ThinResponse {
  readonly type = 'basic'
  readonly redirected = false
  readonly statusText = ''
  readonly status: number
  readonly body: ByteSource
  readonly url: string
  bodyUsed = false
  readonly #raw: UndiciHead['headers']
  #headers: Headers | undefined

  constructor(status: number, raw: UndiciHead['headers'], body: ByteSource, url: string) {
    this.status = status
    this.#raw = raw
    this.body = body
    this.url = url
  }

  get ok(): boolean {
    return this.status < 300
  }

  /** Made when they are first read: nobody reads most of them. */
  get headers(): Headers {
    this.#headers ??= toHeaders(this.#raw)
    return this.#headers
  }

  /** One header, without making {@link headers}. */
  headerOf(name: string): string | null {
    return headerOf(this.#raw, name)
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    const chunks: Uint8Array[] = []
    for (let chunk = await this.body.read(); chunk; chunk = await this.body.read())
      chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }
}

const toHeaderRecord = (headers: RequestInit['headers'] = {}): Record<string, string> =>
  Array.isArray(headers) || headers instanceof Headers ? Object.fromEntries(headers) : headers

function toHeaders(raw: UndiciHead['headers']): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(raw)) {
    const values = Array.isArray(value) ? value : [value]
    for (const one of values) headers.append(name, one)
  }
  return headers
}

const decompressors: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
}

/** Undoes at most one encoding: a server only stacks them to make a client unpack without end. */
function decompress(body: ByteSource, encoding: string | null): ByteSource {
  if (!encoding || encoding === 'identity') return body
  const create = decompressors[encoding.toLowerCase()]
  if (!create) {
    body.cancel()
    throw new LlmError(
      'protocol',
      `the server sent the content encoding "${encoding}", which was not asked for`,
    )
  }
  const packed = toStream(body)
  const out = create()
  out.on('close', () => packed.destroy())
  return new PullSource(packed.pipe(out))
}

/**
 * The Node stream that a decompressor reads. A connection that fails ends it: the decompressor then
 * emits all that it has, and fails itself unless the compressed data was complete.
 */
const toStream = (body: ByteSource): Readable =>
  new Readable({
    read() {
      body.pull({ onChunk: (chunk) => this.push(chunk ?? null), onError: () => this.push(null) })
    },
    destroy(error, done) {
      body.cancel()
      done(error)
    },
  })
