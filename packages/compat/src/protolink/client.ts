import {
  type AgentClient,
  AgentError,
  type ClientEvent,
  createMessage,
  createTask,
  type Message,
  type Part,
  type SendOptions,
  type Task,
} from '@modelport/agent'
import {
  type ClientProtocol,
  type Connection,
  compaction,
  type ProtocolClient,
  runContext,
} from '@modelport/serve/wire'
import { fromProtolinkCard } from './card-codec.js'
import { toProtolinkPermissions } from './permissions.js'
import { readProtolinkStream } from './stream-reader.js'
import { fromProtolinkTask, toProtolinkTask } from './task-codec.js'

/** Protolink for clients: `createAgentClient(url, { fallback: protolinkClient })`. */
export const protolinkClient: ClientProtocol = Object.freeze({
  name: 'Protolink',
  cardPath: '/.well-known/agent.json',
  readCard: fromProtolinkCard,
  connect: (connection: Connection) => new ProtolinkTransport(connection),
})

/** The operations of Protolink. */
class ProtolinkTransport implements ProtocolClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async send(message: string | readonly Part[] | Message, options: SendOptions = {}): Promise<Task> {
    return fromProtolinkTask(await this.#post('/tasks/', wireTaskOf(message, options), options.signal))
  }

  async *stream(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): AsyncGenerator<ClientEvent, void> {
    const body = wireTaskOf(message, options)
    const { signal } = options
    const { idleMs = 60_000 } = this.#connection.options
    const url = this.#connection.at('/tasks/stream')
    const response = await this.#connection.send({ method: 'POST', url, body, signal, idleMs })
    if (response.status === 404 || response.status === 405) {
      // Not every agent streams.
      await response.body?.cancel()
      yield { type: 'task', task: fromProtolinkTask(await this.#post('/tasks/', body, signal)) }
      return
    }
    if (!response.ok || !response.body) {
      await this.#connection.json(response)
      throw new AgentError('invalid-agent-response', 'The agent did not send a stream')
    }
    yield* readProtolinkStream(this.#connection.events(response.body, idleMs), fromProtolinkTask(body))
  }

  async cancel(id: string, reason?: string): Promise<Task> {
    return fromProtolinkTask(
      await this.#post('/tasks/cancel', { id, metadata: reason === undefined ? {} : { reason } }),
    )
  }

  async compactHistory(
    sessionId: string,
    request: Parameters<AgentClient['compactHistory']>[1] = {},
  ): ReturnType<AgentClient['compactHistory']> {
    return compaction.readCompactionResult(
      await this.#post('/llm/history/compact', compaction.toCompaction(sessionId, request)),
    )
  }

  async #post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#connection.json(
      await this.#connection.send({ method: 'POST', url: this.#connection.at(path), body, signal }),
    )
  }
}

function wireTaskOf(message: string | readonly Part[] | Message, options: SendOptions): object {
  const { taskId, sessionId, metadata, run, limits } = options
  const isMessage = typeof message === 'object' && 'parts' in message
  const task = createTask(isMessage ? message : createMessage('user', message), {
    ...(taskId !== undefined && { id: taskId }),
    ...(sessionId !== undefined && { sessionId }),
    metadata: {
      ...metadata,
      ...((run ?? limits) && { run_context: runContextOf({ ...run, ...(limits && { limits }) }) }),
    },
  })
  return toProtolinkTask(task)
}

/** Deadline and session are not Protolink's; its permissions are rules. */
function runContextOf(run: Partial<NonNullable<SendOptions['run']>>): object {
  const { deadline: _, session_id: __, permissions: ___, ...context } = runContext.toRunContext(run)
  return { ...context, ...(run.permissions && { permissions: toProtolinkPermissions(run.permissions) }) }
}
