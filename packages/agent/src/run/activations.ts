import type { ChatMessage } from '@modelport/core'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { TaskEventBody, TaskRecord } from '../models/task-event.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import type { AgentStore } from '../session/agent-store.js'
import { foldSession, type SessionKey } from '../session/session-store.js'
import type { HeldTask } from '../session/task-leases.js'
import type { TaskKey } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { continueChildren } from './child-tasks.js'
import { Gate } from './gate.js'
import { decisionsLeft, fingerprintOf, isLeftBehind, readTurnState } from './held-work.js'
import type { HostOptions } from './host.js'
import type { AgentRunContext, ForeignContext } from './run-context.js'
import { isBound } from './sub-agent.js'
import { endOfError, runTurn, type Turn, type TurnEnd } from './task-runner.js'
import { TaskWriter } from './task-writer.js'
import { type ApprovalDecision, readWaitState, type WaitState } from './wait-state.js'

interface Active {
  readonly controller: AbortController
  readonly done: Promise<void>
  cancelReason?: string | undefined
}

class Cancelled extends Error {}

const nameOf = ({ principal, id }: TaskKey): string => JSON.stringify([principal, id])

/** The tasks that are worked on in this process: queues, locks, aborts and the loop over messages. */
export class Activations {
  readonly #store: AgentStore
  readonly #entropy: Entropy
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #options: HostOptions
  readonly #gates = new Map<string, Gate>()
  readonly #active = new Map<string, Active>()
  /** The last task of each session, so that those of one session run one after the other. */
  readonly #sessions = new Map<string, Promise<void>>()
  readonly #expiries = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #contexts = new Map<string, ForeignContext>()

  constructor(store: AgentStore, entropy: Entropy, agents: ReadonlyMap<string, Agent>, options: HostOptions) {
    this.#store = store
    this.#entropy = entropy
    this.#agents = agents
    this.#options = options
    for (const { name, settings } of agents.values())
      this.#gates.set(name, new Gate(settings.maxConcurrency ?? 64, settings.maxQueue ?? 1_000))
  }

  /** Refuses a new task if the queue of the agent is full. @throws {AgentError} `busy` */
  check(agent: Agent): void {
    this.#gates.get(agent.name)?.check()
  }

  /** Starts the work on a task, after those of its session and when there is a place. */
  start(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    context: ForeignContext,
    decisions: readonly ApprovalDecision[] = [],
  ): void {
    const name = nameOf(key)
    if (this.#active.has(name)) return
    this.#contexts.set(name, context)
    const controller = new AbortController()
    const session = JSON.stringify([record.principal, record.agent, record.sessionId])
    const before = this.#sessions.get(session) ?? Promise.resolve()
    const done = before.then(() => this.#activate(key, agent, record, controller, decisions))
    const settled = done.catch((error: unknown) => this.#options.onError?.(error))
    this.#active.set(name, { controller, done: settled })
    this.#sessions.set(session, settled)
    void settled.finally(() => {
      if (this.#active.get(name)?.done === settled) this.#active.delete(name)
      if (this.#sessions.get(session) === settled) this.#sessions.delete(session)
    })
  }

  /**
   * Hands a message to a task: one that waits continues with it, one that works finds it in its inbox.
   * @throws {AgentError} `busy`, `forbidden`, `unsupported-operation`, `invalid-params`
   */
  async deliver(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    message: Message,
    context: ForeignContext = this.#contexts.get(nameOf(key)) ?? { chain: [agent.name] },
  ): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = await this.#store.tasks.load(key)
      if (!found) throw new AgentError('task-not-found', 'Task not found')
      const { task, head } = found
      if (isTerminal(task.state)) throw new AgentError('unsupported-operation', `The task is ${task.state}`)
      if (!isInterrupted(task.state)) {
        await this.#store.inbox.put(
          key,
          { type: 'message', message, principal: key.principal },
          timestampOf(this.#entropy),
        )
        const after = await this.#store.tasks.head(key)
        const isLost =
          after && (isTerminal(after.state) || isInterrupted(after.state)) && (await this.#isPending(key, message))
        if (!isLost) return
        await this.#takeAll(key)
        continue
      }
      await this.#active.get(nameOf(key))?.done
      this.check(agent)
      const decisions = await this.#decisionsOf(agent, task, message, key.principal)
      const at = timestampOf(this.#entropy)
      try {
        await this.#store.tasks.append(key, head.seq, [
          { type: 'message', message, at, attempt: 1 },
          { type: 'status', state: 'working', at, attempt: 1 },
        ])
      } catch (error) {
        if (isAgentError(error, 'conflict')) continue
        throw error
      }
      this.#clearExpiry(key)
      const chain = context.chain.includes(agent.name) ? context.chain : [...context.chain, agent.name]
      this.start(key, agent, record, { ...context, chain }, decisions)
      return
    }
    throw new AgentError('busy', 'The task changes too fast; come back later', { retryAfterMs: 1_000 })
  }

  /** Cancels a task and waits until its work has ended. */
  async cancel(key: TaskKey, reason?: string): Promise<void> {
    this.#clearExpiry(key)
    const active = this.#active.get(nameOf(key))
    if (active) {
      active.cancelReason = reason
      active.controller.abort(new Cancelled(reason ?? 'cancelled'))
    }
    await this.#write(key, [this.#canceled(reason)])
    await this.#cancelChildren(key)
  }

  /** Waits until nothing runs, at most this long; then aborts what does. */
  async drain(timeoutMs: number): Promise<void> {
    for (const timer of this.#expiries.values()) clearTimeout(timer)
    const all = Promise.all([...this.#active.values()].map(({ done }) => done))
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([all, timeout])
    clearTimeout(timer)
    for (const { controller } of this.#active.values()) controller.abort(new Error('the server stops'))
  }

  /** Starts the work on tasks that another process left behind. */
  async recover(keys: readonly TaskKey[]): Promise<void> {
    for (const key of keys) {
      const head = await this.#store.tasks.head(key)
      const agent = head && this.#agents.get(head.record.agent)
      if (head && agent && !isTerminal(head.state) && !isInterrupted(head.state))
        this.start(key, agent, head.record, { chain: [agent.name] })
    }
  }

  async #activate(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    controller: AbortController,
    decisions: readonly ApprovalDecision[],
  ): Promise<void> {
    const leave = await this.#gates.get(agent.name)?.enter()
    const ended = new AbortController()
    const { leases } = this.#store
    let held: HeldTask | undefined
    try {
      held = await leases?.hold(key, await fingerprintOf(agent))
      if (leases && !held) return // Another process works on it.
      this.#options.onActive?.(key, ended.signal)
      await this.#work(key, agent, record, controller.signal, decisions, held)
    } finally {
      await held?.release().catch((error: unknown) => this.#options.onError?.(error))
      leave?.()
      ended.abort()
    }
  }

  /** Works on the message at hand, then on those in the inbox, until the task is over or waits. */
  async #work(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    signal: AbortSignal,
    decided: readonly ApprovalDecision[],
    held: HeldTask | undefined,
  ): Promise<void> {
    let decisions = decided
    for (;;) {
      const found = await this.#store.tasks.load(key)
      if (!found || isTerminal(found.task.state)) return
      const writer = new TaskWriter(held?.tasks ?? this.#store.tasks, key, found.head.seq, this.#entropy)
      const limit = timeoutOf(agent, this.#contexts.get(nameOf(key)), this.#entropy)
      const timed = AbortSignal.any([signal, AbortSignal.timeout(limit), ...(held ? [held.signal] : [])])
      const turn = await this.#turnOf(key, agent, record, found.task, found.head.seq, writer, timed, decisions, held)
      let ending: TurnEnd
      try {
        if (found.task.state === 'submitted') await writer.write({ type: 'status', state: 'working' })
        ending = await this.#runTurn(turn)
      } catch (error) {
        if (signal.aborted || isAgentError(error, 'conflict') || isLeftBehind(error, held)) return
        this.#options.onError?.(error)
        const reason = timed.aborted ? new AgentError('busy', `The task took longer than ${limit} ms`) : error
        ending = { events: endOfError(turn, reason), requests: [] }
      }
      const next = await this.#nextMessage(key)
      if (next && !isWaiting(ending.events)) {
        await writer.write(...ending.events.filter(({ type }) => type !== 'status'), { type: 'message', message: next })
        decisions = []
        continue
      }
      await this.#settle(key, writer, ending)
      this.#watchExpiry(key, agent, record, ending)
      return
    }
  }

  async #settle(key: TaskKey, writer: TaskWriter, { events }: TurnEnd): Promise<void> {
    try {
      await writer.write(...events)
    } catch (error) {
      // Somebody cancelled the task in the meantime.
      if (!isAgentError(error)) throw error
    }
    const state = (await this.#store.tasks.head(key))?.state
    if (state && isTerminal(state)) this.#contexts.delete(nameOf(key))
  }

  async #runTurn(turn: Turn): Promise<TurnEnd> {
    turn.signal.throwIfAborted()
    const { wait } = turn
    if (!wait?.requests.some(({ child }) => child)) return runTurn(turn)
    const { still, results } = await continueChildren(turn, wait)
    if (!still.length) return runTurn({ ...turn, results })
    return { events: waitAgain(turn, wait, still), requests: still }
  }

  async #turnOf(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    task: Task,
    seq: number,
    writer: TaskWriter,
    signal: AbortSignal,
    decisions: readonly ApprovalDecision[],
    held: HeldTask | undefined,
  ): Promise<Turn> {
    const wait =
      task.messages.length > 1 ? await readTurnState(this.#store.tasks, key, seq, held !== undefined) : undefined
    const message = (wait?.kind === 'explicit' ? undefined : lastUserMessage(task)) ?? firstCallMessage(task)
    if (!message) throw new AgentError('internal', 'The task has no message to work on')
    const context = this.#contexts.get(nameOf(key)) ?? { chain: [agent.name] }
    const run: AgentRunContext = {
      taskId: key.id,
      sessionId: record.sessionId,
      principal: record.principal,
      ...context,
    }
    const session: SessionKey = { principal: record.principal, agent: record.agent, id: record.sessionId }
    const { approvals } = agent.settings
    return {
      agent,
      task,
      run,
      scope: {
        principal: record.principal,
        now: () => this.#entropy.now(),
        ...(context.permissions && { permissions: context.permissions }),
        ...(approvals?.expiresInMs !== undefined && { approvalExpiresInMs: approvals.expiresInMs }),
      },
      message,
      isNew: !wait || hasContent(message),
      ...(wait && { wait }),
      ...(held && { open: (runId: string) => held.open(runId) }),
      decisions: held && wait && !decisions.length ? decisionsLeft(task, wait) : decisions,
      results: new Map(),
      conversation: record.offRecord ? history(task, message) : await this.#conversation(session),
      signal,
      entropy: this.#entropy,
      ...(context.deadline !== undefined && { deadline: context.deadline }),
      write: (...events) => writer.write(...events),
      setAttempt: (attempt) => {
        writer.attempt = attempt
      },
      remember: (messages) => (record.offRecord ? Promise.resolve() : this.#remember(session, key.id, messages)),
    }
  }

  async #conversation(key: SessionKey): Promise<readonly ChatMessage[]> {
    const { start } = await this.#store.sessions.head(key)
    return foldSession(await this.#store.sessions.read(key, start))
  }

  async #remember(key: SessionKey, taskId: string, messages: readonly ChatMessage[]): Promise<void> {
    if (!messages.length) return
    for (let attempt = 0; attempt < 20; attempt++) {
      const { seq } = await this.#store.sessions.head(key)
      const [last] = this.#store.leases ? await this.#store.sessions.read(key, Math.max(1, seq)) : []
      // A process that was cut after this would say it again.
      if (
        last?.type === 'messages' &&
        last.taskId === taskId &&
        JSON.stringify(last.messages) === JSON.stringify(messages)
      )
        return
      try {
        await this.#store.sessions.append(
          key,
          seq,
          [{ type: 'messages', taskId, messages }],
          timestampOf(this.#entropy),
        )
        return
      } catch (error) {
        if (!isAgentError(error, 'conflict')) throw error
      }
    }
    throw new AgentError('busy', 'The session changes too fast')
  }

  async #nextMessage(key: TaskKey): Promise<Message | undefined> {
    const pending = await this.#store.inbox.pending(key)
    const found = pending.find(({ type }) => type === 'message')
    if (found?.type !== 'message') return undefined
    await this.#store.inbox.take(key, found.seq)
    return found.message
  }

  async #isPending(key: TaskKey, { id }: Message): Promise<boolean> {
    return (await this.#store.inbox.pending(key)).some((item) => item.type === 'message' && item.message.id === id)
  }

  async #takeAll(key: TaskKey): Promise<void> {
    const last = (await this.#store.inbox.pending(key)).at(-1)
    if (last) await this.#store.inbox.take(key, last.seq)
  }

  /** The decisions that a message carries. @throws {AgentError} `forbidden`, `invalid-params` */
  async #decisionsOf(
    agent: Agent,
    task: Task,
    message: Message,
    principal: string,
  ): Promise<readonly ApprovalDecision[]> {
    const given = message.parts.flatMap((part) => (part.type === 'approval' ? [part.content] : []))
    if (!given.length) return []
    const isAllowed = (await agent.settings.approvals?.mayApprove?.(principal, task)) ?? true
    if (!isAllowed) throw new AgentError('forbidden', 'You may not decide about this approval')
    const asked = task.statusMessage?.parts.flatMap((part) => (part.type === 'approval' ? [part.content] : [])) ?? []
    return given.map(({ requestId, approved, reason, digest }) => {
      const request = asked.find((each) => each.requestId === requestId)
      if (!request || approved === undefined || (digest !== undefined && digest !== request.digest))
        throw new AgentError('invalid-params', 'The decision does not belong to an approval that the task waits for', {
          violations: [{ pointer: '/message/parts', message: 'names no open approval, or another digest' }],
        })
      const expired = request.expiresAt !== undefined && Date.parse(request.expiresAt) <= this.#entropy.now()
      return {
        requestId,
        approved: approved && !expired,
        by: principal,
        ...(reason !== undefined && { reason }),
        ...(expired && { expired }),
      }
    })
  }

  /** Turns approvals into refusals when their time is over. */
  #watchExpiry(key: TaskKey, agent: Agent, record: TaskRecord, { requests }: TurnEnd): void {
    const times = requests.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]))
    if (!times.length) return
    const inMs = Math.min(Math.max(0, Math.min(...times) - this.#entropy.now()) + 1, 2 ** 31 - 1)
    const timer = setTimeout(
      () => void this.#expire(key, agent, record).catch((error: unknown) => this.#options.onError?.(error)),
      inMs,
    )
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    this.#expiries.set(nameOf(key), timer)
  }

  async #expire(key: TaskKey, agent: Agent, record: TaskRecord): Promise<void> {
    const head = await this.#store.tasks.head(key)
    const wait = head?.state === 'input-required' && (await readWaitState(this.#store.tasks, key, head.seq))
    if (!head || !wait) return
    const now = this.#entropy.now()
    const expired = wait.requests.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
    const decisions = expired.map(({ requestId }) => ({ requestId, approved: false, by: '', expired: true }))
    const at = timestampOf(this.#entropy)
    await this.#store.tasks.append(key, head.seq, [{ type: 'status', state: 'working', at, attempt: 1 }])
    this.start(key, agent, record, this.#contexts.get(nameOf(key)) ?? { chain: [agent.name] }, decisions)
  }

  #clearExpiry(key: TaskKey): void {
    clearTimeout(this.#expiries.get(nameOf(key)))
    this.#expiries.delete(nameOf(key))
  }

  #canceled(reason: string | undefined): TaskEventBody {
    return { type: 'status', state: 'canceled', ...(reason && { metadata: { cancel_reason: reason } }) }
  }

  /** Appends events whoever else writes, unless the task is over. */
  async #write(key: TaskKey, events: readonly TaskEventBody[]): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const head = await this.#store.tasks.head(key)
      if (!head || isTerminal(head.state)) return
      const at = timestampOf(this.#entropy)
      try {
        await this.#store.tasks.append(
          key,
          head.seq,
          events.map((event) => ({ ...event, at, attempt: 1 })),
        )
        return
      } catch (error) {
        if (!isAgentError(error, 'conflict')) throw error
      }
    }
  }

  async #cancelChildren(key: TaskKey): Promise<void> {
    const head = await this.#store.tasks.head(key)
    const wait = head && (await readWaitState(this.#store.tasks, key, head.seq))
    const agent = head && this.#agents.get(head.record.agent)
    for (const { child } of wait?.requests ?? []) {
      const target = agent?.settings.agents?.find(({ name }) => name === child?.agent)
      if (child && target && isBound(target))
        await target.cancelChild(child.taskId).catch((error: unknown) => this.#options.onError?.(error))
    }
  }
}

const timeoutOf = (agent: Agent, context: ForeignContext | undefined, entropy: Entropy): number => {
  const own = agent.settings.timeoutMs ?? 600_000
  const left = context?.deadline === undefined ? own : Math.max(1, context.deadline - entropy.now())
  return Math.min(own, left, 2 ** 31 - 1)
}

const lastUserMessage = (task: Task): Message | undefined => task.messages.findLast(({ role }) => role === 'user')

const firstCallMessage = (task: Task): Message | undefined =>
  task.messages.findLast(({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'tool_call')) ??
  lastUserMessage(task)

const hasContent = ({ parts }: Message): boolean => parts.some(({ type }) => type !== 'approval')

const isWaiting = (events: readonly TaskEventBody[]): boolean =>
  events.some((event) => event.type === 'status' && isInterrupted(event.state))

/** The conversation of a task that is off the record: its own messages. */
const history = (task: Task, current: Message): readonly ChatMessage[] =>
  task.messages
    .filter(({ id }) => id !== current.id)
    .flatMap(({ role, parts }): readonly ChatMessage[] => {
      const content = parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join('\n')
      return content ? [{ role: role === 'user' ? 'user' : 'assistant', content }] : []
    })

const waitAgain = (turn: Turn, wait: WaitState, requests: WaitState['requests']): readonly TaskEventBody[] => [
  { type: 'checkpoint', checkpoint: JSON.parse(JSON.stringify({ ...wait, requests })) as null },
  ...(turn.task.statusMessage
    ? [{ type: 'status', state: 'input-required', message: turn.task.statusMessage } as const]
    : [{ type: 'status', state: 'input-required' } as const]),
]
