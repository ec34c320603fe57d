import type { JsonObject } from '@modelport/core'
import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { TaskRecord } from '../models/task-event.js'
import type { ForeignContext } from './run-context.js'

/** A message for an agent, as its caller sends it. */
export interface IncomingMessage {
  /** Name of the agent. */
  readonly agent: string
  /** Who sends it, authenticated. */
  readonly principal: string
  /** What is said. */
  readonly message: Message
  /** Continues this task. */
  readonly taskId?: string
  /** The conversation that a new task belongs to. Unset: a new one. */
  readonly sessionId?: string
  /** Kept with a new task. */
  readonly metadata?: JsonObject
  /** Kept with a new task. */
  readonly flowState?: JsonObject
  /** What the caller says about where the task belongs; it only narrows. */
  readonly context?: ForeignContext
  /**
   * True stores neither the task nor its conversation: the task is in memory until a minute after
   * its end.
   */
  readonly offRecord?: boolean
  /** The call of another task that this one works for. */
  readonly parent?: TaskRecord['parent']
  /**
   * What a message id that was seen before means. True (the default): the same message, whose task
   * is given again, also after its end; with another body it is refused. `while-open`: the same
   * message only while its task is submitted or working, and with the same body; else a new one,
   * for callers who may use an id again. False: a new message.
   */
  readonly idempotent?: boolean | 'while-open'
  /** What was said before, by the caller's account. Only a new task without a session takes it. */
  readonly earlier?: readonly Message[]
}

/** What `AgentHost.send` gives. */
export interface Accepted {
  /** The task with the message. */
  readonly task: Task
  /** Number of the last event in `task`. */
  readonly seq: number
  /** Number of the last event before the message: give it to `AgentHost.settled`. */
  readonly before: number
}
