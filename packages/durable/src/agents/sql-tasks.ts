import {
  AgentError,
  checkEvents,
  foldTask,
  isInterrupted,
  isTerminal,
  type MessageClaim,
  type NewTaskEvent,
  nameOfSession,
  type ResultGrant,
  type SessionKey,
  type Task,
  type TaskEvent,
  type TaskHead,
  type TaskKey,
  type TaskOfMessage,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskState,
  type TaskStore,
} from '@modelport/agent'
import type { ChatMessage } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import type { Database, Row, Statement } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import {
  changeWithin,
  EventLog,
  type LogEntry,
  type NewLogEntry,
  placeOfEntry,
  removeLog,
} from '../database/event-log.js'
import { lengthen, shorten } from '../database/short-form.js'
import { ManifestReader } from '../runs/manifests.js'
import { queueKey, RunTable, removeRun } from '../runs/run-table.js'
import { beginSession } from '../runs/session-transitions.js'
import {
  askForTurn,
  giveTurn,
  lockSession,
  logOfSession,
  newLifeOf,
  sayInSession,
  sessionOf,
  turnKey,
} from '../runs/session-turns.js'
import { SqlGrants } from './sql-grants.js'
import { nameOfTask } from './sql-inbox.js'
import { conditionsOf, readCursor } from './task-query.js'
import {
  endRun,
  headStartMs,
  lastStatus,
  newRunOf,
  parkRun,
  queueOfAgent,
  runOfTask,
  wakeOf,
  wakeRun,
} from './task-run.js'

/** The log of a task, which is also the key that its changes are notified under. */
export const logOf = (id: string): string => `task:${id}`
/** The key that the holder of a task watches: a write that ends the task notifies it. */
export const endKey = (id: string): string => `end:${id}`
const columns = 't.id, t.principal, t.agent, t.state, t.at, t.record, t.generation, l.seq'
/** How often a task that waits for its turn looks without being notified, in milliseconds. */
const lookMs = 1000

/** Where the record of a task is: with the state, so that an older one cannot be put back. */
const placeOf = (id: string, state: TaskState, at: number): BodyPlace => ['tasks', id, state, at]

/** Tasks as logs, with one row each to find them by. */
export class SqlTasks implements TaskStore {
  readonly #database: Database
  readonly #codec: BodyCodec
  readonly #log: EventLog
  readonly #table: RunTable
  readonly #grants: SqlGrants

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
    this.#log = new EventLog(database, codec)
    this.#table = new RunTable(database, codec)
    this.#grants = new SqlGrants(database, codec)
  }

  async create(
    record: TaskRecord,
    events: readonly NewTaskEvent[],
    message?: MessageClaim,
  ): Promise<TaskHead> {
    checkEvents('submitted', events)
    const { state = 'submitted' as const, at = record.createdAt } = lastStatus(events) ?? {}
    const { id, principal, agent, sessionId } = record
    const claim = message && {
      sql: `INSERT INTO documents (kind, id, owner, sort, body) VALUES ('message', ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
      params: [
        messageKey(principal, agent, message.id),
        id,
        JSON.stringify({ taskId: id, digest: message.digest }),
      ],
      expect: 1,
    }
    const session = { principal, agent, id: sessionId }
    const isOpen = !isTerminal(state)
    const now = this.#database.now()
    const result = await this.#database.write([
      beginSession('place a task', newLifeOf(session)),
      {
        sql: `INSERT INTO tasks (id, principal, agent, session, state, at, record, generation, place)
          SELECT ?, ?, ?, ?, ?, ?, ?, generation, ${isOpen ? 'places' : 'NULL'} FROM sessions WHERE name = ?
          ON CONFLICT (id) DO NOTHING`,
        params: [
          id,
          principal,
          agent,
          sessionId,
          state,
          Date.parse(at),
          this.#codec.encode({ record, statusAt: at }, placeOf(id, state, Date.parse(at))),
          nameOfSession(session),
        ],
        expect: 1,
      },
      ...(claim ? [claim] : []),
      ...this.#log.append(
        logOf(id),
        0,
        events.map((event) => toEntry(event, id)),
      ),
      ...(isOpen
        ? [this.#table.insert(newRunOf(record)), ...askForTurn(id, now + headStartMs)]
        : []),
    ])
    if (!result.ok)
      throw new AgentError(
        'conflict',
        result.failed === 2 && claim
          ? 'A message with this id was sent before'
          : `A task with the id ${id} exists already`,
      )
    this.#database.notify(logOf(id))
    this.#database.notify(turnKey(session))
    return { record, seq: events.length, state, statusAt: at }
  }

  async taskOfMessage(
    principal: string,
    agent: string,
    messageId: string,
  ): Promise<TaskOfMessage | undefined> {
    const [row] = await this.#database.read(
      `SELECT body FROM documents WHERE kind = 'message' AND id = ?`,
      [messageKey(principal, agent, messageId)],
    )
    return row && (JSON.parse(String(row['body'])) as TaskOfMessage)
  }

  async forgetMessage(principal: string, agent: string, messageId: string): Promise<void> {
    await this.#database.write([
      {
        sql: `DELETE FROM documents WHERE kind = 'message' AND id = ?`,
        params: [messageKey(principal, agent, messageId)],
      },
    ])
  }

  async addGrant(key: TaskKey, digest: string, call: string): Promise<void> {
    await this.#get(key)
    await this.#grants.add(key, digest, call)
  }

  takeGrant(digest: string, content: string): Promise<ResultGrant | undefined> {
    return this.#grants.take(digest, content)
  }

  async head(key: TaskKey): Promise<TaskHead | undefined> {
    const [row] = await this.#database.read(
      `SELECT ${columns} FROM tasks t JOIN logs l ON l.id = 'task:' || t.id WHERE t.id = ? AND t.principal = ?`,
      [key.id, key.principal],
    )
    return row && this.#headOf(row)
  }

  async append(
    key: TaskKey,
    expected: number,
    events: readonly NewTaskEvent[],
    said: readonly ChatMessage[] = [],
  ): Promise<TaskHead> {
    const { head, statements } = this.planAppend(await this.#get(key), expected, events)
    const isMoved = lastStatus(events) !== undefined || said.length > 0
    const result = await this.#database.write([
      ...(isMoved ? [lockSession(key.id)] : []),
      ...statements,
      ...this.planSaid(key.id, head, said),
      ...this.#moveRun(key.id, events),
    ])
    if (!result.ok) throw conflict(key, (await this.#get(key)).seq, expected)
    this.#database.notify(logOf(key.id))
    if (isMoved) this.#database.notify(turnKey(sessionOf(head.record)))
    if (isTerminal(head.state)) this.#database.notify(endKey(key.id))
    if (lastStatus(events)?.state === 'working')
      this.#database.notify(queueKey(queueOfAgent(head.record.agent)))
    return head
  }

  /**
   * The statements of an append, and the head after it.
   * @throws {AgentError} `conflict`, `unsupported-operation`
   */
  planAppend(
    head: TaskHead,
    expected: number,
    events: readonly NewTaskEvent[],
  ): { readonly head: TaskHead; readonly statements: readonly Statement[] } {
    const { id } = head.record
    if (head.seq !== expected) throw conflict(head.record, head.seq, expected)
    checkEvents(head.state, events)
    const changed = lastStatus(events)
    const { state, at } = changed ?? { state: head.state, at: head.statusAt }
    const entries = events.map((event, index) =>
      toEntry(this.toStored(event, expected + 1 + index), id),
    )
    const statements: Statement[] = [...this.#log.append(logOf(id), expected, entries)]
    if (changed)
      statements.push({
        sql: `UPDATE tasks SET state = ?, at = ?, record = ?${isTerminal(state) ? ', place = NULL' : ''} WHERE id = ?`,
        params: [
          state,
          Date.parse(at),
          this.#codec.encode(
            { record: head.record, statusAt: at },
            placeOf(id, state, Date.parse(at)),
          ),
          id,
        ],
        expect: 1,
      })
    return {
      head: { record: head.record, seq: expected + events.length, state, statusAt: at },
      statements,
    }
  }

  /** The statements that add what a task said to the conversation of its session. */
  protected planSaid(
    id: string,
    { record, statusAt }: TaskHead,
    said: readonly ChatMessage[],
  ): readonly Statement[] {
    if (said.length === 0) return []
    const body = { type: 'messages', taskId: id, messages: said, at: statusAt }
    const log = logOfSession(nameOfSession(sessionOf(record)))
    // The database gives the number.
    const place = placeOfEntry({ log, seq: 0, kind: body.type })
    return sayInSession(id, this.#codec.encode(body, place))
  }

  /** The form that is stored of an event. */
  protected toStored(event: NewTaskEvent, _seq: number): NewTaskEvent {
    return event
  }

  #manifestsOf(id: string): ManifestReader {
    return new ManifestReader(async (seq) => {
      const [event] = (await this.#log.read(logOf(id), seq, 1)).map((entry) => toEvent(entry, id))
      return event?.type === 'run' ? event.event : undefined
    })
  }

  /** The effect on the run if a process that does not hold the task changes its state. */
  #moveRun(id: string, events: readonly NewTaskEvent[]): readonly Statement[] {
    const changed = lastStatus(events)
    if (!changed) return []
    const now = this.#database.now()
    if (isTerminal(changed.state)) return [...endRun(id, now), ...giveTurn(id, now)]
    if (isInterrupted(changed.state))
      return [parkRun(id, now, wakeOf(events, now)), ...giveTurn(id, now)]
    return [wakeRun(id, now), ...askForTurn(id, now + headStartMs)]
  }

  async turn(key: TaskKey, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const [row] = await this.#database.read(
        `SELECT t.place, t.principal, t.agent, t.session, s.turn FROM tasks t
          LEFT JOIN sessions s ON s.generation = t.generation WHERE t.id = ? AND t.principal = ?`,
        [key.id, key.principal],
      )
      const { turn = null, place = null } = row ?? {}
      if (!row || place === null || turn === null || turn === key.id) return undefined
      if (signal.aborted) return String(turn)
      const session = {
        principal: String(row['principal']),
        agent: String(row['agent']),
        id: String(row['session']),
      }
      await changeWithin(lookMs, this.#database, turnKey(session), signal)
    }
  }

  async open(session: SessionKey): Promise<readonly TaskHead[]> {
    const rows = await this.#database.read(
      `SELECT ${columns}, r.status FROM sessions s JOIN tasks t ON t.generation = s.generation AND t.place IS NOT NULL
        JOIN logs l ON l.id = 'task:' || t.id LEFT JOIN runs r ON r.id = 'task:' || t.id WHERE s.name = ? ORDER BY t.place`,
      [nameOfSession(session)],
    )
    return rows.map((row) => ({
      ...this.#headOf(row),
      ...(row['status'] === 'stopped' && { isStopped: true as const }),
    }))
  }

  async read(key: TaskKey, from: number, limit?: number): Promise<readonly TaskEvent[]> {
    await this.#get(key)
    const events: TaskEvent[] = []
    const manifests = this.#manifestsOf(key.id)
    for (const entry of await this.#log.read(logOf(key.id), from, limit))
      events.push(await withManifest(toEvent(entry, key.id), manifests))
    return events
  }

  async load(key: TaskKey): Promise<{ readonly task: Task; readonly head: TaskHead } | undefined> {
    const head = await this.head(key)
    if (!head) return undefined
    // An append between the two reads is left for the next load.
    const entries = (await this.#log.read(logOf(key.id), 1)).filter(({ seq }) => seq <= head.seq)
    const events = entries.map((entry) => toEvent(entry, key.id))
    return { task: foldTask(head.record, events), head }
  }

  watchSession(session: SessionKey, onChange: () => void): () => void {
    return this.#database.watch(turnKey(session), onChange)
  }

  async *watch(key: TaskKey, from: number, signal?: AbortSignal): AsyncGenerator<TaskEvent, void> {
    await this.#get(key)
    const isOver = async (last: number): Promise<boolean> => {
      const head = await this.head(key)
      return head === undefined || (isTerminal(head.state) && last >= head.seq)
    }
    const manifests = this.#manifestsOf(key.id)
    for await (const entry of this.#log.watch(logOf(key.id), from, isOver, signal))
      yield await withManifest(toEvent(entry, key.id), manifests)
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
      ...(last &&
        rows.length > heads.length && { next: btoa(JSON.stringify([last['at'], last['id']])) }),
    }
  }

  async delete(key: TaskKey): Promise<void> {
    const head = await this.head(key)
    if (!head) return
    const now = this.#database.now()
    await this.#database.write([lockSession(key.id), ...giveTurn(key.id, now), ...removeTask(key)])
    this.#database.notify(logOf(key.id))
    this.#database.notify(turnKey(sessionOf(head.record)))
  }

  async #get(key: TaskKey): Promise<TaskHead> {
    const head = await this.head(key)
    if (head) return head
    throw new AgentError('task-not-found', 'Task not found', { metadata: { taskId: key.id } })
  }

  #headOf(row: Row): TaskHead {
    const id = String(row['id'])
    const state = String(row['state']) as TaskState
    const place = placeOf(id, state, Number(row['at']))
    const { record, statusAt } = this.#codec.decode(row['record'], place) as {
      record: TaskRecord
      statusAt: string
    }
    // The columns find the task, and nothing protects them.
    if (record.principal !== row['principal'] || record.agent !== row['agent'])
      throw new DurableError('damaged', `task "${id}" was moved to another principal or agent`)
    return {
      record,
      seq: Number(row['seq']),
      state,
      statusAt,
      generation: String(row['generation']),
    }
  }
}

/** The statements that remove a task with everything about it. */
export const removeTask = (key: TaskKey): readonly Statement[] => [
  { sql: 'DELETE FROM tasks WHERE id = ?', params: [key.id] },
  ...removeLog(logOf(key.id)),
  ...removeLog(`inbox:${nameOfTask(key)}`),
  {
    sql: `DELETE FROM documents WHERE kind IN ('message', 'grant') AND owner = ?`,
    params: [key.id],
  },
  ...removeRun(runOfTask(key.id)),
]

/** An event of a run leaves out what its kind and the run's event say, and the first attempt. */
function toEntry(event: NewTaskEvent, id: string): NewLogEntry {
  const { type, at, attempt } = event
  if (type !== 'run') return { kind: type, body: event }
  const own = { ...(at !== timeOf(event.event) && { at }), ...(attempt !== 1 && { attempt }) }
  return { kind: type, body: { event: shorten(event.event, id, {}), ...own } }
}

function toEvent({ seq, kind, body }: LogEntry, id: string): TaskEvent {
  if (kind !== 'run') return { ...(body as NewTaskEvent), seq }
  const stored = body as { readonly event: object }
  const event = lengthen(stored.event, id, {}) as RunEvent
  return { type: kind, at: timeOf(event), attempt: 1, ...stored, event, seq }
}

const timeOf = ({ at }: RunEvent): string => new Date(at).toISOString()

const withManifest = async (event: TaskEvent, manifests: ManifestReader): Promise<TaskEvent> =>
  event.type === 'run'
    ? { ...event, event: await manifests.toEvent(event.event, event.seq) }
    : event

const conflict = ({ id }: Pick<TaskKey, 'id'>, found: number, expected: number): AgentError =>
  new AgentError('conflict', `Task ${id} has ${found} events, not ${expected}: reload it`)

const messageKey = (principal: string, agent: string, messageId: string): string =>
  JSON.stringify([principal, agent, messageId])
