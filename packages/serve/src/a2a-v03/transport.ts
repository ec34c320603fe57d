import { AgentError } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import type { A2aOperations, NumberedResponse } from '../a2a/a2a-transport.js'
import type { A2aSendRequest, A2aStreamResponse, A2aTask } from '../a2a/types.js'
import type { Connection } from '../connection/connection.js'
import { type A2aAddress, type WireCall, WireRequests } from '../connection/wire-requests.js'
import { fromLegacyEvent, fromLegacyTask, toLegacySend } from './json-codec.js'
import { fromLegacyProtoEvent, fromLegacyProtoTask, toLegacyProtoSend } from './proto-codec.js'

const at = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`

/** The operations of A2A 0.3 over one interface. Its two bindings encode the same objects differently. */
export class LegacyTransport implements A2aOperations {
  readonly #requests: WireRequests

  constructor(connection: Connection, address: A2aAddress) {
    this.#requests = new WireRequests(connection, address, { 'a2a-version': '0.3' })
  }

  async send(request: A2aSendRequest, signal?: AbortSignal): Promise<A2aStreamResponse> {
    const value = await this.#requests.call(this.#sending('send', request, signal))
    return this.#event(value)
  }

  stream(request: A2aSendRequest, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    return this.#stream(this.#sending('stream', request, signal))
  }

  subscribe(id: string, _after?: number, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    const path = `${at(id)}:subscribe`
    return this.#stream({ rpc: 'tasks/resubscribe', method: 'GET', path, params: { id }, signal })
  }

  async get(id: string, historyLength?: number, signal?: AbortSignal): Promise<A2aTask> {
    const path = at(id) + (historyLength === undefined ? '' : `?historyLength=${historyLength}`)
    const params = { id, ...(historyLength !== undefined && { historyLength }) }
    return this.#task(await this.#requests.call({ rpc: 'tasks/get', method: 'GET', path, params, signal }))
  }

  list(): Promise<never> {
    return Promise.reject(new AgentError('unsupported-operation', 'A2A 0.3 cannot list tasks'))
  }

  async cancel(id: string, metadata?: JsonObject): Promise<A2aTask> {
    const params = { id, ...(metadata && { metadata }) }
    const path = `${at(id)}:cancel`
    return this.#task(await this.#requests.call({ rpc: 'tasks/cancel', method: 'POST', path, params, body: {} }))
  }

  extendedCard(signal?: AbortSignal): Promise<unknown> {
    const rpc = 'agent/getAuthenticatedExtendedCard'
    return this.#requests.call({ rpc, method: 'GET', path: '/v1/card', params: {}, signal })
  }

  #sending(name: 'send' | 'stream', request: A2aSendRequest, signal: AbortSignal | undefined): WireCall {
    const path = `/v1/message:${name}`
    const [params, body] = this.#requests.isRpc ? [toLegacySend(request)] : [{}, toLegacyProtoSend(request)]
    return { rpc: `message/${name}`, method: 'POST', path, params, ...(body && { body }), signal }
  }

  #task(value: unknown): A2aTask {
    return this.#requests.isRpc ? fromLegacyTask(value) : fromLegacyProtoTask(value)
  }

  #event(value: unknown): A2aStreamResponse {
    return this.#requests.isRpc ? fromLegacyEvent(value) : fromLegacyProtoEvent(value)
  }

  async *#stream(call: WireCall): AsyncGenerator<NumberedResponse, void> {
    for await (const { value } of this.#requests.stream(call)) yield { response: this.#event(value) }
  }
}
