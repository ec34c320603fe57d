import type { JsonObject } from '@modelport/core'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import { answerArtifactId, type Artifact, createArtifact } from './artifact.js'
import { createMessage, type Message, messages } from './message.js'
import { type InferContent, parts } from './part.js'
import { checkTransition, type TaskState } from './task-state.js'

/** One unit of work. Plain data; the functions of this module return new values. */
export interface Task {
  /** Made by the server. */
  readonly id: string
  /** The conversation that the task belongs to. */
  readonly sessionId: string
  /** Where the task is in its life. */
  readonly state: TaskState
  /** What the state says to people or programs, for example which input is required. */
  readonly statusMessage?: Message
  /** When the state was entered, ISO 8601, UTC. */
  readonly statusAt: string
  /** What was said, oldest first. */
  readonly messages: readonly Message[]
  /** What was made, in the order in which it was first added. */
  readonly artifacts: readonly Artifact[]
  /** What the caller sent along, and the state history. */
  readonly metadata: JsonObject
  /** Context of a flow that the task runs in; kept, never interpreted here. */
  readonly flowState: JsonObject
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** Whether the last addition was a message or an artifact. */
  readonly last?: 'message' | 'artifact'
}

/** One entry of `metadata.state_history`. */
export interface StateChange {
  /** The state before. */
  readonly previous_state: TaskState
  /** The state after. */
  readonly new_state: TaskState
  /** When, ISO 8601, UTC. */
  readonly timestamp: string
}

/** What a new task may be given. */
export interface TaskFields {
  /** Default: a new one. */
  readonly id?: string
  /** Default: a new one. */
  readonly sessionId?: string
  /** Default: none. */
  readonly metadata?: JsonObject
  /** Default: none. */
  readonly flowState?: JsonObject
}

/** A new task without messages. */
export function emptyTask(fields: TaskFields = {}, entropy: Entropy = systemEntropy): Task {
  const now = timestampOf(entropy)
  return {
    id: fields.id ?? createId('task', entropy),
    sessionId: fields.sessionId ?? createId('ctx', entropy),
    state: 'submitted',
    statusAt: now,
    messages: [],
    artifacts: [],
    metadata: fields.metadata ?? {},
    flowState: fields.flowState ?? {},
    createdAt: now,
  }
}

/** A new task with its first message. */
export const createTask = (
  message: Message | string,
  fields: TaskFields = {},
  entropy: Entropy = systemEntropy,
): Task =>
  addMessage(emptyTask(fields, entropy), typeof message === 'string' ? messages.user(message, entropy) : message)

/** A new task with an `infer` message. */
export const createInferTask = (content: InferContent, fields: TaskFields = {}, entropy?: Entropy): Task =>
  createTask(messages.infer(content, entropy), fields, entropy)

/** The task with one more message. */
export const addMessage = (task: Task, message: Message): Task => ({
  ...task,
  messages: [...task.messages, message],
  last: 'message',
})

/** The task with one more artifact; one of the same id is replaced. */
export function addArtifact(task: Task, artifact: Artifact): Task {
  const at = task.artifacts.findIndex(({ id }) => id === artifact.id)
  const artifacts = at < 0 ? [...task.artifacts, artifact] : task.artifacts.with(at, artifact)
  return { ...task, artifacts, last: 'artifact' }
}

/** The newest message or artifact, in constant time. */
export const lastItem = (task: Task): Message | Artifact | undefined => {
  const { last = task.messages.length ? 'message' : 'artifact' } = task
  return last === 'message' ? task.messages.at(-1) : task.artifacts.at(-1)
}

/** The state changes so far. */
export const stateHistory = (task: Task): readonly StateChange[] => {
  const { state_history: history } = task.metadata
  return Array.isArray(history) ? (history as readonly StateChange[]) : []
}

/**
 * The task in another state. The same state is a no-op; every change is recorded in `metadata.state_history`.
 * @throws {AgentError} `unsupported-operation` — the transition is not in the table.
 */
export function updateState(task: Task, state: TaskState, at: string = timestampOf()): Task {
  if (task.state === state) return task
  checkTransition(task.state, state)
  const change: StateChange = { previous_state: task.state, new_state: state, timestamp: at }
  const { statusMessage: _, ...rest } = task
  return {
    ...rest,
    state,
    statusAt: at,
    metadata: { ...task.metadata, state_history: [...stateHistory(task), change] },
  }
}

const working = (task: Task, at: string): Task => (task.state === 'submitted' ? updateState(task, 'working', at) : task)

/** The task in state `working`. @throws {AgentError} `unsupported-operation` */
export const begin = (task: Task, entropy: Entropy = systemEntropy): Task =>
  updateState(task, 'working', timestampOf(entropy))

/** The task, waiting for input; a submitted task passes through `working`. @throws {AgentError} `unsupported-operation` */
export function requireInput(task: Task, message?: Message, entropy: Entropy = systemEntropy): Task {
  const at = timestampOf(entropy)
  const waiting = updateState(working(task, at), 'input-required', at)
  return message ? { ...addMessage(waiting, message), statusMessage: message } : waiting
}

/**
 * The completed task, with the text as an agent message and as the artifact `answer`. A submitted task passes through `working`.
 * @throws {AgentError} `unsupported-operation`
 */
export function complete(task: Task, text: string, entropy: Entropy = systemEntropy): Task {
  const at = timestampOf(entropy)
  const done = updateState(working(task, at), 'completed', at)
  const answer = createArtifact(text, { id: answerArtifactId, kind: 'answer' }, entropy)
  return addMessage(addArtifact(done, answer), createMessage('agent', text, entropy))
}

/** The failed task; `metadata.error` holds the message. @throws {AgentError} `unsupported-operation` */
export function fail(task: Task, error: string, entropy: Entropy = systemEntropy): Task {
  const failed = updateState(task, 'failed', timestampOf(entropy))
  const statusMessage = createMessage('agent', [parts.text(error)], entropy)
  return { ...failed, statusMessage, metadata: { ...failed.metadata, error } }
}

/** The canceled task; a reason goes to `metadata.cancel_reason`. @throws {AgentError} `unsupported-operation` */
export function cancel(task: Task, reason?: string, entropy: Entropy = systemEntropy): Task {
  const canceled = updateState(task, 'canceled', timestampOf(entropy))
  return reason ? { ...canceled, metadata: { ...canceled.metadata, cancel_reason: reason } } : canceled
}
