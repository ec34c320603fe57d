/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous; memory never waits */
import { AgentError } from '../base/agent-error.js'
import type { Task } from '../models/task.js'
import { applyEvent, checkEvents, type TaskEvent, type TaskRecord, taskOf } from '../models/task-event.js'
import { isTerminal } from '../models/task-state.js'
import type { NewTaskEvent, TaskHead, TaskKey, TaskPage, TaskQuery, TaskStore } from './task-store.js'

interface Row {
  readonly record: TaskRecord
  readonly events: TaskEvent[]
  readonly watchers: Set<() => void>
  task: Task
  /** Orders tasks whose status time is equal. */
  order: number
}

/** Cursor: status time, order, both of the last task of the page. */
const cursorOf = ({ task, order }: Row): string => btoa(JSON.stringify([task.statusAt, order]))

function readCursor(cursor: string): readonly [string, number] {
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

/** Tasks in the memory of one process. */
export class MemoryTasks implements TaskStore {
  readonly #rows = new Map<string, Row>()
  #order = 0

  async create(record: TaskRecord, events: readonly NewTaskEvent[]): Promise<TaskHead> {
    if (this.#rows.has(record.id)) throw new AgentError('conflict', `A task with the id ${record.id} exists already`)
    const row: Row = { record, events: [], watchers: new Set(), task: taskOf(record), order: ++this.#order }
    this.#add(row, events)
    this.#rows.set(record.id, row)
    return headOf(row)
  }

  async head(key: TaskKey): Promise<TaskHead | undefined> {
    const row = this.#find(key)
    return row && headOf(row)
  }

  async append(key: TaskKey, expected: number, events: readonly NewTaskEvent[]): Promise<TaskHead> {
    const row = this.#get(key)
    if (row.events.length !== expected)
      throw new AgentError('conflict', `Task ${key.id} has ${row.events.length} events, not ${expected}: reload it`)
    this.#add(row, events)
    for (const wake of [...row.watchers]) wake()
    return headOf(row)
  }

  async read(key: TaskKey, from: number, limit: number = Infinity): Promise<readonly TaskEvent[]> {
    const start = Math.max(from, 1) - 1
    return this.#get(key).events.slice(start, start + limit)
  }

  async load(key: TaskKey): Promise<{ readonly task: Task; readonly head: TaskHead } | undefined> {
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

  async list({ principal, agent, sessionId, state, statusAfter, limit, cursor }: TaskQuery): Promise<TaskPage> {
    const matching = [...this.#rows.values()]
      .filter(({ record, task }) => {
        if (record.principal !== principal || (agent !== undefined && record.agent !== agent)) return false
        if (sessionId !== undefined && record.sessionId !== sessionId) return false
        if (state !== undefined && task.state !== state) return false
        return statusAfter === undefined || Date.parse(task.statusAt) >= Date.parse(statusAfter)
      })
      .sort(newestFirst)
    const after = cursor === undefined ? undefined : readCursor(cursor)
    const rest = after ? matching.filter((row) => isBehind(row, after)) : matching
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    return {
      heads: page.map(headOf),
      total: matching.length,
      ...(last && rest.length > page.length && { next: cursorOf(last) }),
    }
  }

  async delete(key: TaskKey): Promise<void> {
    const row = this.#find(key)
    if (!row) return
    this.#rows.delete(key.id)
    for (const wake of [...row.watchers]) wake()
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
    for (const body of events) {
      const event = { ...body, seq: row.events.length + 1 } as TaskEvent
      row.task = applyEvent(row.task, event)
      row.events.push(event)
      if (event.type === 'status') row.order = ++this.#order
    }
  }
}

const headOf = ({ record, events, task }: Row): TaskHead => ({
  record,
  seq: events.length,
  state: task.state,
  statusAt: task.statusAt,
})

const newestFirst = (a: Row, b: Row): number => compare(b.task.statusAt, a.task.statusAt) || b.order - a.order
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const isBehind = ({ task, order }: Row, [at, last]: readonly [string, number]): boolean =>
  task.statusAt < at || (task.statusAt === at && order < last)

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
