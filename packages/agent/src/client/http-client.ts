import type { JsonObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import type { CompactionResult } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import { systemEntropy } from '../base/ids.js'
import { isObject, objectAt } from '../base/json.js'
import type { AgentCard } from '../models/card.js'
import type { HistoryCompactionRequest } from '../models/compaction-control.js'
import { createMessage, type Message } from '../models/message.js'
import { type Part, parts } from '../models/part.js'
import type { Task } from '../models/task.js'
import { toForeignMetadata } from '../run/run-context.js'
import { fromA2aTask, toA2aMessage, toA2aState } from '../wire/a2a/task-codec.js'
import type { A2aSendRequest } from '../wire/a2a/types.js'
import { type A2aOperations, A2aTransport } from './a2a-transport.js'
import type { AgentClient, ApprovalDecision, ClientEvent, ListOptions, SendOptions, TaskList } from './client.js'
import { type AgentClientOptions, clientOptionNames, Connection } from './connection.js'
import { chooseInterface, fetchCard, type FoundCard, withExtendedCard } from './discovery.js'
import { follow, isLost, pause } from './follow.js'
import { LegacyTransport } from './legacy-transport.js'
import { ProtolinkTransport } from './protolink-transport.js'
import { StreamStory, taskOf } from './client-events.js'
import { extensionUri } from '../wire/extension.js'

/**
 * Makes a client of an agent that is reached over HTTP. Nothing is contacted yet; the first call fetches the card.
 * @throws {LlmError} `invalid-base-url`
 */
export function createAgentClient(url: string, options: AgentClientOptions = {}): AgentClient {
  checkSettings('createAgentClient', options, clientOptionNames)
  return new HttpClient(new Connection(url, options))
}

/** A message of whatever a caller gave. */
export const toMessage = (message: string | readonly Part[] | Message): Message =>
  typeof message === 'string' || Array.isArray(message)
    ? createMessage('user', message as string | readonly Part[], systemEntropy)
    : (message as Message)

class HttpClient implements AgentClient {
  readonly #connection: Connection
  #found: FoundCard | undefined
  #fetching: Promise<FoundCard> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  hosts(): readonly string[] {
    const others = (this.#connection.options.allowedOrigins ?? []).map((origin) => new Connection(origin, {}).host)
    return [...new Set([this.#connection.host, ...others])]
  }

  async card(signal?: AbortSignal): Promise<AgentCard> {
    return (await this.#find(signal)).card
  }

  async extendedCard(signal?: AbortSignal): Promise<AgentCard> {
    const found = await this.#find(signal)
    if (!found.card.capabilities.extendedAgentCard)
      throw new AgentError('unsupported-operation', 'The agent has no extended card: its card says so')
    const transport = await this.#a2a(signal)
    this.#found = await withExtendedCard(this.#connection, found, await transport.extendedCard(signal))
    return this.#found.card
  }

  async send(message: string | readonly Part[] | Message, options: SendOptions = {}): Promise<Task> {
    const transport = await this.#transport(options.signal)
    if (transport instanceof ProtolinkTransport) return transport.send(toMessage(message), options)
    return this.#send(transport, toRequest(message, options), options.signal)
  }

  async #send(transport: A2aOperations, request: A2aSendRequest, signal: AbortSignal | undefined): Promise<Task> {
    const { maxReconnects = 5, reconnectMs } = this.#connection.options
    for (let failures = 0; ; ) {
      try {
        return taskOf(await transport.send(request, signal))
      } catch (error) {
        if (signal?.aborted || !this.#canResend() || !isLost(error) || ++failures > maxReconnects) throw error
        await pause(failures, reconnectMs)
      }
    }
  }

  async *stream(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): AsyncGenerator<ClientEvent, void> {
    const { signal } = options
    const transport = await this.#transport(signal)
    if (transport instanceof ProtolinkTransport) {
      const task = await transport.send(toMessage(message), options)
      yield { type: 'task', task }
      return
    }
    const request = toRequest(message, options)
    const { card } = await this.#find()
    if (!card.capabilities.streaming) {
      const story = new StreamStory()
      yield* story.end(await this.#send(transport, request, signal))
      return
    }
    yield* follow({
      transport,
      options: this.#connection.options,
      signal,
      open: () => transport.stream(request, signal),
      canResend: this.#canResend(),
    })
  }

  async *subscribe(taskId: string, signal?: AbortSignal): AsyncGenerator<ClientEvent, void> {
    const transport = await this.#a2a(signal)
    yield* follow({
      transport,
      options: this.#connection.options,
      signal,
      open: () => transport.subscribe(taskId, undefined, signal),
      canResend: true,
      taskId,
    })
  }

  async get(
    taskId: string,
    options: { readonly historyLength?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Task> {
    const transport = await this.#a2a(options.signal)
    return fromA2aTask(await transport.get(taskId, options.historyLength, options.signal))
  }

  async list(options: ListOptions = {}): Promise<TaskList> {
    const { sessionId, state, pageSize, pageToken, signal } = options
    const transport = await this.#a2a(signal)
    const page = await transport.list(
      {
        ...(sessionId !== undefined && { contextId: sessionId }),
        ...(state !== undefined && { status: toA2aState(state) }),
        ...(pageSize !== undefined && { pageSize }),
        ...(pageToken !== undefined && { pageToken }),
      },
      signal,
    )
    return {
      tasks: page.tasks.map((task) => fromA2aTask(task)),
      total: page.totalSize,
      ...(page.nextPageToken && { next: page.nextPageToken }),
    }
  }

  async cancel(taskId: string, reason?: string): Promise<Task> {
    const transport = await this.#transport()
    if (transport instanceof ProtolinkTransport) return transport.cancel(taskId, reason)
    return fromA2aTask(await transport.cancel(taskId, reason === undefined ? undefined : { reason }))
  }

  decideApprovals(task: Task, decisions: readonly ApprovalDecision[], signal?: AbortSignal): Promise<Task> {
    const message = decisions.map((decision) => parts.approval(decision))
    return this.send(message, { taskId: task.id, ...(signal && { signal }) })
  }

  async compactHistory(
    sessionId: string,
    request: Partial<HistoryCompactionRequest> = {},
  ): Promise<Omit<CompactionResult, 'changed'>> {
    return new ProtolinkTransport(this.#connection).compactHistory(sessionId, request)
  }

  /** The card, from the cache while it is fresh. Callers that come while it is fetched share the request. */
  async #find(signal?: AbortSignal): Promise<FoundCard> {
    const known = this.#found
    if (known && Date.now() < known.freshUntil) return known
    if (this.#fetching) return this.#fetching
    this.#fetching = fetchCard(this.#connection, signal, known)
    try {
      const found = await this.#fetching
      this.#found = found
      return found
    } finally {
      this.#fetching = undefined
    }
  }

  /** True if the agent has our extension: the id of a message that it knows gives the same task again. */
  #canResend(): boolean {
    const found = this.#found
    if (found?.kind !== 'a2a' || chooseInterface(this.#connection, found).version !== '1.0') return false
    const { extensions } = objectAt(found.wire, 'capabilities')
    return Array.isArray(extensions) && extensions.some((each) => isObject(each) && each['uri'] === extensionUri)
  }

  async #transport(signal?: AbortSignal): Promise<A2aOperations | ProtolinkTransport> {
    const found = await this.#find(signal)
    if (found.kind === 'protolink') return new ProtolinkTransport(this.#connection)
    const address = chooseInterface(this.#connection, found)
    const Transport = address.version === '0.3' ? LegacyTransport : A2aTransport
    return new Transport(this.#connection, address)
  }

  async #a2a(signal?: AbortSignal): Promise<A2aOperations> {
    const transport = await this.#transport(signal)
    if (!(transport instanceof ProtolinkTransport)) return transport
    throw new AgentError('unsupported-operation', 'The agent speaks only Protolink, which has no such operation')
  }
}

function toRequest(message: string | readonly Part[] | Message, options: SendOptions): A2aSendRequest {
  const { taskId, sessionId, historyLength, returnImmediately, metadata, run } = options
  const context = run ? toForeignMetadata(run) : {}
  const merged: JsonObject = { ...metadata, ...context }
  return {
    message: toA2aMessage(
      toMessage(message),
      { ...(taskId !== undefined && { taskId }), ...(sessionId !== undefined && { contextId: sessionId }) },
      true,
    ),
    ...((historyLength !== undefined || returnImmediately) && {
      configuration: {
        ...(historyLength !== undefined && { historyLength }),
        ...(returnImmediately && { returnImmediately }),
      },
    }),
    ...(Object.keys(merged).length && { metadata: merged }),
  }
}
