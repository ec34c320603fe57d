import {
  AgentError,
  checkEvents,
  foldTask,
  isTerminal,
  type NewTaskEvent,
  type Task,
  type TaskEvent,
  type TaskHead,
  type TaskKey,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskState,
  type TaskStore,
} from '@modelport/agent'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row, SqlValue, Statement } from '../database/database.js'
import { EventLog, type LogEntry, type NewLogEntry, removeLog } from '../database/event-log.js'
import { removeRun } from '../runs/run-table.js'
import { nameOfTask } from './sql-inbox.js'

/** The log of a task, which is also the key that its changes are notified under. */
export const logOf = (id: string): string => `task:${id}`
const columns = 't.id, t.state, t.at, t.record, l.seq'

/** Tasks as logs, with one row each to find them by. */
export class SqlTasks implements TaskStore {
  readonly #database: Database
  readonly #codec: BodyCodec
  readonly #log: EventLog
  readonly #fence: (id: string) => readonly Statement[]

  /** @param fence statements that fail if the writer's claim of the task is lost; each append runs them in its transaction */
  constructor(database: Database, codec: BodyCodec, fence: (id: string) => readonly Statement[] = () => []) {
    this.#database = database
    this.#codec = codec
    this.#log = new EventLog(database, codec)
    this.#fence = fence
  }

  async create(record: TaskRecord, events: readonly NewTaskEvent[]): Promise<TaskHead> {
    checkEvents('submitted', events)
    const { state = 'submitted' as const, at = record.createdAt } = lastStatus(events) ?? {}
    const { id, principal, agent, sessionId } = record
    const result = await this.#database.write([
      {
        sql: `INSERT INTO tasks (id, principal, agent, session, state, at, record) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO NOTHING`,
        params: [id, principal, agent, sessionId, state, Date.parse(at), this.#codec.encode({ record, statusAt: at })],
        expect: 1,
      },
      ...this.#log.append(logOf(id), 0, events.map(toEntry)),
    ])
    if (!result.ok) throw new AgentError('conflict', `A task with the id ${id} exists already`)
    this.#database.notify(logOf(id))
    return { record, seq: events.length, state, statusAt: at }
  }

  async head(key: TaskKey): Promise<TaskHead | undefined> {
    const [row] = await this.#database.read(
      `SELECT ${columns} FROM tasks t JOIN logs l ON l.id = 'task:' || t.id WHERE t.id = ? AND t.principal = ?`,
      [key.id, key.principal],
    )
    return row && this.#headOf(row)
  }

  async append(key: TaskKey, expected: number, events: readonly NewTaskEvent[]): Promise<TaskHead> {
    const head = await this.#get(key)
    if (head.seq !== expected) throw conflict(key, head.seq, expected)
    checkEvents(head.state, events)
    const changed = lastStatus(events)
    const { state, at } = changed ?? { state: head.state, at: head.statusAt }
    const fence = this.#fence(key.id)
    const statements: Statement[] = [...fence, ...this.#log.append(logOf(key.id), expected, events.map(toEntry))]
    if (changed)
      statements.push({
        sql: 'UPDATE tasks SET state = ?, at = ?, due = ?, record = ? WHERE id = ?',
        params: [
          state,
          Date.parse(at),
          dueOf(changed),
          this.#codec.encode({ record: head.record, statusAt: at }),
          key.id,
        ],
        expect: 1,
      })
    const result = await this.#database.write(statements)
    if (!result.ok && result.failed < fence.length)
      throw new AgentError('conflict', `Task ${key.id} was claimed by another worker: stop working on it`)
    if (!result.ok) throw conflict(key, (await this.#get(key)).seq, expected)
    this.#database.notify(logOf(key.id))
    return { record: head.record, seq: expected + events.length, state, statusAt: at }
  }

  async read(key: TaskKey, from: number, limit?: number): Promise<readonly TaskEvent[]> {
    await this.#get(key)
    return (await this.#log.read(logOf(key.id), from, limit)).map(toEvent)
  }

  async load(key: TaskKey): Promise<{ readonly task: Task; readonly head: TaskHead } | undefined> {
    const head = await this.head(key)
    if (!head) return undefined
    // An append between the two reads is left for the next load.
    const entries = (await this.#log.read(logOf(key.id), 1)).filter(({ seq }) => seq <= head.seq)
    return { task: foldTask(head.record, entries.map(toEvent)), head }
  }

  async *watch(key: TaskKey, from: number, signal?: AbortSignal): AsyncGenerator<TaskEvent, void> {
    await this.#get(key)
    const isOver = async (last: number): Promise<boolean> => {
      const head = await this.head(key)
      return head === undefined || (isTerminal(head.state) && last >= head.seq)
    }
    for await (const entry of this.#log.watch(logOf(key.id), from, isOver, signal)) yield toEvent(entry)
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const { where, params } = conditionsOf(query)
    const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
    const page = after ? `${where} AND (t.at < ? OR (t.at = ? AND t.id > ?))` : where
    const from = `FROM tasks t JOIN logs l ON l.id = 'task:' || t.id WHERE`
    const [rows, counted] = await Promise.all([
      this.#database.read(`SELECT ${columns} ${from} ${page} ORDER BY t.at DESC, t.id LIMIT ?`, [
        ...params,
        ...(after ? [after.at, after.at, after.id] : []),
        query.limit + 1,
      ]),
      this.#database.read(`SELECT count(*) AS n FROM tasks t WHERE ${where}`, params),
    ])
    const heads = rows.slice(0, query.limit)
    const last = heads.at(-1)
    return {
      heads: heads.map((row) => this.#headOf(row)),
      total: Number(counted[0]?.['n']),
      ...(last && rows.length > heads.length && { next: btoa(JSON.stringify([last['at'], last['id']])) }),
    }
  }

  async delete(key: TaskKey): Promise<void> {
    if (!(await this.head(key))) return
    const [run] = await this.#database.read('SELECT queue, engine FROM runs WHERE id = ?', [`task:${key.id}`])
    await this.#database.write(removeTask(key))
    if (run?.['engine']) await this.#database.engine.cancel(String(run['queue']), String(run['engine']))
    this.#database.notify(logOf(key.id))
  }

  async #get(key: TaskKey): Promise<TaskHead> {
    const head = await this.head(key)
    if (head) return head
    throw new AgentError('task-not-found', 'Task not found', { metadata: { taskId: key.id } })
  }

  #headOf(row: Row): TaskHead {
    const { record, statusAt } = this.#codec.decode(row['record']) as { record: TaskRecord; statusAt: string }
    return { record, seq: Number(row['seq']), state: String(row['state']) as TaskState, statusAt }
  }
}

/** The statements that remove a task with everything about it. */
export function removeTask(key: TaskKey): readonly Statement[] {
  const owner = nameOfTask(key)
  return [
    { sql: 'DELETE FROM tasks WHERE id = ?', params: [key.id] },
    ...removeLog(logOf(key.id)),
    ...removeLog(`inbox:${owner}`),
    {
      sql: `DELETE FROM outbox WHERE stream IN (SELECT id FROM documents WHERE kind = 'push' AND owner = ?)`,
      params: [owner],
    },
    { sql: `DELETE FROM documents WHERE owner = ? OR (kind = 'message' AND owner = ?)`, params: [owner, key.id] },
    ...removeRun(`task:${key.id}`),
  ]
}

const toEntry = (event: NewTaskEvent): NewLogEntry => ({ kind: event.type, body: event })
const toEvent = ({ seq, body }: LogEntry): TaskEvent => ({ ...(body as NewTaskEvent), seq })

const conflict = (key: TaskKey, found: number, expected: number): AgentError =>
  new AgentError('conflict', `Task ${key.id} has ${found} events, not ${expected}: reload it`)

type StatusEvent = Extract<NewTaskEvent, { type: 'status' }>

function lastStatus(events: readonly NewTaskEvent[]): StatusEvent | undefined {
  return events.findLast((event) => event.type === 'status')
}

/** When the first request of a status that waits expires, in milliseconds since 1970. */
function dueOf({ state, message }: StatusEvent): number | null {
  if (state !== 'input-required') return null
  const times = (message?.parts ?? []).flatMap((part) =>
    part.type === 'approval' && part.content.expiresAt !== undefined ? [Date.parse(part.content.expiresAt)] : [],
  )
  return times.length === 0 ? null : Math.min(...times)
}

function conditionsOf({ principal, agent, sessionId, state, statusAfter }: TaskQuery): {
  readonly where: string
  readonly params: readonly SqlValue[]
} {
  const conditions: readonly (readonly [string, SqlValue | undefined])[] = [
    ['t.principal = ?', principal],
    ['t.agent = ?', agent],
    ['t.session = ?', sessionId],
    ['t.state = ?', state],
    ['t.at >= ?', statusAfter === undefined ? undefined : Date.parse(statusAfter)],
  ]
  const set = conditions.filter((one): one is readonly [string, SqlValue] => one[1] !== undefined)
  return { where: set.map(([sql]) => sql).join(' AND '), params: set.map(([, value]) => value) }
}

function readCursor(cursor: string): { readonly at: number; readonly id: string } {
  try {
    const [at, id] = JSON.parse(atob(cursor)) as [unknown, unknown]
    if (typeof at === 'number' && typeof id === 'string') return { at, id }
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
