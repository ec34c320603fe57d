/* oxlint-disable typescript/require-await -- the interface is asynchronous; memory never waits */
import type { ChatMessage } from '@modelport/core'
import { AgentError } from '../base/agent-error.js'
import type { Task } from '../models/task.js'
import {
  applyEvent,
  checkEvents,
  type TaskEvent,
  type TaskRecord,
  taskOf,
} from '../models/task-event.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import { MemorySessions, type SessionRow } from './memory-sessions.js'
import { nameOfSession, type SessionKey } from './session-store.js'
import { type IndexedTask, type Position, TaskIndex } from './task-index.js'
import type {
  MessageClaim,
  NewTaskEvent,
  ResultGrant,
  StoredTask,
  TaskHead,
  TaskKey,
  TaskOfMessage,
  TaskPage,
  TaskQuery,
  TaskStore,
} from './task-store.js'

interface Row extends IndexedTask {
  /** The new place of the task in the index. */
  position: Position
  readonly events: TaskEvent[]
  readonly watchers: Set<() => void>
  task: Task
  /** The session and the place in it; a task off the record has none. */
  readonly session?: SessionRow
  readonly seat: number
  /** Digests of the secrets of its calls. Unset: there are none. */
  grants?: string[]
}

/** A grant, with the result that came first once one has. */
type GrantRow = Omit<ResultGrant, 'content'> & { content?: string }

/** A cursor is the position of the last task of the page. */
const toCursor = (position: Position): string => btoa(JSON.stringify(position))

function readCursor(cursor: string): Position {
  try {
    const [at, order] = JSON.parse(atob(cursor)) as [unknown, unknown]
    if (typeof at === 'string' && typeof order === 'number') return [at, order]
  } catch {
    // Reported below.
  }
  throw new AgentError(
    'invalid-params',
    'The page token is not one that this server gave out; start from the first page',
    {
      violations: [{ pointer: '/pageToken', message: 'not a page token of this server' }],
    },
  )
}

const nameOfMessage = (principal: string, agent: string, messageId: string): string =>
  `${messageId.length}:${messageId}${agent.length}:${agent}${principal}`

/** Maximum tasks that a list has to move in the index before it reads it. */
const mostMoved = 256

/** Tasks in the memory of one process. */
export class MemoryTasks implements TaskStore {
  readonly #rows = new Map<string, Row>()
  readonly #messages = new Map<string, TaskOfMessage>()
  /** What secrets are good for, by their digests. */
  readonly #grants = new Map<string, GrantRow>()
  readonly #index = new TaskIndex<Row>()
  /**
   * Tasks that the index has not moved yet, in the order of their positions: most change twice more
   * before a list is asked for.
   */
  readonly #moved = new Set<Row>()
  readonly #sessions: MemorySessions
  /** Who watches a session, by its name. */
  readonly #watchers = new Map<string, Set<() => void>>()
  /** Numbers the writes, to order tasks whose status time is equal. */
  #order = 0

  constructor(sessions: MemorySessions = new MemorySessions()) {
    this.#sessions = sessions
  }

  async create(
    record: TaskRecord,
    events: readonly NewTaskEvent[],
    message?: MessageClaim,
  ): Promise<TaskHead> {
    if (this.#rows.has(record.id))
      throw new AgentError('conflict', `A task with the id ${record.id} exists already`)
    if (message) {
      const name = nameOfMessage(record.principal, record.agent, message.id)
      if (this.#messages.has(name))
        throw new AgentError('conflict', 'A message with this id was sent before')
      this.#messages.set(name, { taskId: record.id, digest: message.digest })
    }
    const session = record.offRecord ? undefined : this.#sessions.open(keyOfSession(record))
    const row: Row = {
      record,
      events: [],
      watchers: new Set(),
      task: taskOf(record),
      position: ['', 0],
      ...(session && { session }),
      seat: session ? ++session.places : 0,
    }
    this.#add(row, events)
    if (!row.position[1]) this.#move(row)
    this.#rows.set(record.id, row)
    if (!isTerminal(row.task.state)) row.session?.ask(row.seat, record.id)
    this.#notify(record)
    return headOf(row)
  }

  async taskOfMessage(
    principal: string,
    agent: string,
    messageId: string,
  ): Promise<TaskOfMessage | undefined> {
    return this.#messages.get(nameOfMessage(principal, agent, messageId))
  }

  async forgetMessage(principal: string, agent: string, messageId: string): Promise<void> {
    this.#messages.delete(nameOfMessage(principal, agent, messageId))
  }

  async addGrant(key: TaskKey, digest: string, call: string): Promise<void> {
    const row = this.#get(key)
    this.#grants.set(digest, { key, call })
    row.grants = [...(row.grants ?? []), digest]
  }

  async takeGrant(digest: string, content: string): Promise<ResultGrant | undefined> {
    const grant = this.#grants.get(digest)
    if (!grant) return undefined
    grant.content ??= content
    return { ...grant, content: grant.content }
  }

  async head(key: TaskKey): Promise<TaskHead | undefined> {
    const row = this.#find(key)
    return row && headOf(row)
  }

  async append(
    key: TaskKey,
    expected: number,
    events: readonly NewTaskEvent[],
    said: readonly ChatMessage[] = [],
  ): Promise<TaskHead> {
    const row = this.#get(key)
    if (row.events.length !== expected)
      throw new AgentError(
        'conflict',
        `Task ${key.id} has ${row.events.length} events, not ${expected}: reload it`,
      )
    const before = row.task.state
    this.#add(row, events)
    const { session, seat, task } = row
    if (said.length && session?.turn === key.id)
      session.add([{ type: 'messages', taskId: key.id, messages: said }], task.statusAt)
    if (isTerminal(task.state)) session?.open.delete(key.id)
    if (isTerminal(task.state) || isInterrupted(task.state)) session?.give(key.id)
    else if (isInterrupted(before)) session?.ask(seat, key.id)
    for (const wake of [...row.watchers]) wake()
    if (events.some(({ type }) => type === 'status')) this.#notify(row.record)
    return headOf(row)
  }

  async turn(key: TaskKey, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const row = this.#find(key)
      const { session } = row ?? {}
      if (!row || !session || session.isDeleted || isTerminal(row.task.state)) return undefined
      if (session.turn === key.id) return undefined
      if (signal.aborted) return session.turn
      await session.changed(signal)
    }
  }

  async open(key: SessionKey): Promise<readonly TaskHead[]> {
    const session = this.#sessions.find(key)
    if (!session) return []
    return [...session.open]
      .flatMap((id) => this.#rows.get(id) ?? [])
      .sort((a, b) => a.seat - b.seat)
      .map(headOf)
  }

  async read(key: TaskKey, from: number, limit: number = Infinity): Promise<readonly TaskEvent[]> {
    const start = Math.max(from, 1) - 1
    return this.#get(key).events.slice(start, start + limit)
  }

  async load(key: TaskKey): Promise<StoredTask | undefined> {
    const row = this.#find(key)
    return row && { task: row.task, head: headOf(row) }
  }

  async *watch(key: TaskKey, from: number, signal?: AbortSignal): AsyncGenerator<TaskEvent, void> {
    const row = this.#get(key)
    for (let next = Math.max(from, 1); !signal?.aborted; next++) {
      if (next > row.events.length) {
        if (isTerminal(row.task.state)) return
        await changeOf(row, signal)
        if (next > row.events.length) return
      }
      const event = row.events[next - 1]
      if (event) yield event
    }
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const behind = query.cursor === undefined ? undefined : readCursor(query.cursor)
    this.#updateIndex()
    const { tasks, total, hasMore } = this.#index.page(query, behind)
    const last = tasks.at(-1)?.place
    return {
      heads: tasks.map(headOf),
      total,
      ...(last && hasMore && { next: toCursor(last.position) }),
    }
  }

  async delete(key: TaskKey): Promise<void> {
    const row = this.#find(key)
    if (!row) return
    this.#updateIndex()
    this.#rows.delete(key.id)
    this.#index.remove(row)
    for (const digest of row.grants ?? []) this.#grants.delete(digest)
    row.session?.give(key.id)
    row.session?.open.delete(key.id)
    for (const wake of [...row.watchers]) wake()
    this.#notify(row.record)
  }

  watchSession(session: SessionKey, onChange: () => void): () => void {
    const name = nameOfSession(session)
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers)
    // Two readers may pass one function.
    const watcher = (): void => onChange()
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
      if (!watchers.size && this.#watchers.get(name) === watchers) this.#watchers.delete(name)
    }
  }

  #notify(record: TaskRecord): void {
    for (const wake of [...(this.#watchers.get(nameOfSession(keyOfSession(record))) ?? [])]) wake()
  }

  #find({ principal, id }: TaskKey): Row | undefined {
    const row = this.#rows.get(id)
    return row?.record.principal === principal ? row : undefined
  }

  #get(key: TaskKey): Row {
    const row = this.#find(key)
    if (row) return row
    throw new AgentError('task-not-found', 'Task not found', { metadata: { taskId: key.id } })
  }

  #add(row: Row, events: readonly NewTaskEvent[]): void {
    checkEvents(row.task.state, events)
    let isMoved = false
    for (const body of events) {
      const event = { ...body, seq: row.events.length + 1 } as TaskEvent
      row.task = applyEvent(row.task, event)
      row.events.push(event)
      isMoved ||= event.type === 'status'
    }
    if (isMoved) this.#move(row)
  }

  #move(row: Row): void {
    row.position = [row.task.statusAt, ++this.#order]
    this.#moved.delete(row)
    this.#moved.add(row)
    if (this.#moved.size >= mostMoved) this.#updateIndex()
  }

  #updateIndex(): void {
    for (const row of this.#moved) this.#index.move(row, row.task.state, row.position)
    this.#moved.clear()
  }
}

const headOf = ({ record, events, task, session }: Row): TaskHead => ({
  record,
  seq: events.length,
  state: task.state,
  statusAt: task.statusAt,
  ...(session && { generation: session.generation }),
})

const keyOfSession = ({ principal, agent, sessionId }: TaskRecord): SessionKey => ({
  principal,
  agent,
  id: sessionId,
})

/** Settles on the next append, on deletion, or when the signal aborts. */
const changeOf = (row: Row, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      row.watchers.delete(wake)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    row.watchers.add(wake)
    signal?.addEventListener('abort', wake, { once: true })
  })
