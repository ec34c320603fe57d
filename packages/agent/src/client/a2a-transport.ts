import type { JsonObject } from '@modelport/core'
import { AgentError } from '../base/agent-error.js'
import { isObject } from '../base/json.js'
import { decodeProto, type ProtoMessages } from '../wire/a2a/proto-json.js'
import { fromLegacyEvent, fromLegacyTask, toLegacySend } from '../wire/a2a/legacy-codec.js'
import type { A2aSendRequest, A2aStreamResponse, A2aTask } from '../wire/a2a/types.js'
import { extensionUri } from '../wire/extension.js'
import { type Connection, errorOf } from './connection.js'
import { readEvents } from './event-stream.js'
import { withoutEnd } from '../base/without-end.js'

/** One interface of an agent that speaks A2A. */
export interface A2aAddress {
  readonly url: string
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  readonly version: '1.0' | '0.3'
  readonly tenant?: string
}

/** One event of a stream, with its number if the agent gives numbers. */
export interface NumberedResponse {
  readonly response: A2aStreamResponse
  readonly seq?: number
}

/** The operations of A2A over one interface. */
export class A2aTransport {
  readonly #connection: Connection
  readonly #address: A2aAddress
  #id = 0

  constructor(connection: Connection, address: A2aAddress) {
    this.#connection = connection
    this.#address = address
  }

  async send(request: A2aSendRequest, signal?: AbortSignal): Promise<A2aStreamResponse> {
    if (this.#address.version === '0.3')
      return fromLegacyEvent(await this.#rpc('message/send', toLegacySend(request), signal))
    const value = await this.#call('SendMessage', 'POST', '/message:send', this.#scoped(request), signal)
    return decodeProto('SendMessageResponse', value)
  }

  stream(request: A2aSendRequest, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    return this.#address.version === '0.3'
      ? this.#stream('message/stream', 'POST', '', toLegacySend(request), signal)
      : this.#stream('SendStreamingMessage', 'POST', '/message:stream', this.#scoped(request), signal)
  }

  /** @param after number of the last event that was seen: an agent with our extension continues there */
  subscribe(id: string, after?: number, signal?: AbortSignal): AsyncIterable<NumberedResponse> {
    return this.#address.version === '0.3'
      ? this.#stream('tasks/resubscribe', 'POST', '', { id }, signal)
      : this.#stream(
          'SubscribeToTask',
          'GET',
          `/tasks/${encodeURIComponent(id)}:subscribe`,
          this.#scoped({ id }),
          signal,
          after,
        )
  }

  async get(id: string, historyLength?: number, signal?: AbortSignal): Promise<A2aTask> {
    const fields = { id, ...(historyLength !== undefined && { historyLength }) }
    if (this.#address.version === '0.3') return fromLegacyTask(await this.#rpc('tasks/get', fields, signal))
    const query = historyLength === undefined ? '' : `?historyLength=${historyLength}`
    const value = await this.#call(
      'GetTask',
      'GET',
      `/tasks/${encodeURIComponent(id)}${query}`,
      this.#scoped(fields),
      signal,
    )
    return decodeProto('Task', value)
  }

  async list(
    fields: Readonly<Record<string, string | number>>,
    signal?: AbortSignal,
  ): Promise<ProtoMessages['ListTasksResponse']> {
    if (this.#address.version === '0.3') throw new AgentError('unsupported-operation', 'A2A 0.3 cannot list tasks')
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
    const value = await this.#call('ListTasks', 'GET', `/tasks?${query}`, this.#scoped(fields), signal)
    return decodeProto('ListTasksResponse', value)
  }

  async cancel(id: string, metadata?: JsonObject): Promise<A2aTask> {
    const fields = { id, ...(metadata && { metadata }) }
    if (this.#address.version === '0.3') return fromLegacyTask(await this.#rpc('tasks/cancel', fields))
    const value = await this.#call(
      'CancelTask',
      'POST',
      `/tasks/${encodeURIComponent(id)}:cancel`,
      this.#scoped(fields),
    )
    return decodeProto('Task', value)
  }

  #scoped<T extends object>(fields: T): T & { readonly tenant?: string } {
    const { tenant } = this.#address
    return tenant === undefined ? fields : { ...fields, tenant }
  }

  get #headers(): Readonly<Record<string, string>> {
    const { version } = this.#address
    return version === '0.3' ? {} : { 'a2a-version': version, 'a2a-extensions': extensionUri }
  }

  #call(rpc: string, method: string, path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    return this.#address.binding === 'JSONRPC' ? this.#rpc(rpc, body, signal) : this.#rest(method, path, body, signal)
  }

  async #rpc(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const response = await this.#connection.send(this.#rpcRequest(method, params, signal))
    const body = await this.#connection.json(response)
    return resultOf(body)
  }

  #rpcRequest(method: string, params: object, signal: AbortSignal | undefined, after?: number) {
    return {
      method: 'POST',
      url: this.#address.url,
      headers: { ...this.#headers, accept: 'application/json, text/event-stream', ...lastEvent(after) },
      body: { jsonrpc: '2.0', id: ++this.#id, method, params },
      signal,
    }
  }

  #restUrl(path: string): string {
    const { url, tenant } = this.#address
    return withoutEnd(url, '/') + (tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`) + path
  }

  #restRequest(method: string, path: string, body: object, signal: AbortSignal | undefined, after?: number) {
    return {
      method,
      url: this.#restUrl(path),
      headers: {
        ...this.#headers,
        accept: 'application/a2a+json, application/json, text/event-stream',
        ...lastEvent(after),
      },
      ...(method === 'POST' && { body }),
      signal,
    }
  }

  async #rest(method: string, path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    return this.#connection.json(await this.#connection.send(this.#restRequest(method, path, body, signal)))
  }

  async *#stream(
    rpc: string,
    method: string,
    path: string,
    body: object,
    signal: AbortSignal | undefined,
    after?: number,
  ): AsyncGenerator<NumberedResponse, void> {
    const { binding, version } = this.#address
    const request =
      binding === 'JSONRPC'
        ? this.#rpcRequest(rpc, body, signal, after)
        : this.#restRequest(method, path, body, signal, after)
    const response = await this.#connection.send(request)
    if (!response.ok || !response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      resultOf(await this.#connection.json(response))
      throw new AgentError('invalid-agent-response', 'The agent did not answer with a stream')
    }
    for await (const { data, id } of readEvents(response.body, this.#connection.options.idleMs ?? 60_000)) {
      const value = parse(data)
      const result = binding === 'JSONRPC' ? resultOf(value) : restResultOf(value)
      const event = version === '0.3' ? fromLegacyEvent(result) : decodeProto('StreamResponse', result)
      yield { response: event, ...(id !== undefined && /^\d+$/.test(id) && { seq: Number(id) }) }
    }
  }
}

const lastEvent = (after: number | undefined): Readonly<Record<string, string>> =>
  after === undefined ? {} : { 'last-event-id': String(after) }

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
