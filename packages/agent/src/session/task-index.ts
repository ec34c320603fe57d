import type { TaskRecord } from '../models/task-event.js'
import type { TaskState } from '../models/task-state.js'
import type { TaskQuery } from './task-store.js'

/** Where a task stands among others: by the time of its status, then by the order of the writes. */
export type Position = readonly [statusAt: string, order: number]

/** A task that is in an index. */
export interface IndexedTask {
  readonly record: TaskRecord
  /** Its newest place; the index sets it. */
  place?: Place | undefined
}

/** A task at a position. A task that moves gets a new place, and the old one stays in the logs until they are cleaned. */
export interface Place<T extends IndexedTask = IndexedTask> {
  readonly task: T
  readonly state: TaskState
  readonly position: Position
  readonly groups: readonly Group<T>[]
}

const compare = ([a, first]: Position, [b, second]: Position): number => (a < b ? -1 : a > b ? 1 : first - second)

/** Places in order, oldest first. Adding the newest place and leaving one take constant time on average. */
class Log<T extends IndexedTask> {
  #places: Place<T>[] = []
  #live = 0

  /** How many tasks have their newest place here. */
  get size(): number {
    return this.#live
  }

  add(place: Place<T>): void {
    this.#live++
    const last = this.#places.at(-1)
    if (!last || compare(last.position, place.position) < 0) this.#places.push(place)
    else this.#places.splice(this.#end(place.position), 0, place)
  }

  /** Says that a task has left its place. */
  leave(): void {
    this.#live--
    if (this.#places.length > 32 && this.#places.length > this.#live * 2) this.#places = this.#places.filter(isNewest)
  }

  /** The tasks, newest first, from behind a position on. */
  *newestFirst(behind?: Position): Generator<Place<T>, void> {
    for (let at = (behind ? this.#end(behind) : this.#places.length) - 1; at >= 0; at--) {
      const place = this.#places[at]
      if (place && isNewest(place)) yield place
    }
  }

  /** The index of the first place that is not before the position. */
  #end(position: Position): number {
    let [low, high] = [0, this.#places.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const place = this.#places[middle]
      if (place && compare(place.position, position) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

const isNewest = (place: Place): boolean => place.task.place === place

/** The tasks of one combination of principal, agent and session. */
class Group<T extends IndexedTask> {
  readonly #all: Log<T> = new Log<T>()
  readonly #counts = new Map<TaskState, number>()
  /** Undefined for the tasks of a session: there are few, and most sessions have one. */
  readonly #byState: Map<TaskState, Log<T>> | undefined

  constructor(isSplit: boolean) {
    this.#byState = isSplit ? new Map<TaskState, Log<T>>() : undefined
  }

  /** How many tasks are in a state, or in any. */
  count(state?: TaskState): number {
    return state === undefined ? this.#all.size : (this.#counts.get(state) ?? 0)
  }

  add(place: Place<T>): void {
    this.#all.add(place)
    this.#counts.set(place.state, this.count(place.state) + 1)
    if (!this.#byState) return
    const log = this.#byState.get(place.state) ?? new Log<T>()
    log.add(place)
    this.#byState.set(place.state, log)
  }

  leave({ state }: Place<T>): void {
    this.#all.leave()
    this.#counts.set(state, this.count(state) - 1)
    this.#byState?.get(state)?.leave()
  }

  /** The tasks in a state, or in any, newest first, from behind a position on. */
  *newestFirst(state?: TaskState, behind?: Position): Generator<Place<T>, void> {
    let left = this.count(state)
    const log = state === undefined ? this.#all : (this.#byState?.get(state) ?? this.#all)
    for (const place of left ? log.newestFirst(behind) : []) {
      if (state !== undefined && place.state !== state) continue
      yield place
      if (--left === 0) return
    }
  }
}

/** Which of agent and session a query names. */
const groupName = (principal: string, agent: string | undefined, sessionId: string | undefined): string =>
  JSON.stringify([principal, agent ?? null, sessionId ?? null])

/**
 * An index of tasks by the fields of a query, so that a page costs the same however many tasks there are. Two queries cost more: one with a time also
 * counts the tasks since then, and one with a session but no agent scans all tasks of the principal.
 */
export class TaskIndex<T extends IndexedTask> {
  readonly #groups = new Map<string, Group<T>>()

  /** Puts a task at a position, in place of where it was. */
  move(task: T, state: TaskState, position: Position): void {
    const before = task.place as Place<T> | undefined
    const groups = before?.groups ?? this.#groupsOf(task.record)
    const place: Place<T> = { task, state, position, groups }
    task.place = place
    for (const group of groups) {
      if (before) group.leave(before)
      group.add(place)
    }
  }

  /** Takes a task out. */
  remove(task: T): void {
    const { place, record } = task
    if (!place) return
    task.place = undefined
    for (const group of place.groups as readonly Group<T>[]) group.leave(place as Place<T>)
    for (const name of namesOf(record)) if (!this.#groups.get(name)?.count()) this.#groups.delete(name)
  }

  /** The tasks that match, newest first: those behind a position, how many match on all pages, and whether more follow. */
  page(
    { principal, agent, sessionId, state, statusAfter, limit }: TaskQuery,
    behind?: Position,
  ): { readonly tasks: readonly T[]; readonly total: number; readonly hasMore: boolean } {
    // The sessions of an agent have groups of their own; those of all agents are looked for among the tasks of the principal.
    const isFiltered = sessionId !== undefined && agent === undefined
    const group = this.#groups.get(groupName(principal, agent, isFiltered ? undefined : sessionId))
    if (!group) return { tasks: [], total: 0, hasMore: false }
    const since = statusAfter === undefined ? -Infinity : Date.parse(statusAfter)
    const isOfSession = ({ task }: Place): boolean => !isFiltered || task.record.sessionId === sessionId
    const isSince = ({ position: [at] }: Place): boolean => since === -Infinity || Date.parse(at) >= since
    const tasks: T[] = []
    let hasMore = false
    for (const place of group.newestFirst(state, behind)) {
      if (!isSince(place)) break
      if (!isOfSession(place)) continue
      hasMore = tasks.length >= limit
      if (hasMore) break
      tasks.push(place.task)
    }
    const isCounted = since === -Infinity && !isFiltered
    const total = isCounted ? group.count(state) : count(group.newestFirst(state), isSince, isOfSession)
    return { tasks, hasMore, total }
  }

  #groupsOf(record: TaskRecord): readonly Group<T>[] {
    return namesOf(record).map((name, index) => {
      const known = this.#groups.get(name)
      if (known) return known
      const made = new Group<T>(index < 2)
      this.#groups.set(name, made)
      return made
    })
  }
}

/** Two for all sessions, then the session of the task. */
const namesOf = ({ principal, agent, sessionId }: TaskRecord): readonly string[] => [
  groupName(principal, undefined, undefined),
  groupName(principal, agent, undefined),
  groupName(principal, agent, sessionId),
]

/** How many of the first places that pass `isPart` pass `is`. */
function count<P>(places: Iterable<P>, isPart: (place: P) => boolean, is: (place: P) => boolean): number {
  let found = 0
  for (const place of places) {
    if (!isPart(place)) break
    if (is(place)) found++
  }
  return found
}
