import type { JsonObject } from '@modelport/core'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import type { Artifact } from './artifact.js'
import { createMessage, type Message } from './message.js'
import type { RequestContent } from './part.js'
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
  /** The artifacts, in the order in which they were first added. */
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
  readonly previous_state: TaskState
  readonly new_state: TaskState
  /** When, ISO 8601, UTC. */
  readonly timestamp: string
}

/** What a new task may be given. Default: new ids, and nothing in the rest. */
export type TaskFields = Partial<Pick<Task, 'id' | 'sessionId' | 'metadata' | 'flowState'>>

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
  addMessage(
    emptyTask(fields, entropy),
    typeof message === 'string' ? createMessage('user', message, entropy) : message,
  )

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

/** The state changes so far. */
export const stateHistory = (task: Task): readonly StateChange[] => {
  const { state_history: history } = task.metadata
  return Array.isArray(history) ? (history as readonly StateChange[]) : []
}

/**
 * The task in another state, of which `canceled`, the spelling of A2A, is `cancelled`. The same
 * state is a no-op; every change is recorded in `metadata.state_history`.
 * @throws {AgentError} `unsupported-operation` — the transition is not in the table.
 */
export function updateState(
  task: Task,
  next: TaskState | 'canceled',
  at: string = timestampOf(),
): Task {
  const state = next === 'canceled' ? 'cancelled' : next
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

/** Key of metadata that says why the last reply ended, if its limit of tokens cut it off. */
export const finishReasonKey = 'finish_reason'

/** True if the answer of the task is a part: the model's limit of tokens cut it off. */
export const isCutOff = ({ metadata }: Task): boolean => metadata[finishReasonKey] === 'length'

/** What a message says about requests: it asks for decisions, or gives them. */
export const requestsIn = (message: Message | undefined): readonly RequestContent[] =>
  message?.parts.flatMap((part) => (part.type === 'request' ? [part.content] : [])) ?? []

/** The requests that a task waits for. */
export const requestsOf = ({ state, statusMessage }: Task): readonly RequestContent[] =>
  state === 'input-required' ? requestsIn(statusMessage) : []

/** Key of metadata that names the message which answered in place of the task. */
export const replyKey = 'reply_message'

/** The message that answered in place of the task; unset if the task is the answer. */
export const replyOf = ({ metadata, messages, artifacts }: Task): Message | undefined =>
  artifacts.length || metadata[replyKey] === undefined
    ? undefined
    : messages.findLast(({ id, role }) => role === 'agent' && id === metadata[replyKey])
