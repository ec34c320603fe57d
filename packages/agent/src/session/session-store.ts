import type { ChatMessage } from '@modelport/core'
import type { CompactionResult } from '@modelport/runtime'

/** A conversation of one principal with one agent. */
export interface SessionKey {
  /** Who owns the session. */
  readonly principal: string
  /** The agent that it is with. */
  readonly agent: string
  /** Id of the session. */
  readonly id: string
}

/**
 * A session as one text: a principal may hold any text, and JSON keeps the parts apart.
 * @experimental for stores of our own
 */
export const nameOfSession = ({ principal, agent, id }: SessionKey): string =>
  JSON.stringify([principal, agent, id])

/** What may be added to a conversation. */
export type SessionEntryBody =
  /** What a task said and heard. */
  | {
      readonly type: 'messages'
      readonly taskId?: string
      readonly messages: readonly ChatMessage[]
    }
  /** The whole conversation from here on; what came before is history. */
  | {
      readonly type: 'replaced'
      readonly reason: 'compacted' | 'reset' | 'forked'
      readonly messages: readonly ChatMessage[]
      readonly report?: CompactionResult
      readonly from?: { readonly sessionId: string; readonly seq: number }
    }

/** One stored entry of a conversation. */
export type SessionEntry = SessionEntryBody & {
  /** 1 for the first entry, then without gaps. */
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
}

/** What a store knows of a conversation without reading it. */
export interface SessionHead {
  /** The session. */
  readonly key: SessionKey
  /** Number of the last entry; 0 if there is none. */
  readonly seq: number
  /**
   * Number of the last `replaced` entry: reading the conversation starts there. 1 if there is none.
   */
  readonly start: number
  /** Names this life of the session: one that is deleted and begun again has another. */
  readonly generation?: string
  /** Who writes the session now: the id of a task, or of whoever took the turn. */
  readonly turn?: string
}

/**
 * Conversations as append-only logs, keyed by principal and agent. Whoever has the turn of a
 * session writes it: one task at a time, in the order in which their messages came.
 */
export interface SessionStore {
  /** The head of a conversation; one that was never written has `seq` 0. */
  head(key: SessionKey): Promise<SessionHead>
  /**
   * Appends entries, all or none, if the last number is still `expected`. What a task says is added
   * by `TaskStore.append`.
   * @param holder whoever took the turn; unset: nobody else may have it
   * @throws {AgentError} `conflict` — another writer was first; `busy` — somebody else has the
   * turn: `metadata.turn` names them.
   */
  append(
    key: SessionKey,
    expected: number,
    entries: readonly SessionEntryBody[],
    at: string,
    holder?: string,
  ): Promise<SessionHead>
  /**
   * Waits for the turn of a session, after the tasks that wait for it, and takes it for something
   * that is not a task: a compaction, a reset, a fork. No task begins until `release`, or until the
   * process died and five minutes have passed.
   * @param holder names whoever takes it
   * @returns who has the turn, if the signal aborted first
   */
  take(key: SessionKey, holder: string, signal: AbortSignal): Promise<string | undefined>
  /** Gives a turn that was taken to the next task. */
  release(key: SessionKey, holder: string): Promise<void>
  /** The entries from a number on, in order. */
  read(key: SessionKey, from: number): Promise<readonly SessionEntry[]>
  /** The sessions of a principal with an agent, by id. */
  list(principal: string, agent: string): Promise<readonly SessionHead[]>
  /**
   * Removes a conversation, whoever has its turn: what its tasks say later is dropped. Absent ones
   * are ignored.
   */
  delete(key: SessionKey): Promise<void>
}

/** The conversation that entries tell: those from the last `replaced` entry on. */
export function foldSession(entries: readonly SessionEntry[]): readonly ChatMessage[] {
  const start = entries.findLastIndex(({ type }) => type === 'replaced')
  return entries.slice(Math.max(start, 0)).flatMap((entry) => entry.messages)
}
