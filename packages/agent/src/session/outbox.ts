import type { TaskKey } from './task-store.js'

/** Where notifications of a task are sent. Credentials are secrets: a durable store encrypts them. */
export interface PushConfig {
  /** Unique within its task. */
  readonly id: string
  /** The task that is reported. */
  readonly taskId: string
  /** Where notifications are sent. */
  readonly url: string
  /** Sent back in a header, so that the receiver recognizes the sender. */
  readonly token?: string
  /** What the header `Authorization` holds. */
  readonly authentication?: { readonly scheme: string; readonly credentials?: string }
}

/** Push configurations, keyed by principal and task. */
export interface PushConfigStore {
  /** Stores or replaces a configuration. */
  put(key: TaskKey, config: PushConfig): Promise<void>
  /** One configuration, or `undefined`. */
  get(key: TaskKey, configId: string): Promise<PushConfig | undefined>
  /** The configurations of a task, oldest first. */
  list(key: TaskKey): Promise<readonly PushConfig[]>
  /** Removes a configuration and its undelivered notifications. Absent ones are ignored. */
  delete(key: TaskKey, configId: string): Promise<void>
}

/** One notification that waits to be delivered. */
export interface OutboxRow {
  /** The task. */
  readonly key: TaskKey
  /** The configuration that says where it goes. */
  readonly configId: string
  /** Number of the task event that it reports; unique within its configuration. */
  readonly seq: number
  /** The JSON that is sent. */
  readonly payload: string
  /** Deliveries that failed. */
  readonly attempts: number
  /** Not before this time, in milliseconds since 1970. */
  readonly dueAt: number
}

/** Notifications: at least once, in order per configuration, until delivered or dead. */
export interface Outbox {
  /** Adds a row; one of the same configuration and number is ignored. */
  put(row: OutboxRow): Promise<void>
  /**
   * Claims at most `limit` rows that are due, for `leaseMs`: only the oldest open row of each configuration, to keep their order. A row whose
   * lease ran out may be claimed again.
   */
  claim(now: number, limit: number, leaseMs: number): Promise<readonly OutboxRow[]>
  /** Ends a claim: `delivered` and `dead` close the row, a time makes it due again with one more attempt. */
  settle(row: OutboxRow, outcome: 'delivered' | 'dead' | { readonly retryAt: number }): Promise<void>
  /** When the next row is due, in milliseconds since 1970. Unset: nothing waits. */
  nextDueAt(): Promise<number | undefined>
  /** Rows that were given up, newest last. */
  dead(): Promise<readonly OutboxRow[]>
}
