import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { LlmError } from '@modelport/core'
import { type ByteSource, PullSource } from './byte-source.js'
import type { Fetch } from './driver.js'
import { parseProxy } from './proxy.js'
import { UndiciBody } from './undici-body.js'

/** How the transport connects. */
export interface UndiciOptions {
  readonly connectMs: number
  readonly proxy: string | undefined
}

const agents = new Map<string, Dispatcher>()

/** One pool of connections for all providers that connect alike. Our own clocks replace undici's body and header time-outs. */
function agentFor({ connectMs, proxy }: UndiciOptions): Dispatcher {
  const key = `${connectMs} ${proxy ?? ''}`
  let agent = agents.get(key)
  if (!agent) {
    // Over HTTP/2 all calls to a host would wait for one connection, each its own time-out after the other.
    const options = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0, allowH2: false }
    agent = proxy
      ? new ProxyAgent({ ...options, ...toProxyOptions(proxy), connectTimeout: connectMs })
      : new Agent(options)
    agents.set(key, agent)
  }
  return agent
}

/** The password goes to the proxy alone: to none that comes after it, as a header of the request would. */
function toProxyOptions(proxy: string): { readonly uri: string; readonly token?: string } {
  const { href, userinfo } = parseProxy(proxy)
  return { uri: href, ...(userinfo && { token: `Basic ${Buffer.from(userinfo).toString('base64')}` }) }
}

/** A `fetch` over undici: no redirect, and a body that is read without a stream in between. */
export function createUndiciFetch(options: UndiciOptions): Fetch {
  return async (input, init = {}) => {
    const address = String(typeof input === 'object' && 'url' in input ? input.url : input)
    const { origin, pathname, search } = new URL(address)
    const { method = 'GET', body = null } = init
    const dispatcher = agentFor(options)
    const exchange = new UndiciBody(init.signal)
    try {
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers: toHeaderRecord(init.headers), body: body as string | null },
        exchange,
      )
    } catch (error) {
      // A proxy's agent throws what another tells the exchange.
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

/** Undoes at most one encoding: nobody stacks them but to make a client unpack without end. */
function decompress(body: ByteSource, encoding: string | null): ByteSource {
  if (!encoding || encoding === 'identity') return body
  const create = decompressors[encoding.toLowerCase()]
  if (!create) {
    body.cancel()
    throw new LlmError('protocol', `the server sent the content encoding "${encoding}", which was not asked for`)
  }
  const packed = toStream(body)
  const out = create()
  packed.on('error', (error) => out.destroy(error))
  out.on('close', () => packed.destroy())
  return new PullSource(packed.pipe(out))
}

/** The stream of Node that a decompressor wants. */
const toStream = (body: ByteSource): Readable =>
  new Readable({
    read() {
      body.pull({ take: (chunk) => this.push(chunk ?? null), fail: (error) => this.destroy(error as Error) })
    },
    destroy(error, done) {
      body.cancel()
      done(error)
    },
  })
