// The files of three vendors, each behind a server as strict as the vendor: what it does not
// document it refuses. Contents are counted and hashed, and those of at most a megabyte are read as
// the doubles read them.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { FileStore } from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import { createAnthropicFiles } from '@modelport/provider-anthropic'
import { createGoogleFiles } from '@modelport/provider-google'
import { createOpenAIFiles } from '@modelport/provider-openai'
import type { SentFile } from '../doubles/form.js'
import { parse, refuse } from '../doubles/refusals.js'

export const apiKey = 'sk-files-0123456789abcdef'
export const vendors = ['anthropic', 'openai', 'google'] as const
export type Vendor = (typeof vendors)[number]

/** A file as the server keeps it. */
export interface KeptFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  readonly fields: Readonly<Record<string, unknown>>
  /** How many more status requests report the file as still being processed. */
  pending: number
  failed?: boolean
}

/** A request that the server got. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  received: number
  /** True once the client is gone before the body was. */
  aborted: boolean
}

/** What goes wrong with a request. */
export interface Fault {
  /** Responds with this status, once so many bytes of the body are there. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the connection instead. */
  readonly reset?: true
  /** Default 0. Infinity: all of the body. */
  readonly after?: number
  /** Sends only so many bytes of the right response, and ends the connection. */
  readonly cut?: number
  /** Never responds. */
  readonly silent?: true
  /** In place of the right response. */
  readonly body?: unknown
}

interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The server of a vendor. */
export class FileVendor {
  readonly requests: SeenRequest[] = []
  readonly files: KeptFile[] = []
  /** What goes wrong with a request; the tests set it. */
  fault: (request: SeenRequest, index: number) => Fault | undefined = () => undefined
  /** Files of a page. */
  pageSize = 1000
  /** For Google: questions after which a new file is active, and whether it failed then. */
  pending = 0
  failed = false
  /** For Google: where uploads go. Default: here. */
  uploadAddress: string | undefined
  /** Bytes of the last response that was cut, or would have been. */
  responseLength = 0
  url = ''
  readonly vendor: Vendor
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Map<
    string,
    { name: string; mediaType: string; size: number; chunks: Buffer[]; final: boolean }
  >()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #count = 0

  constructor(vendor: Vendor) {
    this.vendor = vendor
  }

  async start(): Promise<this> {
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  get host(): string {
    return new URL(this.url).host
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  /** The vendor's files, as a program has them. */
  store(config: Omit<CommonConfig, 'model'> & { readonly baseUrl?: string } = {}): FileStore {
    const given = {
      apiKey,
      baseUrl: this.vendor === 'openai' ? `${this.url}/v1` : this.url,
      ...config,
    }
    if (this.vendor === 'anthropic') return createAnthropicFiles(given)
    return this.vendor === 'openai' ? createOpenAIFiles(given) : createGoogleFiles(given)
  }

  /** Puts a file there without an upload. */
  add(name: string, bytes = 5): KeptFile {
    return this.#keep(name, 'text/plain', Buffer.alloc(bytes), {})
  }

  /** Requests that carry a content. */
  get uploads(): readonly SeenRequest[] {
    return this.requests.filter(
      ({ method, headers }) =>
        method === 'POST' &&
        (this.vendor !== 'google' || headers['x-goog-upload-command'] === 'upload, finalize'),
    )
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const { method = '', url = '' } = request
    const seen: SeenRequest = { method, path: url, headers, received: 0, aborted: false }
    const fault = this.fault(seen, this.requests.push(seen) - 1) ?? {}
    const chunks: Buffer[] = []
    const fail = (): void => {
      if (fault.reset) request.socket.destroy()
      else
        send(response, {
          status: fault.status ?? 500,
          headers: fault.headers ?? {},
          body: this.#error(fault.status ?? 500, 'a fault'),
        })
    }
    const fails = fault.reset === true || fault.status !== undefined
    const { after = 0 } = fault
    const session = this.#sessions.get(new URL(url, this.url).searchParams.get('upload_id') ?? '')
    try {
      if (fails && after === 0) {
        fail()
        return
      }
      for await (const chunk of request as AsyncIterable<Buffer>) {
        seen.received += chunk.length
        chunks.push(chunk)
        if (headers['x-goog-upload-command'] === 'upload, finalize') session?.chunks.push(chunk)
        if (fails && seen.received >= after) {
          fail()
          return
        }
      }
    } catch {
      seen.aborted = true
      return
    }
    if (fails) {
      fail()
      return
    }
    if (fault.silent) return
    if (fault.body !== undefined) {
      send(response, { status: 200, body: fault.body })
      return
    }
    const reply = this.#reply(seen, Buffer.concat(chunks))
    if (fault.cut === undefined) {
      send(response, reply)
      return
    }
    const text = JSON.stringify(reply.body)
    this.responseLength = text.length
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...reply.headers,
    })
    response.write(text.slice(0, fault.cut), () => setTimeout(() => request.socket.destroy(), 5))
  }

  #reply(request: SeenRequest, body: Buffer): Reply {
    const { method, headers } = request
    const { pathname, searchParams } = new URL(request.path, this.url)
    const problem = this.#headerProblem(request)
    if (problem) return { status: problem[0], body: this.#error(...problem) }
    if (
      method === 'POST' &&
      (headers['content-length'] === undefined || headers['transfer-encoding'])
    )
      return { status: 411, body: this.#error(411, 'the length is missing') }
    if (method !== 'POST' && body.length)
      return { status: 400, body: this.#error(400, 'a body where there is none') }
    const root = this.vendor === 'google' ? '/v1beta/files' : '/v1/files'
    if (method === 'POST')
      return this.vendor === 'google' ? this.#upload(request, body) : this.#form(request, body)
    if (pathname === root && method === 'GET') return this.#list(searchParams)
    const id = pathname.startsWith(`${root}/`) ? pathname.slice(root.length + 1) : ''
    const at = this.files.findIndex((file) => file.id === id)
    const file = this.files[at]
    if (!id || searchParams.size) return { status: 404, body: this.#error(404, 'no such path') }
    if (!file && this.vendor === 'google')
      return {
        status: 403,
        body: this.#error(
          403,
          `You do not have permission to access the File ${id} or it may not exist.`,
        ),
      }
    if (!file) return { status: 404, body: this.#error(404, `No such File object: ${id}`) }
    if (method === 'GET') {
      if (file.pending > 0) file.pending--
      return { status: 200, body: this.#show(file) }
    }
    if (method !== 'DELETE') return { status: 405, body: this.#error(405, 'no such method') }
    this.files.splice(at, 1)
    if (this.vendor === 'google') return { status: 200, body: {} }
    return {
      status: 200,
      body:
        this.vendor === 'openai'
          ? { id, object: 'file', deleted: true }
          : { id, type: 'file_deleted' },
    }
  }

  #headerProblem({ headers, path }: SeenRequest): [number, string] | undefined {
    if (path.includes(apiKey)) return [400, 'a key in the address']
    if (this.vendor === 'anthropic') {
      if (headers['x-api-key'] !== apiKey) return [401, 'invalid x-api-key']
      if (headers['anthropic-version'] !== '2023-06-01')
        return [400, 'anthropic-version: header is required']
    } else if (this.vendor === 'openai') {
      if (headers['authorization'] !== `Bearer ${apiKey}`)
        return [401, 'Incorrect API key provided']
    } else if (headers['x-goog-api-key'] !== apiKey)
      return [403, 'The caller does not have permission']
    return undefined
  }

  #form(request: SeenRequest, body: Buffer): Reply {
    const refused = refuse({ ...request, url: request.path }, body)
    if (refused) return { status: refused.status, body: refused.body }
    const { file, ...fields } = parse(body, request.headers['content-type']) as {
      readonly file: SentFile
    }
    return {
      status: 200,
      body: this.#show(this.#keep(file.fileName ?? '', file.mediaType ?? '', file.data, fields)),
    }
  }

  #upload({ headers, path }: SeenRequest, body: Buffer): Reply {
    const { pathname, searchParams } = new URL(path, this.url)
    const command = headers['x-goog-upload-command']
    const refused = (message: string): Reply => ({ status: 400, body: this.#error(400, message) })
    if (pathname !== '/upload/v1beta/files')
      return { status: 404, body: this.#error(404, 'no such path') }
    if (command === 'start') {
      const found = refuse({ method: 'POST', url: path, headers }, body.toString())
      if (found) return { status: found.status, body: found.body }
      const size = Number(headers['x-goog-upload-header-content-length'])
      const mediaType = headers['x-goog-upload-header-content-type'] ?? ''
      if (headers['x-goog-upload-protocol'] !== 'resumable' || !(size > 0) || !mediaType)
        return refused('not the protocol')
      const id = `session-${++this.#count}`
      const { file } = JSON.parse(body.toString()) as {
        readonly file: { readonly display_name: string }
      }
      this.#sessions.set(id, { name: file.display_name, mediaType, size, chunks: [], final: false })
      const address = `${this.uploadAddress ?? this.url}${pathname}?upload_id=${id}&upload_protocol=resumable`
      return {
        status: 200,
        headers: { 'x-goog-upload-url': address, 'x-goog-upload-status': 'active' },
      }
    }
    const session = this.#sessions.get(searchParams.get('upload_id') ?? '')
    if (!session) return { status: 404, body: this.#error(404, 'no such upload') }
    const received = session.chunks.reduce((sum, { length }) => sum + length, 0)
    const status = { 'x-goog-upload-status': session.final ? 'final' : 'active' }
    if (command === 'query' && !body.length)
      return {
        status: 200,
        headers: { ...status, 'x-goog-upload-size-received': String(received) },
      }
    if (command !== 'upload, finalize' || session.final) return refused('no such command now')
    if (Number(headers['x-goog-upload-offset']) !== received - body.length)
      return refused('the offset is wrong')
    if (received !== session.size) return refused(`${received} of ${session.size} bytes`)
    session.final = true
    const file = this.#keep(session.name, session.mediaType, Buffer.concat(session.chunks), {})
    return {
      status: 200,
      headers: { 'x-goog-upload-status': 'final' },
      body: { file: this.#show(file) },
    }
  }

  #list(query: URLSearchParams): Reply {
    const { size, cursor } = {
      anthropic: { size: 'limit', cursor: 'page' },
      openai: { size: 'limit', cursor: 'after' },
      google: { size: 'pageSize', cursor: 'pageToken' },
    }[this.vendor]
    const most = { anthropic: 1000, openai: 10_000, google: 100 }[this.vendor]
    const known = [size, cursor, ...(this.vendor === 'openai' ? ['purpose'] : [])]
    const unknown = [...query.keys()].find((name) => !known.includes(name))
    if (unknown)
      return { status: 400, body: this.#error(400, `${unknown}: Extra inputs are not permitted`) }
    if (!(Number(query.get(size)) <= most))
      return { status: 400, body: this.#error(400, `${size} is too large`) }
    const after = query.get(cursor)?.replace(/^token-/, '')
    const kept = this.files.filter(
      ({ fields }) => !query.has('purpose') || fields['purpose'] === query.get('purpose'),
    )
    const start = after === undefined ? 0 : kept.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && start === 0)
      return { status: 400, body: this.#error(400, 'no such page') }
    const page = kept.slice(start, start + this.pageSize)
    const last = page.at(-1)?.id ?? null
    const more = start + this.pageSize < kept.length
    const files = page.map((file) => this.#show(file))
    if (this.vendor === 'google')
      return {
        status: 200,
        body: { ...(files.length && { files }), ...(more && { nextPageToken: `token-${last}` }) },
      }
    if (this.vendor === 'openai')
      return {
        status: 200,
        body: {
          object: 'list',
          data: files,
          first_id: page[0]?.id ?? null,
          last_id: last,
          has_more: more,
        },
      }
    return { status: 200, body: { data: files, next_page: more ? `token-${last}` : null } }
  }

  #keep(name: string, mediaType: string, data: Uint8Array, fields: KeptFile['fields']): KeptFile {
    const id = `${this.vendor === 'openai' ? 'file-' : this.vendor === 'google' ? 'f' : 'file_'}${++this.#count}`
    const sha256 = createHash('sha256').update(data).digest('hex')
    const file = {
      id,
      name,
      mediaType,
      bytes: data.length,
      sha256,
      fields,
      pending: this.pending,
      failed: this.failed,
    }
    this.files.push(file)
    return file
  }

  #show({ id, name, mediaType, bytes, sha256, fields, pending, failed }: KeptFile): object {
    if (this.vendor === 'anthropic')
      return {
        id,
        type: 'file',
        filename: name,
        mime_type: mediaType,
        size_bytes: bytes,
        created_at: '2026-11-27T10:00:00Z',
        downloadable: false,
        expires_at: fields['expires_in_seconds'] ? '2026-11-27T11:00:00Z' : null,
      }
    if (this.vendor === 'openai')
      return {
        id,
        object: 'file',
        bytes,
        created_at: 1_795_773_600,
        expires_at: null,
        filename: name,
        purpose: fields['purpose'] ?? 'user_data',
        status: 'processed',
        status_details: null,
      }
    return {
      name: `files/${id}`,
      displayName: name,
      mimeType: mediaType,
      sizeBytes: String(bytes),
      createTime: '2026-11-27T10:00:00.123456Z',
      updateTime: '2026-11-27T10:00:00.123456Z',
      expirationTime: '2026-11-29T10:00:00.123456Z',
      sha256Hash: Buffer.from(sha256).toString('base64'),
      uri: `https://generativelanguage.googleapis.com/v1beta/files/${id}`,
      state: pending > 0 ? 'PROCESSING' : failed ? 'FAILED' : 'ACTIVE',
      source: 'UPLOADED',
      ...(failed && pending === 0 && { error: { code: 3, message: 'The video has no frames.' } }),
    }
  }

  #error(status: number, message: string): object {
    if (this.vendor === 'anthropic') {
      const types: Record<number, string> = {
        401: 'authentication_error',
        404: 'not_found_error',
        429: 'rate_limit_error',
        529: 'overloaded_error',
      }
      const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
      return { type: 'error', error: { type, message }, request_id: 'req_1' }
    }
    if (this.vendor === 'openai')
      return { error: { message, type: 'invalid_request_error', param: null, code: null } }
    const names: Record<number, string> = {
      400: 'INVALID_ARGUMENT',
      403: 'PERMISSION_DENIED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      503: 'UNAVAILABLE',
    }
    return {
      error: {
        code: status,
        message,
        status: names[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      },
    }
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...headers,
  })
  response.end(body === undefined ? '' : JSON.stringify(body))
}
