import type { ChatMessage } from '@modelport/core'
import type { TaskEvent, TaskRecord } from '../models/task-event.js'
import { isTerminal } from '../models/task-state.js'
import { MemoryTasks } from './memory-tasks.js'
import type { SessionKey } from './session-store.js'
import {
  type MessageClaim,
  type NewTaskEvent,
  nameOfTask,
  type ResultGrant,
  type StoredTask,
  type TaskHead,
  type TaskKey,
  type TaskOfMessage,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
} from './task-store.js'

/**
 * Wraps a store and keeps tasks that are off the record out of it: they live in memory, are not
 * listed, and are forgotten some time after their end, so that their caller can still read the
 * result.
 */
export class OffRecordTasks implements TaskStore {
  readonly #stored: TaskStore
  readonly #memory = new MemoryTasks()
  readonly #own = new Set<string>()
  readonly #keepMs: number

  /** @param keepMs milliseconds that an ended task off the record stays readable */
  constructor(stored: TaskStore, keepMs = 60_000) {
    this.#stored = stored
    this.#keepMs = keepMs
  }

  async create(
    record: TaskRecord,
    events: readonly NewTaskEvent[],
    message?: MessageClaim,
  ): Promise<TaskHead> {
    if (!record.offRecord) return this.#stored.create(record, events, message)
    const head = await this.#memory.create(record, events, message)
    this.#own.add(nameOfTask(record))
    return head
  }

  async taskOfMessage(
    principal: string,
    agent: string,
    messageId: string,
  ): Promise<TaskOfMessage | undefined> {
    const own = await this.#memory.taskOfMessage(principal, agent, messageId)
    return own ?? this.#stored.taskOfMessage(principal, agent, messageId)
  }

  async forgetMessage(principal: string, agent: string, messageId: string): Promise<void> {
    await this.#memory.forgetMessage(principal, agent, messageId)
    await this.#stored.forgetMessage(principal, agent, messageId)
  }

  addGrant(key: TaskKey, digest: string, call: string): Promise<void> {
    return this.#of(key).addGrant(key, digest, call)
  }

  async takeGrant(digest: string, content: string): Promise<ResultGrant | undefined> {
    const own = await this.#memory.takeGrant(digest, content)
    return own ?? this.#stored.takeGrant(digest, content)
  }

  head(key: TaskKey): Promise<TaskHead | undefined> {
    return this.#of(key).head(key)
  }

  async append(
    key: TaskKey,
    expected: number,
    events: readonly NewTaskEvent[],
    said?: readonly ChatMessage[],
  ): Promise<TaskHead> {
    const head = await this.#of(key).append(key, expected, events, said)
    if (isTerminal(head.state) && this.#own.has(nameOfTask(key))) this.#forgetLater(key)
    return head
  }

  turn(key: TaskKey, signal: AbortSignal): Promise<string | undefined> {
    return this.#of(key).turn(key, signal)
  }

  open(session: SessionKey): Promise<readonly TaskHead[]> {
    return this.#stored.open(session)
  }

  read(key: TaskKey, from: number, limit?: number): Promise<readonly TaskEvent[]> {
    return this.#of(key).read(key, from, limit)
  }

  load(key: TaskKey): Promise<StoredTask | undefined> {
    return this.#of(key).load(key)
  }

  watch(key: TaskKey, from: number, signal?: AbortSignal): AsyncIterableIterator<TaskEvent> {
    return this.#of(key).watch(key, from, signal)
  }

  watchSession(session: SessionKey, onChange: () => void): () => void {
    const stores = [this.#stored, this.#memory]
    const ends = stores.map((store) => store.watchSession(session, onChange))
    return () => {
      for (const end of ends) end()
    }
  }

  list(query: TaskQuery): Promise<TaskPage> {
    return this.#stored.list(query)
  }

  async delete(key: TaskKey): Promise<void> {
    await this.#of(key).delete(key)
    this.#own.delete(nameOfTask(key))
  }

  #of(key: TaskKey): TaskStore {
    return this.#own.has(nameOfTask(key)) ? this.#memory : this.#stored
  }

  #forgetLater(key: TaskKey): void {
    const timer: unknown = setTimeout(() => void this.delete(key), this.#keepMs)
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.()
  }
}
