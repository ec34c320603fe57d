import { AgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { withoutEnd } from '../base/without-end.js'
import { type Connection, errorOf, type Outgoing } from '../connection/connection.js'
import { extensionUri } from '../wire/extension.js'
import { decodeProto, type ProtoMessages } from './proto-json.js'
import type { A2aSendRequest, A2aStreamResponse, A2aTask } from './types.js'

/** One interface of an A2A agent. */
export interface A2aInterface {
  readonly url: string
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  readonly tenant?: string
}

/** One event of a stream, with its number if the agent gives numbers. */
export interface NumberedResponse {
  readonly response: A2aStreamResponse
  readonly seq?: number
}

/** An operation as both bindings spell it. */
interface WireCall {
  /** Name of the JSON-RPC method. */
  readonly rpc: string
  readonly method: 'GET' | 'POST'
  /** Path of the HTTP+JSON binding, with its query. */
  readonly path: string
  /** Without the tenant. */
  readonly params: object
  readonly signal?: AbortSignal | undefined
  /** Number of the last event that was seen. */
  readonly after?: number | undefined
}

const commonHeaders: Readonly<Record<string, string>> = {
  'a2a-version': '1.0',
  'a2a-extensions': extensionUri,
  accept: 'application/a2a+json, application/json, text/event-stream',
}

const at = (id: string): string => `/tasks/${encodeURIComponent(id)}`

/**
 * The operations of A2A 1.0 over one interface. Each throws what the agent refused as an
 * {@link AgentError}.
 */
export class A2aTransport {
  readonly #connection: Connection
  readonly #interface: A2aInterface
  readonly #isRpc: boolean
  #id = 0

  constructor(connection: Connection, address: A2aInterface) {
    this.#connection = connection
    this.#interface = address
    this.#isRpc = address.binding === 'JSONRPC'
  }

  async send(params: A2aSendRequest, signal?: AbortSignal): Promise<A2aStreamResponse> {
    const call = {
      rpc: 'SendMessage',
      method: 'POST',
      path: '/message:send',
      params,
      signal,
    } as const
    return decodeProto('SendMessageResponse', await this.#call(call))
  }

  stream(params: A2aSendRequest, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    return this.#stream({
      rpc: 'SendStreamingMessage',
      method: 'POST',
      path: '/message:stream',
      params,
      signal,
    })
  }

  /**
   * @param after number of the last event that was seen: an agent with our extension continues
   * there
   */
  subscribe(id: string, after?: number, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    const path = `${at(id)}:subscribe`
    return this.#stream({
      rpc: 'SubscribeToTask',
      method: 'GET',
      path,
      params: { id },
      signal,
      after,
    })
  }

  async get(id: string, historyLength?: number, signal?: AbortSignal): Promise<A2aTask> {
    const params = { id, ...(historyLength !== undefined && { historyLength }) }
    const path = at(id) + (historyLength === undefined ? '' : `?historyLength=${historyLength}`)
    return decodeProto(
      'Task',
      await this.#call({ rpc: 'GetTask', method: 'GET', path, params, signal }),
    )
  }

  async list(
    params: Readonly<Record<string, string | number>>,
    signal?: AbortSignal,
  ): Promise<ProtoMessages['ListTasksResponse']> {
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, String(value)]),
    )
    const call = {
      rpc: 'ListTasks',
      method: 'GET',
      path: `/tasks?${query}`,
      params,
      signal,
    } as const
    return decodeProto('ListTasksResponse', await this.#call(call))
  }

  async cancel(id: string, metadata?: JsonObject): Promise<A2aTask> {
    const params = { id, ...(metadata && { metadata }) }
    return decodeProto(
      'Task',
      await this.#call({ rpc: 'CancelTask', method: 'POST', path: `${at(id)}:cancel`, params }),
    )
  }

  extendedCard(signal?: AbortSignal): Promise<unknown> {
    return this.#call({
      rpc: 'GetExtendedAgentCard',
      method: 'GET',
      path: '/extendedAgentCard',
      params: {},
      signal,
    })
  }

  async #call(call: WireCall): Promise<unknown> {
    return this.#resultOf(
      await this.#connection.json(await this.#connection.send(this.#outgoing(call))),
    )
  }

  async *#stream(call: WireCall): AsyncGenerator<NumberedResponse, void> {
    const { idleMs = 60_000 } = this.#connection.options
    const response = await this.#connection.send({ ...this.#outgoing(call), idleMs })
    if (
      !response.ok ||
      !response.body ||
      !response.headers.get('content-type')?.startsWith('text/event-stream')
    ) {
      this.#resultOf(await this.#connection.json(response))
      throw new AgentError('invalid-agent-response', 'The agent did not send a stream')
    }
    for await (const { data, id, event } of this.#connection.events(response.body, idleMs)) {
      const value = parse(data)
      if (event === 'error') throw errorOf(value)
      yield {
        response: decodeProto('StreamResponse', this.#resultOf(value)),
        ...(id !== undefined && /^\d{1,15}$/.test(id) && { seq: Number(id) }),
      }
    }
  }

  #outgoing({ rpc, method, path, params, signal, after }: WireCall): Outgoing {
    const { url, tenant } = this.#interface
    const headers = {
      ...commonHeaders,
      ...(after !== undefined && { 'last-event-id': String(after) }),
    }
    const body = tenant === undefined ? params : { ...params, tenant }
    if (this.#isRpc) {
      const request = { jsonrpc: '2.0', id: ++this.#id, method: rpc, params: body }
      return { method: 'POST', url, headers, signal, body: request }
    }
    const base =
      withoutEnd(url, '/') + (tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`)
    if (method === 'GET') return { method, url: base + path, headers, signal }
    return {
      method,
      url: base + path,
      headers: { ...headers, 'content-type': 'application/a2a+json' },
      signal,
      body,
    }
  }

  /** @throws {AgentError} what the agent refused */
  #resultOf(body: unknown): unknown {
    if (isObject(body) && body['error'] !== undefined) throw errorOf(body)
    if (!this.#isRpc) return body
    return isObject(body) ? body['result'] : undefined
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch (error) {
    throw new AgentError('invalid-agent-response', 'The agent sent an event that is not JSON', {
      cause: error,
    })
  }
}
