import type { ChatMessage } from '@modelport/core'
import type { Task } from '../models/task.js'
import type { TaskEvent, TaskEventBody, TaskRecord } from '../models/task-event.js'
import type { TaskState } from '../models/task-state.js'
import type { SessionKey } from './session-store.js'

/** A task of one principal. A task of another principal does not exist for the caller. */
export interface TaskKey {
  /** Who owns the task, as the text of a `Principal`. */
  readonly principal: string
  /** Id of the task. */
  readonly id: string
}

/**
 * A message id that belongs to one task from now on, so that a message which arrives twice runs
 * once.
 */
export interface MessageClaim {
  /** The sender's id of the message. */
  readonly id: string
  /** Distinguishes the bodies of messages. */
  readonly digest: string
}

/** What a store knows of a message that came before. */
export interface TaskOfMessage {
  /** The task that it made. */
  readonly taskId: string
  /** Digest of its body. */
  readonly digest: string
}

/** What the secret of a call is good for: its result can be delivered with it. */
export interface ResultGrant {
  /** The task that the call belongs to. */
  readonly key: TaskKey
  /** The call, as its host names it. */
  readonly call: string
  /** Digest of the result that was delivered first. */
  readonly content: string
}

/** A task key as one text. A principal may hold any text: JSON keeps the parts apart. */
export const nameOfTask = ({ principal, id }: TaskKey): string => `${id.length}:${id}${principal}`

/** What a store knows of a task without reading its events. */
export interface TaskHead {
  /** What never changes. */
  readonly record: TaskRecord
  /** Sequence number of the last event; 0 if there is none. */
  readonly seq: number
  /** The state now. */
  readonly state: TaskState
  /** When the state was last set, ISO 8601, UTC. */
  readonly statusAt: string
  /**
   * Which life of its session the task belongs to: a session that is deleted and begun again has
   * another. Unset: the task is off the record.
   */
  readonly generation?: string
  /** True for a task that nothing continues until an operator lets it. */
  readonly isStopped?: true
}

/** A task with what its store knows of it. */
export interface StoredTask {
  /** The task, folded from its events. */
  readonly task: Task
  /**
   * Its head, read together with the task: `head.seq` is the number of the last event in `task`.
   */
  readonly head: TaskHead
}

/** An event to be stored; the store gives it the sequence number. */
export type NewTaskEvent = TaskEventBody & { readonly at: string; readonly attempt: number }

/** Which tasks are listed. */
export interface TaskQuery {
  /** Only tasks of this principal. */
  readonly principal: string
  /** Only of this agent. */
  readonly agent?: string | undefined
  /** Only tasks of this session. */
  readonly sessionId?: string | undefined
  /** Only tasks in this state. */
  readonly state?: TaskState | undefined
  /** Only tasks whose status time is at or after this one, ISO 8601, UTC. */
  readonly statusAfter?: string | undefined
  /** Maximum tasks of the page. */
  readonly limit: number
  /** `next` of the page before. */
  readonly cursor?: string | undefined
}

/** One page of tasks, newest status first. */
export interface TaskPage {
  /** The tasks of the page. */
  readonly heads: readonly TaskHead[]
  /** Where the next page starts. Unset: this is the last page. */
  readonly next?: string
  /** Tasks that match, on all pages. */
  readonly total: number
}

/**
 * Tasks as append-only logs of events, keyed by principal. A store never changes or removes an
 * event, except that `delete` removes a task. Every value that goes in or comes out is plain JSON;
 * callers must not change it.
 */
export interface TaskStore {
  /**
   * Stores a new task with its first events, which get the numbers from 1, with the id of the
   * message that it was made for, and with its place in its session: all or nothing. The task has
   * the turn of the session if nobody else has it.
   * @throws {AgentError} `conflict` — the id exists already, for whichever principal; or the same
   * principal sent this message to the agent before.
   */
  create(
    record: TaskRecord,
    events: readonly NewTaskEvent[],
    message?: MessageClaim,
  ): Promise<TaskHead>
  /** The task that a message id belongs to, or `undefined`. */
  taskOfMessage(
    principal: string,
    agent: string,
    messageId: string,
  ): Promise<TaskOfMessage | undefined>
  /** Forgets a message id, so that the next message with it makes a new task. */
  forgetMessage(principal: string, agent: string, messageId: string): Promise<void>
  /**
   * Lets whoever has a secret deliver the result of one call of a task, for as long as the task is
   * kept.
   * @param digest of the secret, which is not stored
   * @param call names the call
   * @throws {AgentError} `task-not-found`
   */
  addGrant(key: TaskKey, digest: string, call: string): Promise<void>
  /**
   * Delivers a result with a secret: the first one is the result of the call, whoever comes later.
   * @param digest of the secret
   * @param content digest of the result
   * @returns the grant, with the result that came first; `undefined` — no secret has this digest,
   * or its task was removed
   */
  takeGrant(digest: string, content: string): Promise<ResultGrant | undefined>
  /** The head of a task, or `undefined` if this principal has no such task. */
  head(key: TaskKey): Promise<TaskHead | undefined>
  /**
   * Appends events, all or none, if the last sequence number is still `expected`.
   *
   * A status that ends the task, or lets it wait for somebody, gives the turn of its session to the
   * next task in the same transaction; one that continues it asks for the turn again.
   *
   * @param said is added to the conversation of the session in the same transaction; dropped if the
   * session was deleted since the task was made, or if the task does not have its turn
   * @throws {AgentError} `conflict` — another writer was first: reload and decide again;
   * `task-not-found`; `unsupported-operation` — a `status` event asks for a transition that the
   * table does not have.
   */
  append(
    key: TaskKey,
    expected: number,
    events: readonly NewTaskEvent[],
    said?: readonly ChatMessage[],
  ): Promise<TaskHead>
  /**
   * Waits until the task has the turn of its session, or needs none: it is over, or its session was
   * deleted.
   * @returns who has the turn, if the signal aborted first
   */
  turn(key: TaskKey, signal: AbortSignal): Promise<string | undefined>
  /** The tasks of a session that are not over, in the order of their places. */
  open(session: SessionKey): Promise<readonly TaskHead[]>
  /**
   * The events from a number on (1 is the first), at most `limit`, in order. Empty if there are
   * none yet.
   * @throws {AgentError} `task-not-found`
   */
  read(key: TaskKey, from: number, limit?: number): Promise<readonly TaskEvent[]>
  /**
   * The task, folded from all its events, with the number of the last one. `undefined` if this
   * principal has no such task.
   */
  load(key: TaskKey): Promise<StoredTask | undefined>
  /**
   * The events from a number on: the stored ones, then new ones as they are stored, each once and
   * in order. Ends when the signal aborts or the reader returns, and after the event that makes the
   * task terminal.
   * @throws {AgentError} `task-not-found` — on the first read.
   */
  watch(key: TaskKey, from: number, signal?: AbortSignal): AsyncIterableIterator<TaskEvent>
  /**
   * Calls back whenever a task of a session was made or removed, or changed its state, in whichever
   * process; now and then also if none did.
   * @returns ends it
   */
  watchSession(session: SessionKey, onChange: () => void): () => void
  /** Tasks by status time, newest first, then by id; a cursor stays valid while tasks are added. */
  list(query: TaskQuery): Promise<TaskPage>
  /** Removes a task and everything kept for it. Absent tasks are ignored. */
  delete(key: TaskKey): Promise<void>
}
