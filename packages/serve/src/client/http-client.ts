import {
  type AgentCard,
  type AgentClient,
  AgentError,
  type ClientEvent,
  checkSendOptions,
  createMessage,
  type DeliverOptions,
  type HistoryCompactionRequest,
  type LateResult,
  type ListOptions,
  type Message,
  type Part,
  type RequestDecision,
  type SendOptions,
  systemEntropy,
  type Task,
  type TaskList,
  TaskStory,
  toDecisionParts,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import type { CompactionResult } from '@modelport/runtime'
import { A2aTransport } from '../a2a/a2a-transport.js'
import { fromCheckedTask, toA2aMessage, toA2aState } from '../a2a/task-codec.js'
import type { A2aSendRequest } from '../a2a/types.js'
import { compactObject, objectAt } from '../base/json.js'
import { Connection } from '../connection/connection.js'
import { readCompactionResult, toCompaction } from '../wire/compaction.js'
import { compactionPath, extensionUri, forgetPath, resultPathOf } from '../wire/extension.js'
import { toPlainRunContext, toRunContext } from '../wire/run-context.js'
import { taskOf } from './client-events.js'
import { type AgentClientOptions, clientOptionNames } from './client-options.js'
import { chooseInterface, type FoundCard, fetchCard, withExtendedCard } from './discovery.js'
import { follow, isLost, isRefusal, pause } from './follow.js'

/**
 * Makes a client of an agent that is reached over HTTP. Nothing is contacted yet; the first call
 * fetches the card.
 * @throws {LlmError} `invalid-base-url`; `config` — an option is unknown
 */
export function createAgentClient(url: string, options: AgentClientOptions = {}): AgentClient {
  checkSettings('createAgentClient', options, clientOptionNames)
  return new HttpClient(new Connection(url, options), options)
}

/** A message of whatever a caller gave. */
const toMessage = (message: string | readonly Part[] | Message): Message =>
  typeof message === 'string' || Array.isArray(message)
    ? createMessage('user', message as string | readonly Part[], systemEntropy)
    : (message as Message)

class HttpClient implements AgentClient {
  readonly #connection: Connection
  readonly #options: AgentClientOptions
  #found: FoundCard | undefined
  #fetching: Promise<FoundCard> | undefined

  constructor(connection: Connection, options: AgentClientOptions) {
    this.#connection = connection
    this.#options = options
  }

  hosts(): readonly string[] {
    const others = (this.#options.allowedOrigins ?? []).map(
      (origin) => new Connection(origin, {}).host,
    )
    return [...new Set([this.#connection.host, ...others])]
  }

  async card(signal?: AbortSignal): Promise<AgentCard> {
    return (await this.#find(signal)).card
  }

  async extendedCard(signal?: AbortSignal): Promise<AgentCard> {
    const found = await this.#find(signal)
    if (!found.card.capabilities.extendedAgentCard)
      throw new AgentError(
        'unsupported-operation',
        'The agent has no extended card: its card says so',
      )
    const transport = await this.#transport(signal)
    const { verifyCard } = this.#options
    const extended = await withExtendedCard(
      { connection: this.#connection, verifyCard },
      found,
      await transport.extendedCard(signal),
    )
    this.#found = extended
    return extended.card
  }

  async send(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): Promise<Task> {
    checkSendOptions('send', options)
    const transport = await this.#transport(options.signal)
    return this.#send(transport, this.#toRequest(message, options), options.signal)
  }

  async #send(
    transport: A2aTransport,
    request: A2aSendRequest,
    signal: AbortSignal | undefined,
  ): Promise<Task> {
    const { maxReconnects = 5, reconnectMs } = this.#options
    let lost: unknown
    for (let failures = 0; ; ) {
      try {
        return taskOf(await transport.send(request, signal))
      } catch (error) {
        if (signal?.aborted || !this.#isOwn() || isRefusal(error)) throw error
        // That nobody can be reached now says nothing about an earlier sending.
        if (!isLost(error)) throw lost ?? error
        lost ??= error
        if (++failures > maxReconnects) throw error
        await pause(failures, reconnectMs)
      }
    }
  }

  async *stream(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): AsyncGenerator<ClientEvent, void> {
    checkSendOptions('stream', options)
    const { signal } = options
    const transport = await this.#transport(signal)
    const request = this.#toRequest(message, options)
    const { card } = await this.#find()
    if (!card.capabilities.streaming) {
      const story = new TaskStory()
      yield* story.end(await this.#send(transport, request, signal))
      return
    }
    yield* follow({
      transport,
      options: this.#options,
      signal,
      open: () => transport.stream(request, signal),
      canResend: this.#isOwn(),
    })
  }

  async *subscribe(taskId: string, signal?: AbortSignal): AsyncGenerator<ClientEvent, void> {
    const transport = await this.#transport(signal)
    yield* follow({
      transport,
      options: this.#options,
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
    const transport = await this.#transport(options.signal)
    return fromCheckedTask(await transport.get(taskId, options.historyLength, options.signal))
  }

  async list(options: ListOptions = {}): Promise<TaskList> {
    const { sessionId, state, pageSize, pageToken, signal } = options
    const transport = await this.#transport(signal)
    const status = state && toA2aState(state)
    const page = await transport.list(
      compactObject({ contextId: sessionId, status, pageSize, pageToken }),
      signal,
    )
    return {
      tasks: page.tasks.map((task) => fromCheckedTask(task)),
      total: page.totalSize,
      ...(page.nextPageToken && { next: page.nextPageToken }),
    }
  }

  async cancel(taskId: string, reason?: string): Promise<Task> {
    const transport = await this.#transport()
    return fromCheckedTask(
      await transport.cancel(taskId, reason === undefined ? undefined : { reason }),
    )
  }

  decide(task: Task, decisions: readonly RequestDecision[], signal?: AbortSignal): Promise<Task> {
    return this.send(toDecisionParts(task, decisions), { taskId: task.id, signal })
  }

  async deliver(taskId: string, result: LateResult, options: DeliverOptions = {}): Promise<void> {
    const body = { ...result, ...compactObject({ owner: options.owner, request: options.request }) }
    await this.#postOwn(resultPathOf(encodeURIComponent(taskId)), body, 'take results')
  }

  async compactHistory(
    sessionId: string,
    request: Partial<HistoryCompactionRequest> = {},
  ): Promise<Omit<CompactionResult, 'changed'>> {
    const body = toCompaction(sessionId, request)
    return readCompactionResult(
      await this.#postOwn(compactionPath, body, 'make a conversation shorter'),
    )
  }

  async forget(callers: readonly string[]): Promise<number> {
    const report = await this.#postOwn(forgetPath, { callers }, 'forget tasks')
    const { tasks } = isObject(report) ? report : {}
    if (typeof tasks === 'number') return tasks
    throw new AgentError('invalid-agent-response', 'The agent did not report what it forgot')
  }

  /** Asks for something that only our extension has. */
  async #postOwn(path: string, body: JsonObject, what: string): Promise<unknown> {
    await this.#find()
    if (!this.#isOwn())
      throw new AgentError('unsupported-operation', `Only agents of modelport ${what} over A2A`)
    const url = this.#connection.at(path)
    const response = await this.#connection.send({ method: 'POST', url, body })
    return this.#connection.json(response)
  }

  /**
   * The card, from the cache while it is fresh. Callers that come while it is fetched share the
   * request.
   */
  async #find(signal?: AbortSignal): Promise<FoundCard> {
    const known = this.#found
    if (known && Date.now() < known.freshUntil) return known
    if (this.#fetching) return this.#fetching
    const { verifyCard } = this.#options
    this.#fetching = fetchCard({ connection: this.#connection, signal, known, verifyCard })
    try {
      const found = await this.#fetching
      this.#found = found
      return found
    } finally {
      this.#fetching = undefined
    }
  }

  /**
   * True if the card names our extension: such an agent gives the same task again for the id of a
   * message that it knows.
   */
  #isOwn(): boolean {
    const { extensions } = objectAt(this.#found?.wire, 'capabilities')
    return (
      Array.isArray(extensions) &&
      extensions.some((each) => isObject(each) && each['uri'] === extensionUri)
    )
  }

  #toRequest(message: string | readonly Part[] | Message, options: SendOptions): A2aSendRequest {
    return toRequest(message, options, this.#isOwn())
  }

  async #transport(signal?: AbortSignal): Promise<A2aTransport> {
    const address = chooseInterface(this.#connection, this.#options, await this.#find(signal))
    return new A2aTransport(this.#connection, address)
  }
}

function toRequest(
  message: string | readonly Part[] | Message,
  options: SendOptions,
  isOwn: boolean,
): A2aSendRequest {
  const { taskId, sessionId, historyLength, returnImmediately, metadata, run, limits } = options
  const scope = { ...run, ...(limits && { limits }) }
  const context = (run ?? limits) ? { [extensionUri]: { run_context: toRunContext(scope) } } : {}
  const plain = (run ?? limits) && !isOwn ? toPlainRunContext(scope) : undefined
  const merged: JsonObject = {
    ...metadata,
    ...context,
    ...(plain && { run_context: { ...objectAt(metadata ?? {}, 'run_context'), ...plain } }),
  }
  const configuration = {
    ...compactObject({ historyLength }),
    ...(returnImmediately && { returnImmediately }),
  }
  return {
    message: toA2aMessage(
      toMessage(message),
      compactObject({ taskId, contextId: sessionId }),
      true,
    ),
    ...(Object.keys(configuration).length && { configuration }),
    ...(Object.keys(merged).length && { metadata: merged }),
  }
}
