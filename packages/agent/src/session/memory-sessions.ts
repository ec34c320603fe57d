/* oxlint-disable typescript/require-await -- the interface is asynchronous; memory never waits */
import { AgentError } from '../base/agent-error.js'
import { sessionBusy } from './session-busy.js'
import type {
  SessionEntry,
  SessionEntryBody,
  SessionHead,
  SessionKey,
  SessionStore,
} from './session-store.js'

/** A conversation, and whose turn it is to write it. */
export class SessionRow {
  readonly key: SessionKey
  readonly generation: string
  readonly entries: SessionEntry[] = []
  /** Number of the entry at which the conversation starts; earlier ones are history. */
  start = 1
  /** How many tasks got a place in the order of turns so far. */
  places = 0
  /** Who has the turn; while it is unset, nobody waits for it. */
  turn: string | undefined
  isDeleted = false
  /** Ids of the tasks that are not over. */
  readonly open: Set<string> = new Set<string>()
  #waiting: { readonly place: number; readonly id: string }[] = []
  readonly #watchers = new Set<() => void>()

  constructor(key: SessionKey, generation: string) {
    this.key = key
    this.generation = generation
  }

  add(entries: readonly SessionEntryBody[], at: string): void {
    for (const body of entries) {
      const seq = this.entries.length + 1
      this.entries.push({ ...body, seq, at })
      if (body.type === 'replaced') this.start = seq
    }
  }

  /** A task asks for the turn. */
  ask(place: number, id: string): void {
    this.open.add(id)
    this.#waiting.push({ place, id })
    this.#waiting.sort((a, b) => a.place - b.place)
    this.#handOn()
  }

  /** Passes the turn of a task to the next one. A task that still waits for it waits no more. */
  give(id: string): void {
    this.#waiting = this.#waiting.filter((one) => one.id !== id)
    if (this.turn === id) this.turn = undefined
    this.#handOn()
  }

  /** Settles when the turn moves, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#watchers.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#watchers.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  delete(): void {
    this.isDeleted = true
    this.#wake()
  }

  #handOn(): void {
    this.turn ??= this.#waiting.shift()?.id
    this.#wake()
  }

  #wake(): void {
    for (const wake of [...this.#watchers]) wake()
  }
}

const nameOf = ({ principal, agent, id }: SessionKey): string =>
  `${id.length}:${id}${agent.length}:${agent}${principal}`

/** Conversations in the memory of one process. */
export class MemorySessions implements SessionStore {
  readonly #rows = new Map<string, SessionRow>()
  #generations = 0

  /** The row of a session, which is made if there is none. */
  open(key: SessionKey): SessionRow {
    const name = nameOf(key)
    const row = this.#rows.get(name) ?? new SessionRow(key, String(++this.#generations))
    this.#rows.set(name, row)
    return row
  }

  find(key: SessionKey): SessionRow | undefined {
    return this.#rows.get(nameOf(key))
  }

  async head(key: SessionKey): Promise<SessionHead> {
    const row = this.find(key)
    return row ? headOf(row) : { key, seq: 0, start: 1 }
  }

  async append(
    key: SessionKey,
    expected: number,
    entries: readonly SessionEntryBody[],
    at: string,
    holder?: string,
  ): Promise<SessionHead> {
    const stored = this.find(key)
    if (stored?.turn !== undefined && stored.turn !== holder) throw sessionBusy(key, stored.turn)

    const seq = stored?.entries.length ?? 0
    if (seq !== expected)
      throw new AgentError(
        'conflict',
        `Session ${key.id} has ${seq} entries, not ${expected}: reload it`,
      )

    const row = this.open(key)
    row.add(entries, at)
    return headOf(row)
  }

  async take(key: SessionKey, holder: string, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const row = this.open(key)
      row.turn ??= holder
      if (row.turn === holder) return undefined
      if (signal.aborted) return row.turn
      await row.changed(signal)
    }
  }

  async release(key: SessionKey, holder: string): Promise<void> {
    this.find(key)?.give(holder)
  }

  async read(key: SessionKey, from: number): Promise<readonly SessionEntry[]> {
    return this.find(key)?.entries.slice(Math.max(from, 1) - 1) ?? []
  }

  async list(principal: string, agent: string): Promise<readonly SessionHead[]> {
    return [...this.#rows.values()]
      .filter(
        ({ key, entries }) => key.principal === principal && key.agent === agent && entries.length,
      )
      .map(headOf)
      .sort((a, b) => (a.key.id < b.key.id ? -1 : 1))
  }

  async delete(key: SessionKey): Promise<void> {
    this.find(key)?.delete()
    this.#rows.delete(nameOf(key))
  }
}

const headOf = ({ key, entries, start, generation, turn }: SessionRow): SessionHead => ({
  key,
  seq: entries.length,
  start,
  generation,
  ...(turn !== undefined && { turn }),
})
