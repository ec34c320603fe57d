import type { ChatMessage } from '@modelport/core'
import { webhookPrincipal } from '@modelport/runtime'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import { linkSignals } from '../base/linked-signal.js'
import { createMessage, type Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import { applyEvent, type TaskEventBody, type TaskRecord } from '../models/task-event.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import type { AgentStore } from '../session/agent-store.js'
import type { HeldTask } from '../session/task-leases.js'
import { nameOfTask, type TaskKey } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { ApprovalExpiry } from './approval-expiry.js'
import { buildTurn } from './build-turn.js'
import { ChildCanceller } from './child-canceller.js'
import { runWithChildren } from './child-tasks.js'
import { dropWhenDeaf } from './drop-when-deaf.js'
import { Gate } from './gate.js'
import { fingerprintOf, isLeftBehind } from './held-work.js'
import type { HostOptions } from './host-options.js'
import { isMessagePending, isOnlyDecisions, nextMessage } from './inbox-messages.js'
import { readDecisions } from './read-decisions.js'
import { aboutOpenCall } from './result-webhook.js'
import { checkDeadline, contextOf, turnTimeoutOf } from './run-context.js'
import { cancelledEvent, endOfError, type TurnEnd } from './task-runner.js'
import { appendAnyway, isWaiting, TaskWriter } from './task-writer.js'
import type { Turn } from './turn.js'
import { turnRefusedEvent, waitForTurn } from './wait-for-turn.js'
import { type AcceptedDecision, readWaitState, toWaitState, type WaitState } from './wait-state.js'
import { watchTurn } from './watch-turn.js'

interface Active {
  readonly controller: AbortController
  readonly done: Promise<void>
  /**
   * Resolves when the task is over or waits; `done` also waits until this process lets go of it.
   */
  readonly worked: PromiseWithResolvers<void>
}

/**
 * The tasks that are worked on in this process: queues, locks, aborts and the loop over messages.
 */
export class Activations {
  readonly #store: AgentStore
  readonly #entropy: Entropy
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #options: HostOptions
  readonly #gates = new Map<string, Gate>()
  readonly #active = new Map<string, Active>()
  readonly #expiry: ApprovalExpiry
  readonly canceller: ChildCanceller
  #isDraining = false

  constructor(
    store: AgentStore,
    entropy: Entropy,
    agents: ReadonlyMap<string, Agent>,
    options: HostOptions,
  ) {
    this.#store = store
    this.#entropy = entropy
    this.#agents = agents
    this.#options = options
    this.#expiry = new ApprovalExpiry(store, entropy)
    this.canceller = new ChildCanceller(store, entropy, agents, (error) => options.onError?.(error))
    for (const { name, settings } of agents.values())
      this.#gates.set(name, new Gate(settings.maxConcurrency ?? 64, settings.maxQueue ?? 1_000))
  }

  /** Refuses a new task if the queue of the agent is full. @throws {AgentError} `busy` */
  check(agent: Agent): void {
    this.#gates.get(agent.name)?.check()
  }

  /** Starts the work on a task, when it has the turn of its session and there is a place. */
  start(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    decisions: readonly AcceptedDecision[] = [],
  ): void {
    const name = nameOfTask(key)
    if (this.#active.has(name)) return
    const controller = new AbortController()
    const worked: PromiseWithResolvers<void> = Promise.withResolvers()
    const done = this.#begin(key, agent, record, controller, decisions, worked)
    const settled = done.catch((error: unknown) => this.#options.onError?.(error))
    this.#active.set(name, { controller, done: settled, worked })
    void settled.finally(() => {
      if (this.#active.get(name)?.done === settled) this.#active.delete(name)
    })
  }

  /**
   * Resolves when the task is over or waits: cheaper than watching its events. Undefined: this
   * process does not work on it, or another one may end it.
   */
  worked(key: TaskKey): Promise<void> | undefined {
    return this.#store.leases ? undefined : this.#active.get(nameOfTask(key))?.worked.promise
  }

  /**
   * Hands a message to a task: one that waits continues with it, one that works finds it in its
   * inbox.
   * @throws {AgentError} `busy`, `forbidden`, `unsupported-operation`, `invalid-params`
   */
  async deliver(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    message: Message,
    by: string = key.principal,
    { onlyWaiting = false }: { readonly onlyWaiting?: boolean } = {},
  ): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = await this.#store.tasks.load(key)
      if (!found) throw new AgentError('task-not-found', 'Task not found')
      const { task, head } = found
      if (isTerminal(task.state))
        throw new AgentError('unsupported-operation', `The task is ${task.state}`)
      if (!isInterrupted(task.state)) {
        if (onlyWaiting) throw new AgentError('conflict', 'The task does not wait any more')
        const item = { type: 'message', message, principal: by } as const
        await this.#store.inbox.put(key, item, timestampOf(this.#entropy))
        const after = await this.#store.tasks.head(key)
        const isLost =
          after &&
          (isTerminal(after.state) || isInterrupted(after.state)) &&
          (await isMessagePending(this.#store.inbox, key, message))
        if (!isLost) return
        // The task has it twice then, and reads it once.
        continue
      }
      await this.#active.get(nameOfTask(key))?.done
      this.check(agent)
      const wait =
        by === webhookPrincipal ? await readWaitState(this.#store.tasks, key, head.seq) : undefined
      const about = aboutOpenCall(message, by, wait)
      const decisions = await readDecisions(agent, task, about, by, this.#entropy.now())
      const at = timestampOf(this.#entropy)
      try {
        await this.#store.tasks.append(key, head.seq, [
          { type: 'message', message: about, at, attempt: 1, ...byOf(decisions, by) },
          { type: 'status', state: 'working', at, attempt: 1 },
        ])
      } catch (error) {
        if (isAgentError(error, 'conflict')) continue
        throw error
      }
      this.#expiry.clear(key)
      this.start(key, agent, record, decisions)
      return
    }
    throw new AgentError('busy', 'The task changes too fast; come back later', {
      retryAfterMs: 1_000,
    })
  }

  /**
   * Cancels a task and waits until its work has ended.
   * @param said goes into the conversation of its session
   */
  async cancel(key: TaskKey, reason?: string, said?: readonly ChatMessage[]): Promise<void> {
    this.#expiry.clear(key)
    await this.canceller.requestAll(key)
    const active = this.#active.get(nameOfTask(key))
    active?.controller.abort(new Error(reason ?? 'cancelled'))
    await appendAnyway(this.#store.tasks, this.#entropy, key, [cancelledEvent(reason)], said)
    // A handler may take its time to notice.
    active?.worked.resolve()
    await this.canceller.send()
  }

  /**
   * Waits until nothing runs, at most this long; then aborts what does, and waits briefly until its
   * tasks are given back.
   */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true
    this.#expiry.clearAll()
    const all = Promise.all([...this.#active.values()].map(({ done }) => done))
    await settledWithin(timeoutMs, all)
    for (const { controller } of this.#active.values())
      controller.abort(new Error('the server stops'))
    // The caller may close the store next: a task that is still held then waits for the end of its
    // lease.
    await settledWithin(500, all)
    this.canceller.close()
  }

  /** Starts the work on tasks that another process left behind. */
  async recover(keys: readonly TaskKey[]): Promise<void> {
    for (const key of keys) {
      const head = await this.#store.tasks.head(key)
      const agent = head && this.#agents.get(head.record.agent)
      if (this.#isDraining) return
      if (head && agent && !isTerminal(head.state) && !isInterrupted(head.state))
        this.start(key, agent, head.record)
    }
  }

  /**
   * Looks at a task that waits, whichever process let it: refuses requests that nobody decided in
   * time, and continues it if an agent that asked has moved.
   */
  async expire(key: TaskKey): Promise<void> {
    const head = await this.#store.tasks.head(key)
    const agent = head && this.#agents.get(head.record.agent)
    if (!head || !agent || this.#isDraining) return
    await this.#expiry.expire(key, agent, (decisions) =>
      this.start(key, agent, head.record, decisions),
    )
  }

  async #begin(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    controller: AbortController,
    decisions: readonly AcceptedDecision[],
    worked: PromiseWithResolvers<void>,
  ): Promise<void> {
    try {
      const { signal } = controller
      const other = await waitForTurn(this.#store.tasks, this.#entropy, key, agent, record, signal)
      if (other === undefined) {
        await this.#activate(key, agent, record, controller, decisions, worked)
        return
      }
      // The task was cancelled, or this process stops: then another one begins it.
      if (signal.aborted) return
      await appendAnyway(this.#store.tasks, this.#entropy, key, [
        turnRefusedEvent(this.#entropy, record, other),
      ])
    } finally {
      worked.resolve()
    }
  }

  async #activate(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    controller: AbortController,
    decisions: readonly AcceptedDecision[],
    worked: PromiseWithResolvers<void>,
  ): Promise<void> {
    const leave = await this.#gates.get(agent.name)?.enter()
    // A task off the record is in this process only.
    const leases = record.offRecord ? undefined : this.#store.leases
    let held: HeldTask | undefined
    try {
      held = await leases?.hold(key, fingerprintOf(agent))
      if (leases && !held) return // Another process works on it.
      await this.#work(key, agent, record, controller.signal, decisions, held)
    } finally {
      worked.resolve()
      await held?.release().catch((error: unknown) => this.#options.onError?.(error))
      leave?.()
    }
  }

  /** Works on the current message, then on those in the inbox, until the task is over or waits. */
  async #work(
    key: TaskKey,
    agent: Agent,
    record: TaskRecord,
    signal: AbortSignal,
    decided: readonly AcceptedDecision[],
    held: HeldTask | undefined,
  ): Promise<void> {
    const context = contextOf(record)
    let decisions = decided
    for (;;) {
      const found = await this.#store.tasks.load(key)
      if (!found || isTerminal(found.task.state)) return
      const tasks = held?.tasks ?? this.#store.tasks
      const writer = new TaskWriter(
        tasks,
        key,
        found.head.seq,
        this.#entropy,
        held?.attempt,
        held && signal,
      )
      const limit = turnTimeoutOf(agent.settings.timeoutMs, context, this.#entropy.now())
      const timed = linkSignals(held ? [signal, held.signal] : [signal], limit)
      const turn = await buildTurn({
        store: this.#store,
        entropy: this.#entropy,
        key,
        agent,
        record,
        task: found.task,
        seq: found.head.seq,
        generation: found.head.generation,
        writer,
        canceller: this.canceller,
        signal: timed.signal,
        limitMs: limit,
        decisions,
        ...(held && { held }),
        context,
        webhookUrl: this.#options.webhookUrl,
      })
      let ending: TurnEnd
      try {
        if (found.task.state === 'submitted')
          await writer.write({ type: 'status', state: 'working' })
        ending = await this.#runTurn(turn)
        if (ending.failure) this.#options.onError?.(ending.failure)
      } catch (error) {
        if (signal.aborted || isAgentError(error, 'conflict') || (await isLeftBehind(error, held)))
          return
        this.#options.onError?.(error)
        const isTimeout = timed.signal.aborted && !isAgentError(error)
        const reason = isTimeout
          ? new AgentError('busy', `The task took longer than ${limit} ms`)
          : error
        ending = { events: endOfError(turn, reason), requests: [] }
      } finally {
        timed.release()
      }
      const next = await this.#nextOf(key, agent, found.task, ending, writer)
      if (next) {
        await writer.write(...next.events)
        await this.#store.inbox.take(key, next.seq)
        decisions = next.decisions
        continue
      }
      await this.#settle(key, writer, ending)
      this.#watchExpiry(key, agent, record, ending)
      return
    }
  }

  /**
   * What a task does next, at the end of a turn, with a message that came meanwhile: one that waits
   * takes it as if it had come later. Decisions about nothing that it waits for are dropped.
   */
  async #nextOf(
    key: TaskKey,
    agent: Agent,
    task: Task,
    { events }: TurnEnd,
    writer: TaskWriter,
  ): Promise<Continuation | undefined> {
    const { inbox } = this.#store
    for (;;) {
      const next = await nextMessage(inbox, key, task)
      if (!next) return undefined
      const { seq, message, principal } = next
      if (isWaiting(events)) {
        const asking = afterEvents(task, events, timestampOf(this.#entropy))
        const about = aboutOpenCall(message, principal, waitStateIn(events))
        const found = await this.#decisionsOf(agent, asking, about, principal, writer)
        if (found)
          return {
            seq,
            decisions: found,
            events: [
              ...events,
              { type: 'message', message: about, ...byOf(found, principal) },
              { type: 'status', state: 'working' },
            ],
          }
      } else if (agent.settings.handler || !isOnlyDecisions(message)) {
        const kept = events.flatMap(keptOf)
        // What the turn continued from is used up.
        const used = { type: 'checkpoint', checkpoint: null } as const
        return { seq, decisions: [], events: [...kept, used, { type: 'message', message }] }
      }
      await inbox.take(key, seq)
    }
  }

  /**
   * The decisions of a message that came before they were asked for; undefined: refused. What it
   * says besides is not read then, and the task says so.
   */
  async #decisionsOf(
    agent: Agent,
    task: Task,
    message: Message,
    principal: string,
    writer: TaskWriter,
  ): Promise<readonly AcceptedDecision[] | undefined> {
    try {
      return await readDecisions(agent, task, message, principal, this.#entropy.now())
    } catch (error) {
      if (!isAgentError(error)) throw error
      this.#options.onError?.(error)
      if (isOnlyDecisions(message)) return undefined
      const note = `The message ${message.id} was not read: ${error.message}`
      await writer.write({
        type: 'message',
        message: createMessage('agent', note, this.#entropy),
      })
      return undefined
    }
  }

  async #settle(key: TaskKey, writer: TaskWriter, { events }: TurnEnd): Promise<void> {
    try {
      // Nothing follows what a task ends with; a turn that continues with another message is not
      // settled here.
      await writer.write(
        ...events.map((event) =>
          event.type === 'artifact' ? { ...event, last: true as const } : event,
        ),
      )
    } catch (error) {
      // Somebody cancelled the task in the meantime.
      if (!isAgentError(error)) throw error
    }
  }

  async #runTurn(turn: Turn): Promise<TurnEnd> {
    checkDeadline(turn.run, this.#entropy.now())
    turn.signal.throwIfAborted()
    // A task that a stopping process gives back is worked on elsewhere, so its work must be over.
    return dropWhenDeaf(
      turn,
      (one) => watchTurn(one, runWithChildren),
      () => !this.#isDraining,
    )
  }

  #watchExpiry(key: TaskKey, agent: Agent, record: TaskRecord, { requests }: TurnEnd): void {
    this.#expiry.watch(
      key,
      agent,
      requests,
      (decisions) => this.start(key, agent, record, decisions),
      (error) => this.#options.onError?.(error),
    )
  }
}

/** How a task continues with a message of its inbox. */
interface Continuation {
  /** Number of the message in the inbox. */
  readonly seq: number
  readonly events: readonly TaskEventBody[]
  readonly decisions: readonly AcceptedDecision[]
}

/** What a task waits with that ends its turn with these events. */
const waitStateIn = (events: TurnEnd['events']): WaitState | undefined => {
  const found = events.findLast((event) => event.type === 'checkpoint')
  return found && toWaitState(found.checkpoint)
}

/** What stays of an event that ended a turn: a failure says which calls were made. */
function keptOf(event: TaskEventBody): readonly TaskEventBody[] {
  if (event.type !== 'status') return [event]
  return event.state === 'failed' && event.message
    ? [{ type: 'message', message: event.message }]
    : []
}

/** Who decides, of a message that does. */
const byOf = (decisions: readonly AcceptedDecision[], by: string): { readonly by?: string } =>
  decisions.length ? { by } : {}

/** The task, which works by now, as it will be once these events are stored. */
function afterEvents(task: Task, events: readonly TaskEventBody[], at: string): Task {
  const working: Task = { ...task, state: 'working' }
  return events.reduce(
    (one, event) => applyEvent(one, { ...event, at, attempt: 1, seq: 0 }),
    working,
  )
}

async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
