import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici'
import { LlmError } from '@modelport/core'
import type { Fetch } from './driver.js'
import { parseProxy } from './proxy.js'

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
    agent = proxy ? new ProxyAgent({ ...options, ...toProxyOptions(proxy), connectTimeout: connectMs }) : new Agent(options)
    agents.set(key, agent)
  }
  return agent
}

/** The password goes to the proxy alone: to none that comes after it, as a header of the request would. */
function toProxyOptions(proxy: string): { readonly uri: string; readonly token?: string } {
  const { href, userinfo } = parseProxy(proxy)
  return { uri: href, ...(userinfo && { token: `Basic ${Buffer.from(userinfo).toString('base64')}` }) }
}

/** A `fetch` over `undici.request`: no redirect, and a body that is read without a web stream in between. */
export function createUndiciFetch(options: UndiciOptions): Fetch {
  return async (input, init = {}) => {
    const dispatcher = agentFor(options)
    const url = typeof input === 'object' && 'url' in input ? input.url : input
    const response = await request(url, {
      dispatcher,
      method: (init.method ?? 'GET'),
      headers: toHeaderRecord(init.headers),
      body: (init.body ?? null) as string | null,
      signal: init.signal ?? null,
    }).catch((cause: unknown) => {
      throw options.proxy ? Object.assign(new Error('fetch failed', { cause }), { proxy: parseProxy(options.proxy).host }) : cause
    })
    const headers = toHeaders(response.headers)
    const body = decompress(response.body, headers.get('content-encoding'))
    // eslint-disable-next-line no-restricted-syntax -- the one cast: what SDKs and our reader use of `Response`, over a Node stream
    return new ThinResponse(response.statusCode, headers, body, String(url)) as unknown as Response
  }
}

class ThinResponse {
  readonly type = 'basic'
  readonly redirected = false
  readonly statusText = ''
  readonly status: number
  readonly headers: Headers
  readonly body: Readable
  readonly url: string

  constructor(status: number, headers: Headers, body: Readable, url: string) {
    this.status = status
    this.headers = headers
    this.body = body
    this.url = url
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get bodyUsed(): boolean {
    return this.body.readableDidRead
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of this.body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }
}

function toHeaderRecord(headers: RequestInit['headers']): Record<string, string> {
  if (!headers) return {}
  if (Array.isArray(headers) || headers instanceof Headers) return Object.fromEntries(headers)
  return headers
}

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
function decompress(body: Readable, encoding: string | null): Readable {
  if (!encoding || encoding === 'identity') return body
  const create = decompressors[encoding.toLowerCase()]
  if (!create) {
    body.destroy()
    throw new LlmError('protocol', `the server sent the content encoding "${encoding}", which was not asked for`)
  }
  const out = create()
  body.on('error', (error) => out.destroy(error))
  out.on('close', () => {
    if (!body.readableEnded) body.destroy()
  })
  return body.pipe(out)
}
