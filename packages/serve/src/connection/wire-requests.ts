import { AgentError } from '@modelport/agent'
import { isObject } from '@modelport/core'
import { withoutEnd } from '../base/without-end.js'
import { type Connection, errorOf, type Outgoing } from './connection.js'

/** One interface of an A2A agent. */
export interface A2aAddress {
  readonly url: string
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  readonly tenant?: string
}

/** An operation as both bindings spell it. */
export interface WireCall {
  /** Name of the JSON-RPC method. */
  readonly rpc: string
  readonly method: 'GET' | 'POST'
  /** Path of the HTTP+JSON binding, with its query. */
  readonly path: string
  readonly params: object
  /** Body of the HTTP+JSON binding. Default: `params`. */
  readonly body?: object
  readonly signal?: AbortSignal | undefined
  /** Number of the last event that was seen. */
  readonly after?: number | undefined
}

const accepted = 'application/a2a+json, application/json, text/event-stream'

/** Sends operations to one interface of an agent, over its binding. */
export class WireRequests {
  readonly #connection: Connection
  readonly #address: A2aAddress
  readonly #headers: Readonly<Record<string, string>>
  #id = 0

  constructor(connection: Connection, address: A2aAddress, headers: Readonly<Record<string, string>>) {
    this.#connection = connection
    this.#address = address
    this.#headers = headers
  }

  get isRpc(): boolean {
    return this.#address.binding === 'JSONRPC'
  }

  /** The result of an operation. @throws {AgentError} what the agent refused */
  async call(call: WireCall): Promise<unknown> {
    const value = await this.#connection.json(await this.#connection.send(this.#outgoing(call)))
    return this.isRpc ? resultOf(value) : value
  }

  /** The events of an operation that streams. @throws {AgentError} what the agent refused */
  async *stream(call: WireCall): AsyncGenerator<{ readonly value: unknown; readonly seq?: number }, void> {
    const { idleMs = 60_000 } = this.#connection.options
    const response = await this.#connection.send({ ...this.#outgoing(call), idleMs })
    if (!response.ok || !response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      resultOf(await this.#connection.json(response))
      throw new AgentError('invalid-agent-response', 'The agent did not send a stream')
    }
    for await (const { data, id, event } of this.#connection.events(response.body, idleMs)) {
      const value = parse(data)
      if (event === 'error') throw errorOf(value)
      const result = this.isRpc ? resultOf(value) : restResultOf(value)
      yield { value: result, ...(id !== undefined && /^\d{1,15}$/.test(id) && { seq: Number(id) }) }
    }
  }

  #outgoing({ rpc, method, path, params, body = params, signal, after }: WireCall): Outgoing {
    const { url, tenant } = this.#address
    const headers = {
      ...this.#headers,
      accept: accepted,
      ...(after !== undefined && { 'last-event-id': String(after) }),
    }
    if (this.isRpc)
      return { method: 'POST', url, headers, signal, body: { jsonrpc: '2.0', id: ++this.#id, method: rpc, params } }
    const base = withoutEnd(url, '/') + (tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`)
    if (method === 'GET') return { method, url: base + path, headers, signal }
    return { method, url: base + path, headers: { ...headers, 'content-type': 'application/a2a+json' }, signal, body }
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch (error) {
    throw new AgentError('invalid-agent-response', 'The agent sent an event that is not JSON', { cause: error })
  }
}

/** @throws {AgentError} what the agent refused */
function resultOf(body: unknown): unknown {
  if (isObject(body) && body['error'] !== undefined) throw errorOf(body)
  return isObject(body) ? body['result'] : undefined
}

const restResultOf = (body: unknown): unknown => {
  if (isObject(body) && body['error'] !== undefined) throw errorOf(body)
  return body
}
