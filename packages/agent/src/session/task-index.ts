import type { TaskRecord } from '../models/task-event.js'
import type { TaskState } from '../models/task-state.js'
import type { TaskQuery } from './task-store.js'

/** Where a task stands among others: by the time of its status, then by the order of the writes. */
export type Position = readonly [statusAt: string, order: number]

/** A task that is in an index. */
export interface IndexedTask {
  readonly record: TaskRecord
  /** Its state and its position; the index sets it. */
  place?: Place | undefined
}

interface Place {
  readonly state: TaskState
  readonly position: Position
}

const compare = ([a, first]: Position, [b, second]: Position): number =>
  a < b ? -1 : a > b ? 1 : first - second

/**
 * Tasks in the order of their positions, oldest first. Those that change are near the end, so that
 * few have to make room.
 */
class Log<T extends IndexedTask> {
  readonly #tasks: T[] = []

  get size(): number {
    return this.#tasks.length
  }

  add(task: T, position: Position): void {
    this.#tasks.splice(this.#end(position), 0, task)
  }

  remove(position: Position): void {
    this.#tasks.splice(this.#end(position), 1)
  }

  /** The tasks, newest first, from behind a position on. */
  *newestFirst(behind?: Position): Generator<T, void> {
    for (let at = (behind ? this.#end(behind) : this.#tasks.length) - 1; at >= 0; at--) {
      const task = this.#tasks[at]
      if (task) yield task
    }
  }

  /** The index of the first task that is not before the position. */
  #end(position: Position): number {
    let low = 0
    let high = this.#tasks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const { place } = this.#tasks[middle] ?? {}
      if (place && compare(place.position, position) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * An index of tasks by the fields of a query, so that a page costs the same however many tasks
 * there are. Some queries cost more: one with a time also counts the tasks since then. One with a
 * session scans its tasks if it also has a state, and all tasks of the principal if it has no
 * agent.
 */
export class TaskIndex<T extends IndexedTask> {
  readonly #logs = new Map<string, Log<T>>()

  /** Puts a task at a position, in place of where it was. */
  move(task: T, state: TaskState, position: Position): void {
    this.remove(task)
    for (const name of namesOf(task.record, state)) {
      const log = this.#logs.get(name) ?? new Log<T>()
      log.add(task, position)
      this.#logs.set(name, log)
    }
    task.place = { state, position }
  }

  remove(task: T): void {
    const { place, record } = task
    if (!place) return
    for (const name of namesOf(record, place.state)) {
      const log = this.#logs.get(name)
      log?.remove(place.position)
      if (!log?.size) this.#logs.delete(name)
    }
    task.place = undefined
  }

  /**
   * The tasks that match, newest first: those behind a position, how many match on all pages, and
   * whether more follow.
   */
  page(
    { principal, agent, sessionId, state, statusAfter, limit }: TaskQuery,
    behind?: Position,
  ): { readonly tasks: readonly T[]; readonly total: number; readonly hasMore: boolean } {
    const isOneSession = agent !== undefined && sessionId !== undefined
    const log = this.#logs.get(
      isOneSession
        ? nameOf(principal, agent, sessionId)
        : nameOf(principal, agent, undefined, state),
    )
    if (!log) return { tasks: [], total: 0, hasMore: false }
    const since = statusAfter === undefined ? -Infinity : Date.parse(statusAfter)
    const isSince = ({ place }: T): boolean =>
      since === -Infinity || Date.parse(place?.position[0] ?? '') >= since
    const isMatch = ({ record, place }: T): boolean =>
      (state === undefined || place?.state === state) &&
      (sessionId === undefined || record.sessionId === sessionId)
    const tasks: T[] = []
    let hasMore = false
    for (const task of log.newestFirst(behind)) {
      if (!isSince(task)) break
      if (!isMatch(task)) continue
      hasMore = tasks.length >= limit
      if (hasMore) break
      tasks.push(task)
    }
    const isWhole =
      since === -Infinity && (isOneSession ? state === undefined : sessionId === undefined)
    return {
      tasks,
      hasMore,
      total: isWhole ? log.size : count(log.newestFirst(), isSince, isMatch),
    }
  }
}

/** The name of the log of the tasks with these fields. */
const nameOf = (principal: string, agent?: string, sessionId?: string, state?: TaskState): string =>
  JSON.stringify([principal, agent ?? null, sessionId ?? null, state ?? null])

/** The logs that a task is in. The tasks of one session are few: their states have none. */
const namesOf = (
  { principal, agent, sessionId }: TaskRecord,
  state: TaskState,
): readonly string[] => [
  nameOf(principal),
  nameOf(principal, undefined, undefined, state),
  nameOf(principal, agent),
  nameOf(principal, agent, undefined, state),
  nameOf(principal, agent, sessionId),
]

/** How many of the first tasks that pass `isPart` pass `is`. */
function count<P>(
  tasks: Iterable<P>,
  isPart: (task: P) => boolean,
  is: (task: P) => boolean,
): number {
  let found = 0
  for (const task of tasks) {
    if (!isPart(task)) break
    if (is(task)) found++
  }
  return found
}
