import type { JsonObject } from '@modelport/core'
import type { Connection } from '../connection/connection.js'
import { type A2aAddress, type WireCall, WireRequests } from '../connection/wire-requests.js'
import { extensionUri } from '../wire/extension.js'
import { decodeProto, type ProtoMessages } from './proto-json.js'
import type { A2aSendRequest, A2aStreamResponse, A2aTask } from './types.js'

/** One event of a stream, with its number if the agent gives numbers. */
export interface NumberedResponse {
  readonly response: A2aStreamResponse
  readonly seq?: number
}

const at = (id: string): string => `/tasks/${encodeURIComponent(id)}`

/** The operations of A2A 1.0 over one interface. */
export class A2aTransport {
  readonly #requests: WireRequests
  readonly #tenant: string | undefined

  constructor(connection: Connection, address: A2aAddress) {
    this.#requests = new WireRequests(connection, address, { 'a2a-version': '1.0', 'a2a-extensions': extensionUri })
    this.#tenant = address.tenant
  }

  async send(request: A2aSendRequest, signal?: AbortSignal): Promise<A2aStreamResponse> {
    const call = { rpc: 'SendMessage', method: 'POST', path: '/message:send', params: this.#scoped(request) } as const
    return decodeProto('SendMessageResponse', await this.#requests.call({ ...call, signal }))
  }

  stream(request: A2aSendRequest, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    const params = this.#scoped(request)
    return this.#stream({ rpc: 'SendStreamingMessage', method: 'POST', path: '/message:stream', params, signal })
  }

  /** @param after number of the last event that was seen: an agent with our extension continues there */
  subscribe(id: string, after?: number, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    const path = `${at(id)}:subscribe`
    return this.#stream({ rpc: 'SubscribeToTask', method: 'GET', path, params: this.#scoped({ id }), signal, after })
  }

  async get(id: string, historyLength?: number, signal?: AbortSignal): Promise<A2aTask> {
    const params = this.#scoped({ id, ...(historyLength !== undefined && { historyLength }) })
    const path = at(id) + (historyLength === undefined ? '' : `?historyLength=${historyLength}`)
    return decodeProto('Task', await this.#requests.call({ rpc: 'GetTask', method: 'GET', path, params, signal }))
  }

  async list(
    fields: Readonly<Record<string, string | number>>,
    signal?: AbortSignal,
  ): Promise<ProtoMessages['ListTasksResponse']> {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
    const call = { rpc: 'ListTasks', method: 'GET', path: `/tasks?${query}`, params: this.#scoped(fields) } as const
    return decodeProto('ListTasksResponse', await this.#requests.call({ ...call, signal }))
  }

  async cancel(id: string, metadata?: JsonObject): Promise<A2aTask> {
    const params = this.#scoped({ id, ...(metadata && { metadata }) })
    const call = { rpc: 'CancelTask', method: 'POST', path: `${at(id)}:cancel`, params } as const
    return decodeProto('Task', await this.#requests.call(call))
  }

  extendedCard(signal?: AbortSignal): Promise<unknown> {
    const params = this.#scoped({})
    return this.#requests.call({
      rpc: 'GetExtendedAgentCard',
      method: 'GET',
      path: '/extendedAgentCard',
      params,
      signal,
    })
  }

  async *#stream(call: WireCall): AsyncGenerator<NumberedResponse, void> {
    for await (const { value, ...rest } of this.#requests.stream(call))
      yield { response: decodeProto('StreamResponse', value), ...rest }
  }

  #scoped<T extends object>(fields: T): T & { readonly tenant?: string } {
    return this.#tenant === undefined ? fields : { ...fields, tenant: this.#tenant }
  }
}
