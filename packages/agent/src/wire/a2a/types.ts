import type { JsonObject } from '@modelport/core'
import type { JsonValue } from '../../base/json.js'

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
  readonly raw?: string
  readonly url?: string
  readonly data?: JsonValue
  readonly metadata?: JsonObject
  readonly filename?: string
  readonly mediaType?: string
}

/** A message on the wire. */
export interface A2aMessage {
  readonly messageId: string
  readonly contextId?: string
  readonly taskId?: string
  readonly role: 'ROLE_USER' | 'ROLE_AGENT' | 'ROLE_UNSPECIFIED'
  readonly parts: readonly A2aPart[]
  readonly metadata?: JsonObject
  readonly extensions?: readonly string[]
  readonly referenceTaskIds?: readonly string[]
}

/** An artifact on the wire. */
export interface A2aArtifact {
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  readonly parts: readonly A2aPart[]
  readonly metadata?: JsonObject
  readonly extensions?: readonly string[]
}

/** The status of a task on the wire. */
export interface A2aStatus {
  readonly state: A2aTaskState
  readonly message?: A2aMessage
  readonly timestamp?: string
}

/** A task on the wire. */
export interface A2aTask {
  readonly id: string
  readonly contextId?: string
  readonly status: A2aStatus
  readonly artifacts?: readonly A2aArtifact[]
  readonly history?: readonly A2aMessage[]
  readonly metadata?: JsonObject
}

/** One event of a stream on the wire: exactly one field is set. */
export interface A2aStreamResponse {
  readonly task?: A2aTask
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

/** A push configuration on the wire. */
export interface A2aPushConfig {
  readonly tenant?: string
  readonly id?: string
  readonly taskId?: string
  readonly url: string
  readonly token?: string
  readonly authentication?: { readonly scheme: string; readonly credentials?: string }
}

/** A request that starts or continues a task, on the wire. */
export interface A2aSendRequest {
  readonly tenant?: string
  readonly message: A2aMessage
  readonly configuration?: {
    readonly acceptedOutputModes?: readonly string[]
    readonly taskPushNotificationConfig?: A2aPushConfig
    readonly historyLength?: number
    readonly returnImmediately?: boolean
  }
  readonly metadata?: JsonObject
}
