import type { JsonValue } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'

/** The state of a task on the wire. */
export type A2aTaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED'

/** A part on the wire: exactly one of `text`, `raw`, `url`, `data`. */
export interface A2aPart {
  readonly text?: string
  /** Bytes in base64. */
  readonly raw?: string
  readonly url?: string
  readonly data?: JsonValue
  /** Whatever the sender adds. */
  readonly metadata?: JsonObject
  readonly filename?: string
  readonly mediaType?: string
}

/** A message on the wire. */
export interface A2aMessage {
  /** Made by the sender. */
  readonly messageId: string
  readonly contextId?: string
  readonly taskId?: string
  readonly role: 'ROLE_USER' | 'ROLE_AGENT' | 'ROLE_UNSPECIFIED'
  /** The content; at least one part. */
  readonly parts: readonly A2aPart[]
  /** Whatever the sender adds. */
  readonly metadata?: JsonObject
  readonly extensions?: readonly string[]
  readonly referenceTaskIds?: readonly string[]
}

/** An artifact on the wire. */
export interface A2aArtifact {
  /** Unique within its task. */
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  /** The content; at least one part. */
  readonly parts: readonly A2aPart[]
  /** Whatever its maker adds. */
  readonly metadata?: JsonObject
  readonly extensions?: readonly string[]
}

/** The status of a task on the wire. */
export interface A2aStatus {
  readonly state: A2aTaskState
  readonly message?: A2aMessage
  /** When, ISO 8601, UTC, with milliseconds. */
  readonly timestamp?: string
}

/** A task on the wire. */
export interface A2aTask {
  /** Made by the server. */
  readonly id: string
  readonly contextId?: string
  readonly status: A2aStatus
  /** What was made. Unset: left out. */
  readonly artifacts?: readonly A2aArtifact[]
  /** What was said, oldest first. Unset: left out. */
  readonly history?: readonly A2aMessage[]
  /** What the caller sent along. */
  readonly metadata?: JsonObject
}

/** One event of a stream on the wire: exactly one field is set. */
export interface A2aStreamResponse {
  /** The task as it is now: the first event. */
  readonly task?: A2aTask
  /** A message instead of a task: the only event. */
  readonly message?: A2aMessage
  readonly statusUpdate?: {
    readonly taskId: string
    readonly contextId: string
    readonly status: A2aStatus
    readonly metadata?: JsonObject
  }
  readonly artifactUpdate?: {
    readonly taskId: string
    readonly contextId: string
    readonly artifact: A2aArtifact
    readonly append?: boolean
    readonly lastChunk?: boolean
    readonly metadata?: JsonObject
  }
}

/** A request that starts or continues a task, on the wire. */
export interface A2aSendRequest {
  readonly tenant?: string
  readonly message: A2aMessage
  readonly configuration?: {
    readonly acceptedOutputModes?: readonly string[]
    /** Refused: no notifications are sent. */
    readonly taskPushNotificationConfig?: object
    readonly historyLength?: number
    readonly returnImmediately?: boolean
  }
  /** Kept with a new task. */
  readonly metadata?: JsonObject
}
