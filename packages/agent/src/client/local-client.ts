import { LlmError } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { localPrincipal, parsePrincipal } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { AgentCard } from '../models/card.js'
import { createMessage, type Message } from '../models/message.js'
import type { Part, RequestDecision } from '../models/part.js'
import type { Task } from '../models/task.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import type { Agent } from '../run/agent.js'
import { AgentHost } from '../run/host.js'
import { type HostOptions, hostOptionNames } from '../run/host-options.js'
import type { Accepted } from '../run/incoming-message.js'
import type { LateResult } from '../run/result-webhook.js'
import { contextForChild } from '../run/run-context.js'
import type { TaskKey } from '../session/task-store.js'
import {
  type AgentClient,
  type ClientEvent,
  checkSendOptions,
  type DeliverOptions,
  type ListOptions,
  type SendOptions,
  type TaskList,
  toDecisionParts,
} from './client.js'
import { localEvents } from './local-events.js'

/** How a client of this process is made. */
export type LocalClientOptions = Pick<
  HostOptions,
  'store' | 'entropy' | 'onError' | 'webhookUrl'
> & {
  /**
   * Runs the tasks, for example that of a server; it has a store of its own. Default: a host for
   * this client.
   */
  readonly host?: AgentHost | undefined
  /**
   * Whose tasks they are, as the text of a `Principal`: the client sees no others. Default `local`,
   * as for `executeTask`, so that both see one conversation.
   */
  readonly principal?: string | undefined
}

/**
 * Makes a client of an agent in this process: the agent runs here, and tasks are kept in `store`.
 * @throws {LlmError} `config` — `principal` is not the text of one
 */
export function createLocalClient(agent: Agent, options: LocalClientOptions = {}): AgentClient {
  const { host, principal = localPrincipal, ...rest } = options
  checkSettings('createLocalClient', rest, ['host', 'principal', ...(host ? [] : hostOptionNames)])
  parsePrincipal(principal)
  return new LocalClient(agent, host ?? new AgentHost([agent], rest), principal)
}

class LocalClient implements AgentClient {
  readonly #agent: Agent
  readonly #host: AgentHost
  readonly #principal: string

  constructor(agent: Agent, host: AgentHost, principal: string) {
    this.#agent = agent
    this.#host = host
    this.#principal = principal
  }

  #keyOf(id: string): TaskKey {
    return { principal: this.#principal, id }
  }

  hosts(): readonly string[] {
    return []
  }

  card(): Promise<AgentCard> {
    return Promise.resolve(this.#agent.card)
  }

  extendedCard(): Promise<AgentCard> {
    const error = this.#agent.card.capabilities.extendedAgentCard
      ? new AgentError('unauthenticated', 'The extended card is for authenticated callers')
      : new AgentError('unsupported-operation', 'The agent has no extended card: its card says so')
    return Promise.reject(error)
  }

  async send(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): Promise<Task> {
    const accepted = await this.#accept('send', message, options)
    const task = options.returnImmediately
      ? accepted.task
      : await this.#host.settled(this.#keyOf(accepted.task.id), accepted.before, options.signal)
    return withHistory(task, options.historyLength)
  }

  async *stream(
    message: string | readonly Part[] | Message,
    options: SendOptions = {},
  ): AsyncGenerator<ClientEvent, void> {
    const { task, seq, before } = await this.#accept('stream', message, options)
    const isDone = isTerminal(task.state) || (isInterrupted(task.state) && seq > before)
    yield* localEvents(this.#host, this.#keyOf(task.id), {
      task,
      seq,
      isDone,
      signal: options.signal,
    })
  }

  async *subscribe(taskId: string, signal?: AbortSignal): AsyncGenerator<ClientEvent, void> {
    const { task, head } = await this.#host.get(this.#keyOf(taskId), this.#agent.name)
    const isDone = isTerminal(task.state)
    yield* localEvents(this.#host, this.#keyOf(taskId), { task, seq: head.seq, isDone, signal })
  }

  async get(taskId: string, options: { readonly historyLength?: number } = {}): Promise<Task> {
    const { task } = await this.#host.get(this.#keyOf(taskId), this.#agent.name)
    return withHistory(task, options.historyLength)
  }

  async list({ sessionId, state, pageSize = 50, pageToken }: ListOptions = {}): Promise<TaskList> {
    const { tasks } = this.#host.store
    const page = await tasks.list({
      principal: this.#principal,
      agent: this.#agent.name,
      limit: pageSize,
      ...(sessionId !== undefined && { sessionId }),
      ...(state !== undefined && { state }),
      ...(pageToken !== undefined && { cursor: pageToken }),
    })
    const found = await Promise.all(
      page.heads.map(({ record }) => tasks.load(this.#keyOf(record.id))),
    )
    return {
      tasks: found.flatMap((each) => (each ? [{ ...each.task, artifacts: [] }] : [])),
      total: page.total,
      ...(page.next && { next: page.next }),
    }
  }

  cancel(taskId: string, reason?: string): Promise<Task> {
    return this.#host.cancel(this.#keyOf(taskId), reason, this.#agent.name)
  }

  decide(task: Task, decisions: readonly RequestDecision[], signal?: AbortSignal): Promise<Task> {
    return this.send(toDecisionParts(task, decisions), { taskId: task.id, signal })
  }

  deliver(taskId: string, result: LateResult, options: DeliverOptions = {}): Promise<void> {
    const { owner = this.#principal, request } = options
    const key = { principal: owner, id: taskId }
    return this.#host.deliver(key, result, {
      by: this.#principal,
      ...(request !== undefined && { request }),
    })
  }

  async compactHistory(
    sessionId: string,
    request: Parameters<AgentClient['compactHistory']>[1] = {},
  ): ReturnType<AgentClient['compactHistory']> {
    const session = { principal: this.#principal, agent: this.#agent.name, id: sessionId }
    const { changed: _, ...report } = (await this.#host.compact(session, request)).report
    return report
  }

  forget(callers: readonly string[]): Promise<number> {
    return this.#host.forget(this.#principal, this.#agent.name, callers)
  }

  #accept(
    where: string,
    message: string | readonly Part[] | Message,
    options: SendOptions,
  ): Promise<Accepted> {
    const { taskId, sessionId, metadata, run, limits = run?.limits, signal } = options
    checkSendOptions(where, options)
    signal?.throwIfAborted()
    return this.#host.send({
      agent: this.#agent.name,
      principal: this.#principal,
      message: toMessage(message, this.#host.entropy),
      ...(taskId !== undefined && { taskId }),
      ...(sessionId !== undefined && { sessionId }),
      ...(metadata && { metadata }),
      ...((run ?? limits) && {
        context: { chain: [], ...(run && contextForChild(run)), ...(limits && { limits }) },
      }),
    })
  }
}

/** A message of whatever a caller gave. */
function toMessage(
  message: string | readonly Part[] | Message,
  entropy: AgentHost['entropy'],
): Message {
  if (typeof message === 'string') return createMessage('user', message, entropy)
  return 'parts' in message ? { ...message, role: 'user' } : createMessage('user', message, entropy)
}

/** The task with as much of its history as was asked for. @throws {LlmError} `invalid-request` */
function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task
  if (!Number.isInteger(length) || length < 0)
    throw new LlmError(
      'invalid-request',
      `historyLength must be a whole number of at least 0, not ${length}`,
    )
  return { ...task, messages: length ? task.messages.slice(-length) : [] }
}
