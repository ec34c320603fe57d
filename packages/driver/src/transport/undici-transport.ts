import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import { LlmError } from '@modelport/core'
import { type ByteSource, PullSource } from '../base/byte-source.js'
import type { Fetch } from '../base/driver.js'
import { PendingConnects } from './undici-connects.js'
import { parseProxy } from './proxy.js'
import { UndiciBody } from './undici-body.js'

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

const pools = new Map<string, Connections>()

/** One pool of connections for all providers that connect alike. Our own clocks replace undici's body and header time-outs. */
function connectionsFor({ connectMs, proxy }: UndiciOptions): Connections {
  const key = `${connectMs} ${proxy ?? ''}`
  let connections = pools.get(key)
  if (!connections) {
    const pending = new PendingConnects(connectMs)
    connections = {
      pending,
      agent: proxy ? createProxyAgent(connectMs, proxy, pending) : createAgent(connectMs, pending),
    }
    pools.set(key, connections)
  }
  return connections
}

/** With HTTP/2 all calls to a host would wait for one connection, and time out one after the other. */
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false }

function createAgent(connectMs: number, pending: PendingConnects): Agent {
  const connect = buildConnector({ timeout: connectMs, allowH2: false })
  return new Agent({
    ...agentOptions,
    factory: (origin, options) =>
      new Pool(origin, Object.assign({}, options, { connect: pending.wrap(String(origin), connect) })),
  })
}

/** All connections through a proxy count as leading to one place: the proxy. */
function createProxyAgent(connectMs: number, proxy: string, pending: PendingConnects): ProxyAgent {
  const createPool = (origin: URL | string, options: object): Pool => {
    const { connect } = options as { readonly connect: buildConnector.connector }
    return new Pool(origin, { ...options, connect: pending.wrap('', connect) })
  }
  return new ProxyAgent({
    ...agentOptions,
    ...toProxyOptions(proxy),
    connectTimeout: connectMs,
    factory: createPool,
    clientFactory: (origin, options) => closeTunnels(createPool(origin, options)),
  })
}

/** Closes a tunnel whose request is gone also while TLS begins inside of it: undici forgets the signal once the proxy has agreed. */
function closeTunnels(pool: Pool): Pool {
  const open = pool.connect.bind(pool)
  const connect = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const opened = await open(options)
    const { signal } = options
    if (signal instanceof AbortSignal) {
      signal.addEventListener('abort', () => opened.socket.destroy(), { once: true })
      if (signal.aborted) opened.socket.destroy()
    }
    return opened
  }
  return Object.assign(pool, { connect })
}

/** The password is for the proxy only; a header of the request would reach the server too. */
function toProxyOptions(proxy: string): { readonly uri: string; readonly token?: string } {
  const { href, userinfo } = parseProxy(proxy)
  return { uri: href, ...(userinfo && { token: `Basic ${Buffer.from(userinfo).toString('base64')}` }) }
}

/** A `fetch` over undici that follows no redirect and whose body is read without a stream in between. */
export function createUndiciFetch(options: UndiciOptions): Fetch {
  return async (input, init = {}) => {
    const address = String(typeof input === 'object' && 'url' in input ? input.url : input)
    const { origin, pathname, search } = new URL(address)
    const { method = 'GET', body = null } = init
    const { agent, pending } = connectionsFor(options)
    const exchange = new UndiciBody(init.signal, pending.wait(options.proxy ? '' : origin))
    try {
      agent.dispatch(
        { origin, path: pathname + search, method, headers: toHeaderRecord(init.headers), body: body as string | null },
        exchange,
      )
    } catch (error) {
      // A proxy's agent throws what another agent passes to the handler.
      exchange.onResponseError(undefined, error)
    }
    const { status, headers: raw } = await exchange.head.catch((cause: unknown) => {
      throw options.proxy
        ? Object.assign(new Error('fetch failed', { cause }), { proxy: parseProxy(options.proxy).host })
        : cause
    })
    const headers = toHeaders(raw)
    const unpacked = decompress(exchange, headers.get('content-encoding'))
    // eslint-disable-next-line no-restricted-syntax -- the one cast: what SDKs and our reader use of `Response`, over our own body
    return new ThinResponse(status, headers, unpacked, address) as unknown as Response
  }
}

class ThinResponse {
  readonly type = 'basic'
  readonly redirected = false
  readonly statusText = ''
  readonly status: number
  readonly headers: Headers
  readonly body: ByteSource
  readonly url: string
  bodyUsed = false

  constructor(status: number, headers: Headers, body: ByteSource, url: string) {
    this.status = status
    this.headers = headers
    this.body = body
    this.url = url
  }

  get ok(): boolean {
    return this.status < 300
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    const chunks: Uint8Array[] = []
    for (let chunk = await this.body.read(); chunk; chunk = await this.body.read()) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }
}

const toHeaderRecord = (headers: RequestInit['headers'] = {}): Record<string, string> =>
  Array.isArray(headers) || headers instanceof Headers ? Object.fromEntries(headers) : headers

function toHeaders(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value]) headers.append(name, one)
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
    throw new LlmError('protocol', `the server sent the content encoding "${encoding}", which was not asked for`)
  }
  const packed = toStream(body)
  const out = create()
  out.on('close', () => packed.destroy())
  return new PullSource(packed.pipe(out))
}

/**
 * The Node stream that a decompressor reads. A connection that fails ends it: the decompressor then emits all that it has, and fails
 * itself unless the compressed data was complete.
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
