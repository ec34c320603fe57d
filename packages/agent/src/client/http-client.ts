import type { JsonObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import type { CompactionResult } from '@modelport/runtime'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { systemEntropy } from '../base/ids.js'
import type { AgentCard } from '../models/card.js'
import type { HistoryCompactionRequest } from '../models/compaction-control.js'
import { createMessage, type Message } from '../models/message.js'
import { type Part, parts } from '../models/part.js'
import type { Task } from '../models/task.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import { toForeignMetadata } from '../run/run-context.js'
import { fromA2aState, fromA2aTask, toA2aMessage, toA2aState } from '../wire/a2a/task-codec.js'
import type { A2aSendRequest, A2aStreamResponse } from '../wire/a2a/types.js'
import { type A2aOperations, A2aTransport } from './a2a-transport.js'
import type { AgentClient, ApprovalDecision, ClientEvent, ListOptions, SendOptions, TaskList } from './client.js'
import { type AgentClientOptions, clientOptionNames, Connection } from './connection.js'
import { chooseInterface, fetchCard, type FoundCard, withExtendedCard } from './discovery.js'
import { LegacyTransport } from './legacy-transport.js'
import { ProtolinkTransport } from './protolink-transport.js'
import { taskOf, toClientEvents } from './client-events.js'
import type { NumberedResponse } from './wire-requests.js'

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
    return taskOf(await transport.send(toRequest(message, options), options.signal))
  }

  async *stream(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): AsyncGenerator<ClientEvent, void> {
    const transport = await this.#transport(options.signal)
    if (transport instanceof ProtolinkTransport) {
      const task = await transport.send(toMessage(message), options)
      yield { type: 'task', task }
      return
    }
    const { card } = await this.#find()
    if (!card.capabilities.streaming) {
      yield { type: 'task', task: taskOf(await transport.send(toRequest(message, options), options.signal)) }
      return
    }
    yield* this.#follow(transport, transport.stream(toRequest(message, options), options.signal), options.signal)
  }

  async *subscribe(taskId: string, signal?: AbortSignal): AsyncGenerator<ClientEvent, void> {
    const transport = await this.#a2a(signal)
    yield* this.#follow(transport, transport.subscribe(taskId, undefined, signal), signal, taskId)
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

  /** Reads a stream; one that breaks is taken up again: after the last event if the agent numbers them, else by a snapshot. */
  async *#follow(
    transport: A2aOperations,
    source: AsyncIterable<NumberedResponse>,
    signal: AbortSignal | undefined,
    knownId?: string,
  ): AsyncGenerator<ClientEvent, void> {
    const { maxReconnects = 5, reconnectMs = 250 } = this.#connection.options
    let taskId = knownId
    let seen: number | undefined
    let failures = 0
    let isResumed = false
    let current = source
    for (;;) {
      let events = 0
      let problem: Error | undefined
      try {
        for await (const { response, seq } of current) {
          taskId ??= response.task?.id ?? response.statusUpdate?.taskId
          // Between peers a resumed stream continues where it was: its snapshot would repeat what was shown.
          const isRepeated = isResumed && response.task !== undefined && seen !== undefined && seq === undefined
          if (seq !== undefined && seq > 0) seen = Math.max(seen ?? 0, seq)
          // The snapshot that a resumed stream begins with is not progress.
          if (++events > 1 || !isResumed) failures = 0
          if (!isRepeated) for (const event of toClientEvents(response)) yield event
          if (isEnd(response)) return
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (taskId !== undefined && isAgentError(error, 'unsupported-operation')) break
        if (taskId === undefined || isRefusal(error)) throw error
        problem = error instanceof Error ? error : new Error('the stream broke', { cause: error })
      }
      if (taskId === undefined) return
      // A resumed stream that gives its snapshot and closes is as lost as one that breaks.
      if (problem !== undefined || (isResumed && events < 2)) failures++
      if (failures > maxReconnects)
        throw (
          problem ??
          new AgentError('invalid-agent-response', 'The agent closes every stream of a task that is not over')
        )
      await new Promise((resolve) => setTimeout(resolve, failures ? reconnectMs * 2 ** (failures - 1) : 0))
      const task = await this.#snapshot(transport, taskId, signal)
      if (task && isTerminal(task.state)) {
        yield { type: 'task', task }
        return
      }
      if (problem === undefined && task && isInterrupted(task.state)) return
      isResumed = true
      current = transport.subscribe(taskId, seen, signal)
    }
    const last = await this.#snapshot(transport, taskId, signal)
    if (last) yield { type: 'task', task: last }
  }

  async #snapshot(transport: A2aOperations, id: string, signal: AbortSignal | undefined): Promise<Task | undefined> {
    try {
      return fromA2aTask(await transport.get(id, undefined, signal))
    } catch (error) {
      signal?.throwIfAborted()
      if (isRefusal(error)) throw error
      return undefined
    }
  }
}

/** True for what another try does not change. */
const isRefusal = (error: unknown): boolean =>
  isAgentError(error) && !['busy', 'internal', 'stream-behind', 'invalid-agent-response'].includes(error.reason)

const isEnd = ({ statusUpdate, message, task }: A2aStreamResponse): boolean => {
  if (message) return true
  const state = statusUpdate?.status.state ?? task?.status.state
  if (state === undefined) return false
  const inner = fromA2aState(state)
  return isTerminal(inner) || (statusUpdate !== undefined && inner === 'input-required')
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
