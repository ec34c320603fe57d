/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous; memory never waits */
import { AgentError } from '../base/agent-error.js'
import type {
  SessionEntry,
  SessionEntryBody,
  SessionHead,
  SessionKey,
  SessionStore,
} from './session-store.js'

interface Row {
  readonly key: SessionKey
  readonly entries: SessionEntry[]
  start: number
}

const nameOf = ({ principal, agent, id }: SessionKey): string =>
  `${id.length}:${id}${agent.length}:${agent}${principal}`

/** Conversations in the memory of one process. */
export class MemorySessions implements SessionStore {
  readonly #rows = new Map<string, Row>()

  async head(key: SessionKey): Promise<SessionHead> {
    return headOf(this.#rows.get(nameOf(key)) ?? { key, entries: [], start: 1 })
  }

  async append(
    key: SessionKey,
    expected: number,
    entries: readonly SessionEntryBody[],
    at: string,
  ): Promise<SessionHead> {
    const name = nameOf(key)
    const row = this.#rows.get(name) ?? { key, entries: [], start: 1 }
    if (row.entries.length !== expected)
      throw new AgentError(
        'conflict',
        `Session ${key.id} has ${row.entries.length} entries, not ${expected}: reload it`,
      )
    for (const body of entries) {
      const seq = row.entries.length + 1
      row.entries.push({ ...body, seq, at })
      if (body.type === 'replaced') row.start = seq
    }
    this.#rows.set(name, row)
    return headOf(row)
  }

  async read(key: SessionKey, from: number): Promise<readonly SessionEntry[]> {
    return this.#rows.get(nameOf(key))?.entries.slice(Math.max(from, 1) - 1) ?? []
  }

  async list(principal: string, agent: string): Promise<readonly SessionHead[]> {
    return [...this.#rows.values()]
      .filter(({ key }) => key.principal === principal && key.agent === agent)
      .map(headOf)
      .sort((a, b) => (a.key.id < b.key.id ? -1 : 1))
  }

  async delete(key: SessionKey): Promise<void> {
    this.#rows.delete(nameOf(key))
  }
}

const headOf = ({ key, entries, start }: Row): SessionHead => ({ key, seq: entries.length, start })
