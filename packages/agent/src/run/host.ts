import type { ChatMessage } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { webhookPrincipal } from '@modelport/runtime'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import { textHash } from '../base/text-hash.js'
import type { HistoryCompactionRequest } from '../models/compaction-control.js'
import { createMessage, type Message } from '../models/message.js'
import { createPart } from '../models/part.js'
import { requestsOf, type Task } from '../models/task.js'
import { foldTask, type TaskRecord } from '../models/task-event.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import type { AgentStore } from '../session/agent-store.js'
import { createMemoryStore } from '../session/memory-store.js'
import { OffRecordTasks } from '../session/off-record.js'
import type { SessionKey } from '../session/session-store.js'
import type { TaskLeases } from '../session/task-leases.js'
import type {
  MessageClaim,
  NewTaskEvent,
  StoredTask,
  TaskHead,
  TaskKey,
} from '../session/task-store.js'
import { Activations } from './activations.js'
import type { Agent } from './agent.js'
import { type CompactedSession, compactSession } from './compact-session.js'
import { fingerprintOf } from './held-work.js'
import { type HostOptions, hostOptionNames } from './host-options.js'
import { isMessagePending } from './inbox-messages.js'
import type { Accepted, IncomingMessage } from './incoming-message.js'
import {
  digestsOf,
  hasResult,
  type LateResult,
  notDeliverer,
  toOutcome,
  toResultMessage,
} from './result-webhook.js'
import { extendChain } from './run-context.js'
import { isLateRequest } from './wait-state.js'
import { whenState } from './when-state.js'

/**
 * Runs the tasks of agents over a store. Servers, in-process clients and `executeTask` are built on
 * it.
 */
export class AgentHost {
  /**
   * What the host keeps. Its tasks include those off the record, which are never written to the
   * given store.
   */
  readonly store: AgentStore
  /** Clock and random source of the tasks. */
  readonly entropy: Entropy
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #activations: Activations
  #isDraining = false

  constructor(agents: readonly Agent[], options: HostOptions = {}) {
    checkSettings('AgentHost', options, hostOptionNames)
    const store = options.store ?? createMemoryStore()
    this.store = {
      ...store,
      tasks: new OffRecordTasks(store.tasks),
      ping: () => store.ping(),
      close: () => store.close(),
    }
    this.entropy = options.entropy ?? systemEntropy
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]))
    this.#activations = new Activations(this.store, this.entropy, this.#agents, options)
    if (this.store.leases) this.#look(this.store.leases, options)
  }

  /** Continues tasks whose process died, at the start and then again and again. */
  #look(leases: TaskLeases, options: HostOptions): void {
    const look = async (): Promise<void> => {
      if (this.#isDraining) return
      try {
        const known = new Map(this.agents.map((agent) => [agent.name, fingerprintOf(agent)]))
        await this.recover(await leases.abandoned(known))
        for (const key of await leases.expired([...this.#agents.keys()]))
          await this.#activations.expire(key)
        await this.#activations.canceller.send()
      } catch (error) {
        options.onError?.(error)
        if ((error as { readonly reason?: unknown } | undefined)?.reason === 'closed') return
      }
      const timer: unknown = setTimeout(() => void look(), leases.checkMs)
      if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    }
    void look()
  }

  /** The agents, in order. */
  get agents(): readonly Agent[] {
    return [...this.#agents.values()]
  }

  /**
   * Accepts a message: creates a task, or continues one. The work continues after this resolves.
   * @throws {AgentError} `task-not-found`, `unsupported-operation` (the task is over),
   * `invalid-params` (the session is not the task's), `conflict` (the message id was used with
   * another body), `busy`, `forbidden` (the chain of agents), `not-found` (the agent).
   */
  async send(incoming: IncomingMessage): Promise<Accepted> {
    const agent = this.agentOf(incoming.agent)
    if (incoming.taskId !== undefined) return this.#continue(agent, incoming, incoming.taskId)
    const taskId = createId('task', this.entropy)
    if (incoming.idempotent === false) return this.#create(agent, incoming, taskId)
    const { principal, message } = incoming
    // Only the caller's own messages are compared.
    const claim = { id: message.id, digest: textHash(bodyOf(message) + (incoming.sessionId ?? '')) }
    for (;;) {
      const known = await this.store.tasks.taskOfMessage(principal, agent.name, message.id)
      const key = known && { principal, id: known.taskId }
      const earlier = key && (await this.#earlier(key, known.digest === claim.digest, incoming))
      if (earlier) return earlier
      if (known) await this.store.tasks.forgetMessage(principal, agent.name, message.id)
      try {
        return await this.#create(agent, incoming, taskId, claim)
      } catch (error) {
        // The same message arrived twice at once, and the other one was first.
        if (!isAgentError(error, 'conflict')) throw error
      }
    }
  }

  /** The agent of a name. @throws {AgentError} `not-found` */
  agentOf(name: string): Agent {
    const agent = this.#agents.get(name)
    if (agent) return agent
    throw new AgentError('not-found', 'There is no such agent')
  }

  /**
   * The task of an earlier message with this id; `undefined` if it is gone.
   * @throws {AgentError} `conflict`
   */
  async #earlier(
    key: TaskKey,
    isEqual: boolean,
    { idempotent }: IncomingMessage,
  ): Promise<Accepted | undefined> {
    const isLax = idempotent === 'while-open'
    if (!isEqual && !isLax) throw usedBefore()
    const found = isEqual ? await this.store.tasks.load(key) : undefined
    if (!found || (isLax && !isWorkedOn(found.task))) return undefined
    return { task: found.task, seq: found.head.seq, before: 0 }
  }

  async #create(
    agent: Agent,
    incoming: IncomingMessage,
    id: string,
    claim?: MessageClaim,
  ): Promise<Accepted> {
    const {
      principal,
      message,
      metadata = {},
      flowState = {},
      context,
      offRecord,
      parent,
    } = incoming
    const chain = extendChain(context?.chain ?? [], agent.name)
    this.#activations.check(agent)
    const at = timestampOf(this.entropy)
    const record: TaskRecord = {
      id,
      agent: agent.name,
      principal,
      sessionId: incoming.sessionId ?? createId('ctx', this.entropy),
      createdAt: at,
      metadata,
      flowState,
      context: { ...context, chain },
      ...(parent && { parent }),
      ...(offRecord && { offRecord }),
    }
    const events: readonly NewTaskEvent[] = [
      { type: 'status', state: 'submitted', at, attempt: 1 },
      ...[...(incoming.earlier ?? []), message].map(
        (each) => ({ type: 'message', message: each, at, attempt: 1 }) as const,
      ),
    ]
    const key = { principal, id }
    const head = await this.store.tasks.create(record, events, claim)
    // The store numbers events from 1, so the task need not be read back.
    const task = foldTask(
      record,
      events.map((event, index) => ({ ...event, seq: index + 1 })),
    )
    if (incoming.sessionId !== undefined) await this.#supersede(agent, record)
    this.#activations.start(key, agent, record)
    return { task, seq: head.seq, before: 0 }
  }

  /**
   * Cancels the tasks of a session that wait for input, for a new task takes their place. Not the
   * new one: another process may have worked on it by now, and it may wait itself.
   */
  async #supersede(agent: Agent, { principal, sessionId, id }: TaskRecord): Promise<void> {
    if (agent.settings.whenWaiting === 'keep') return
    const session = { principal, agent: agent.name, id: sessionId }
    const open = await this.store.tasks.open(session)
    const place = open.findIndex(({ record }) => record.id === id)
    for (const { record, state } of open.slice(0, Math.max(0, place)))
      if (isInterrupted(state))
        await this.cancel({ principal, id: record.id }, `superseded by ${id}`).catch(
          () => undefined,
        )
  }

  async #continue(agent: Agent, incoming: IncomingMessage, id: string): Promise<Accepted> {
    const key = { principal: incoming.principal, id }
    const found = await this.get(key, agent.name)
    const { task, head } = found
    if (incoming.sessionId !== undefined && incoming.sessionId !== task.sessionId)
      throw new AgentError(
        'invalid-params',
        'The context of the message is not that of its task; leave it out',
        {
          violations: [
            { pointer: '/message/contextId', message: 'is not the context of the task' },
          ],
        },
      )
    const known =
      incoming.idempotent === false
        ? undefined
        : task.messages.find((each) => each.id === incoming.message.id)
    const isEqual = known !== undefined && bodyOf(known) === bodyOf(incoming.message)
    const isLax = incoming.idempotent === 'while-open'
    if (known && !isEqual && !isLax) throw usedBefore()
    if (isEqual && (!isLax || isWorkedOn(task))) return { task, seq: head.seq, before: 0 }
    if (isTerminal(task.state))
      throw new AgentError(
        'unsupported-operation',
        `The task is ${task.state}: send the message without a taskId`,
        {
          metadata: { taskId: id },
        },
      )
    // A task has each id once.
    const message = known
      ? { ...incoming.message, id: createId('msg', this.entropy) }
      : incoming.message
    await this.#activations.deliver(key, agent, head.record, message)
    const after = await this.get(key, agent.name)
    return { task: after.task, seq: after.head.seq, before: head.seq }
  }

  /**
   * The task as it is now.
   * @throws {AgentError} `task-not-found` — also for a task of another principal or agent
   */
  async get(key: TaskKey, agent?: string): Promise<StoredTask> {
    const found = await this.store.tasks.load(key)
    if (found && (agent === undefined || found.head.record.agent === agent)) return found
    throw new AgentError('task-not-found', 'The task does not exist or is not accessible', {
      metadata: { taskId: key.id.slice(0, 100) },
    })
  }

  /**
   * Cancels a task and waits until it is cancelled. Cancelling a cancelled task again changes
   * nothing.
   *
   * @param said is added to the conversation of its session together with its end, if the task has
   * the turn: what was said until then. Default: nothing of the task is remembered
   * @throws {AgentError} `task-not-found`; `task-not-cancelable` — it is over.
   */
  async cancel(
    key: TaskKey,
    reason?: string,
    agent?: string,
    said?: readonly ChatMessage[],
  ): Promise<Task> {
    const { task } = await this.get(key, agent)
    if (task.state === 'cancelled') return task
    if (isTerminal(task.state))
      throw new AgentError(
        'task-not-cancelable',
        `The task is ${task.state} and cannot be cancelled`,
        {
          metadata: { taskId: key.id },
        },
      )
    await this.#activations.cancel(key, reason, said)
    const after = await this.get(key, agent)
    if (after.task.state !== 'cancelled' && isTerminal(after.task.state))
      throw new AgentError(
        'task-not-cancelable',
        `The task is ${after.task.state} and cannot be cancelled`,
      )
    return after.task
  }

  /**
   * Delivers the result of work that a task waits for: its tool returned `pending`. For webhooks
   * and programs; a client of the task's owner decides about the request like about any other. The
   * same result again changes nothing.
   *
   * @param to the task, or the secret that `context.run.webhook` made for the call
   * @param options of a task: `request` names the request; may be left out if the task waits for
   * one result. `by` says who delivers; another than the owner needs `decisions.mayDeliver`
   * @throws {AgentError} `task-not-found`; `not-found` — there is no such secret; `forbidden`;
   * `conflict` — the task waits for no such result, or another one came
   */
  async deliver(
    to: TaskKey | { readonly token: string },
    result: LateResult,
    options: { readonly request?: string; readonly by?: string } = {},
  ): Promise<void> {
    if ('token' in to) return this.#deliverBySecret(to.token, result)
    for (let attempt = 0; attempt < mostTries; attempt++)
      if (await this.#deliverToTask(to, result, options)) return
    throw new AgentError('busy', 'The task changes too fast; come back later', {
      retryAfterMs: 1_000,
    })
  }

  /** @returns false if the task changed meanwhile: what it waits for has to be looked at again. */
  async #deliverToTask(
    to: TaskKey,
    result: LateResult,
    { request, by = to.principal }: { readonly request?: string; readonly by?: string },
  ): Promise<boolean> {
    const { task, head } = await this.get(to)
    const agent = this.agentOf(head.record.agent)
    const { mayDeliver } = agent.settings.decisions ?? {}
    if (by !== to.principal && !mayDeliver) throw notDeliverer()

    const late = requestsOf(task).filter(({ requestId }) => isLateRequest(requestId))
    const open = late.filter(({ requestId }) => request === undefined || requestId === request)
    const [only, ...others] = open
    if (only && !others.length) {
      const part = createPart.request({
        requestId: only.requestId,
        ...(only.digest !== undefined && { digest: only.digest }),
        ...toOutcome(result),
      })
      const message = createMessage('user', [part], this.entropy)
      // In an inbox a second result would be accepted, and dropped when the task has the first.
      return this.#activations
        .deliver(to, agent, head.record, message, by, { onlyWaiting: true })
        .then(
          () => true,
          async (error: unknown) => {
            const isChanged = isAgentError(error, 'conflict')
            if (!isChanged && (await this.#isAsking(to, only.requestId))) throw error
            return false
          },
        )
    }
    // Whoever may not deliver learns nothing of the task.
    const mayAsk: unknown = by === to.principal || (await mayDeliver?.(by, task))
    if (mayAsk !== true) throw notDeliverer()
    if (!late.length && hasResult(task, request, result)) return true
    const ids = late.map(({ requestId }) => requestId).join(', ')
    throw new AgentError(
      'conflict',
      `The task waits for ${ids ? `the results of ${ids}; name one` : 'no result'}`,
    )
  }

  /** True if a task waits for a decision about this request. */
  async #isAsking(key: TaskKey, id: string): Promise<boolean> {
    const { task } = await this.get(key)
    return requestsOf(task).some(({ requestId }) => requestId === id)
  }

  /** Delivers a result with the secret of its call. What comes first is the result. */
  async #deliverBySecret(token: string, result: LateResult): Promise<void> {
    const { secret, content } = digestsOf(token, result)
    const grant = await this.store.tasks.takeGrant(secret, content)
    const found = grant && (await this.store.tasks.load(grant.key))
    const agent = found && this.#agents.get(found.head.record.agent)
    if (!found || !agent) throw new AgentError('not-found', 'No call has this secret')
    if (grant.content !== content)
      throw new AgentError('conflict', 'Another result of this call was delivered before')

    const { key } = grant
    const message = toResultMessage(grant, secret, result, this.entropy)
    if (found.task.messages.some(({ id }) => id === message.id)) return
    if (await isMessagePending(this.store.inbox, key, message)) return
    try {
      await this.#activations.deliver(key, agent, found.head.record, message, webhookPrincipal)
    } catch (error) {
      // The same result came twice at once.
      const after = await this.store.tasks.load(key)
      if (after?.task.messages.some(({ id }) => id === message.id)) return
      if (!isAgentError(error, 'invalid-params') && !isAgentError(error, 'unsupported-operation'))
        throw error
      throw new AgentError('conflict', 'The call has its result, or its task is over', {
        cause: error,
      })
    }
  }

  /** Waits until the task is over, or waits for somebody outside. */
  async settled(
    key: TaskKey,
    from: number,
    signal?: AbortSignal | (() => AbortSignal),
  ): Promise<Task> {
    const isOver = ({ state, seq }: TaskHead) =>
      isTerminal(state) || (isInterrupted(state) && seq > from)
    const isSettled = ({ head }: StoredTask) => isOver(head)
    let found = await this.get(key)
    if (isSettled(found)) return found.task
    // The task runs in this process or in another one.
    const worked = this.#activations.worked(key)
    if (worked) {
      await worked
      found = await this.get(key)
      if (isSettled(found)) return found.task
    }
    const until = typeof signal === 'function' ? signal() : signal
    await whenState(this.store.tasks, key, found.head, isOver, until)
    return (await this.get(key)).task
  }

  /**
   * Makes the conversation of a session shorter, once it has the turn of the session, for which it
   * waits at most five minutes. A session without entries stays as it is.
   * @throws {AgentError} `not-found` (the agent), `forbidden` (its policy does not allow
   * `llm.history.compact`), `busy` (somebody else has the turn), `conflict` (the session changed
   * meanwhile)
   */
  compact(
    key: SessionKey,
    request: Partial<HistoryCompactionRequest> = {},
    signal?: AbortSignal,
  ): Promise<CompactedSession> {
    return compactSession(
      this.store.sessions,
      this.entropy,
      this.agentOf(key.agent),
      key,
      request,
      signal,
    )
  }

  /**
   * Removes the tasks of a principal that these tasks of it delegated to an agent, with their
   * conversations, and asks the agents that they called to do the same.
   * @returns how many were removed
   */
  async forget(principal: string, agent: string, callers: readonly string[]): Promise<number> {
    const { tasks, sessions } = this.store
    const asked = new Set<unknown>(callers)
    const found: TaskHead[] = []
    let cursor: string | undefined
    do {
      const page = await tasks.list({ principal, agent, limit: 200, cursor })
      found.push(...page.heads.filter(({ record }) => asked.has(record.context?.['parentTaskId'])))
      cursor = page.next
    } while (cursor !== undefined)

    for (const head of found) {
      const key = { principal, id: head.record.id }
      if (!isTerminal(head.state)) await this.cancel(key, 'forgotten', agent).catch(ignoreOver)
      await this.#activations.canceller.requestForget(head)
      await tasks.delete(key)
      await sessions.delete({ principal, agent, id: head.record.sessionId })
    }
    if (found.length) await this.store.shrink?.()
    await this.#activations.canceller.send()
    return found.length
  }

  /**
   * Restarts the tasks that a process left behind: submitted or working ones that no process works
   * on.
   */
  recover(keys: readonly TaskKey[]): Promise<void> {
    return this.#activations.recover(keys)
  }

  /** Waits until no task runs, at most this long. */
  drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true
    return this.#activations.drain(timeoutMs)
  }
}

/** The task ended by itself, or is gone. */
function ignoreOver(error: unknown): undefined {
  if (isAgentError(error, 'task-not-cancelable') || isAgentError(error, 'task-not-found'))
    return undefined
  throw error
}

/** True while a message that is sent again finds its task at work. */
const isWorkedOn = ({ state }: Task): boolean => state === 'submitted' || state === 'working'

/** How often a result is delivered to a task that somebody else changes at the same time. */
const mostTries = 20

/** The content of a message, without fields that differ each time it is sent. */
const bodyOf = ({ id: _, timestamp: __, ...body }: Message): string => JSON.stringify(body)

const usedBefore = (): AgentError =>
  new AgentError(
    'conflict',
    'A message with this id was sent before with another body; use a new id',
  )
