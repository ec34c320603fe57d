import type { Message } from '../models/message.js'
import type { TaskKey } from './task-store.js'

/** A message that waits until the holder of a task takes it. */
export interface InboxItemBody {
  /** The kind of the item. */
  readonly type: 'message'
  /** What was sent. */
  readonly message: Message
  /** Who sent it. */
  readonly principal: string
}

/** One stored item. */
export type InboxItem = InboxItemBody & {
  /** 1 for the first item of the task, then without gaps. */
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
}

/** Messages for a task, kept until the task's holder has read them. */
export interface Inbox {
  /** Adds an item. @throws {AgentError} `task-not-found` — a stored task is gone */
  put(key: TaskKey, item: InboxItemBody, at: string): Promise<void>
  /** The items that were not taken yet, in order. */
  pending(key: TaskKey): Promise<readonly InboxItem[]>
  /** Marks the items up to this number as read. */
  take(key: TaskKey, upTo: number): Promise<void>
}
