import type { Message } from '../models/message.js'
import type { TaskKey } from './task-store.js'

/** One item that waits until the holder of a task takes it. */
export type InboxItemBody =
  | { readonly type: 'message'; readonly message: Message; readonly principal: string }
  | {
      readonly type: 'approval'
      readonly requestId: string
      readonly approved: boolean
      readonly principal: string
      readonly reason?: string
    }
  | { readonly type: 'cancel'; readonly reason?: string; readonly principal: string }

/** One stored item. */
export type InboxItem = InboxItemBody & {
  /** 1 for the first item of the task, then without gaps. */
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
}

/** Messages, decisions and cancels for a task, kept until the task's holder has applied them. */
export interface Inbox {
  /**
   * Adds an item. The same `requestId` of an approval is added once: the first decision counts.
   * @returns false if such an approval was there already
   */
  put(key: TaskKey, item: InboxItemBody, at: string): Promise<boolean>
  /** The items that were not taken yet, in order. */
  pending(key: TaskKey): Promise<readonly InboxItem[]>
  /** Marks the items up to this number as applied. */
  take(key: TaskKey, upTo: number): Promise<void>
}
