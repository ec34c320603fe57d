import type { JsonObject, TokenUsage } from '@modelport/core'
import type { Performed, ResumeDecision, RunEvent } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { JsonValue } from '../base/json.js'
import { type Artifact, answerArtifactId } from './artifact.js'
import type { Message } from './message.js'
import { createPart } from './part.js'
import { addArtifact, addMessage, type Task, updateState } from './task.js'
import { mayTransition, type TaskState } from './task-state.js'

/** What may happen to a task. */
export type TaskEventBody =
  | {
      readonly type: 'status'
      readonly state: TaskState
      /** Shown with the state; it is also added to the messages. */
      readonly message?: Message
      /** Merged into the task's metadata. */
      readonly metadata?: JsonObject
    }
  /** `by` is who sent it, where that decides about an approval. */
  | { readonly type: 'message'; readonly message: Message; readonly by?: string }
  /**
   * An artifact, or with `append` parts that are added to the one of its id. `last`: it completes
   * the task, and nothing follows it.
   */
  | {
      readonly type: 'artifact'
      readonly artifact: Artifact
      readonly append?: true
      readonly last?: true
    }
  /**
   * A piece of the answer. The first piece of an attempt replaces what an earlier attempt said.
   * `runSeq` is the number of the run's own event.
   */
  | {
      readonly type: 'text-delta'
      readonly text: string
      readonly first?: true
      readonly runSeq?: number
    }
  | { readonly type: 'progress'; readonly percent?: number; readonly message?: string }
  | { readonly type: 'usage'; readonly usage: TokenUsage; readonly cost?: number }
  /** An event of the run inside the task, whole. */
  | { readonly type: 'run'; readonly event: RunEvent }
  /**
   * An effect of a handler: that it begins, then what came of it. `number` counts those of its name
   * in the turn, `key` is its place in its run. Internal, never sent to a client.
   */
  | {
      readonly type: 'effect'
      readonly name: string
      readonly number: number
      readonly key: string
      /** What was recorded, as an engine of the runtime stores it. Unset while it runs. */
      readonly performed?: Performed
      /** What a person said became of it; `key` names the wait then. */
      readonly decided?: readonly ResumeDecision[]
    }
  /** What a suspended run continues from; internal, never sent to a client. `null` clears it. */
  | { readonly type: 'checkpoint'; readonly checkpoint: JsonValue }

/** One stored event of a task. */
export type TaskEvent = TaskEventBody & {
  /** 1 for the first event of the task, then without gaps. */
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
  /** Which attempt at the current model call it belongs to; the first is 1. */
  readonly attempt: number
}

/** What a task is before its first event. */
export interface TaskRecord {
  /** Id of the task, made by the server. */
  readonly id: string
  /** Name of the agent that works on it. */
  readonly agent: string
  /** Who owns it, as the text of a `Principal`. */
  readonly principal: string
  /** The session that it belongs to. */
  readonly sessionId: string
  /** When it was made, ISO 8601, UTC. */
  readonly createdAt: string
  /** What the caller sent along. */
  readonly metadata: JsonObject
  /** State of the flow that the task belongs to. */
  readonly flowState: JsonObject
  /** The task that this one was delegated from, and the action there. */
  readonly parent?: { readonly taskId: string; readonly actionId: string }
  /** What the caller said about where the task belongs; internal, it only narrows. */
  readonly context?: JsonObject
  /** True keeps the conversation out of the session. */
  readonly offRecord?: boolean
}

/** The task of a record, before its first event. */
export const taskOf = (record: TaskRecord): Task => ({
  id: record.id,
  sessionId: record.sessionId,
  state: 'submitted',
  statusAt: record.createdAt,
  messages: [],
  artifacts: [],
  metadata: record.metadata,
  flowState: record.flowState,
  createdAt: record.createdAt,
})

/**
 * The task after one more event.
 * @throws {AgentError} `unsupported-operation` — the event asks for a transition that is not in the
 * table.
 */
export function applyEvent(task: Task, event: TaskEvent): Task {
  switch (event.type) {
    case 'status':
      return applyStatus(task, event)
    case 'message':
      return addMessage(task, event.message)
    case 'artifact':
      return addArtifact(task, event.append ? extended(task, event.artifact) : event.artifact)
    case 'text-delta':
      return applyDelta(task, event)
    case 'progress':
    case 'usage':
    case 'run':
    case 'checkpoint':
    case 'effect':
      return task
  }
}

/** The artifact of the task with more parts. */
function extended({ artifacts }: Task, more: Artifact): Artifact {
  const before = artifacts.find(({ id }) => id === more.id)
  return before ? { ...before, parts: [...before.parts, ...more.parts] } : more
}

function applyStatus(task: Task, event: TaskEvent & { readonly type: 'status' }): Task {
  const moved = updateState(task, event.state, event.at)
  const { statusMessage: _, ...plain } = moved
  const metadata = event.metadata ? { ...moved.metadata, ...event.metadata } : moved.metadata
  const next: Task = { ...plain, statusAt: event.at, metadata }
  return event.message ? { ...addMessage(next, event.message), statusMessage: event.message } : next
}

function applyDelta(task: Task, event: TaskEvent & { readonly type: 'text-delta' }): Task {
  const answer = task.artifacts.find(({ id }) => id === answerArtifactId)
  const before =
    answer && !event.first && answer.parts[0]?.type === 'text' ? answer.parts[0].content : ''
  return addArtifact(task, {
    id: answerArtifactId,
    kind: 'answer',
    metadata: answer?.metadata ?? {},
    timestamp: answer?.timestamp ?? event.at,
    parts: [createPart.text(before + event.text)],
  })
}

/** Folds a task from its record and all its events. */
export const foldTask = (record: TaskRecord, events: readonly TaskEvent[]): Task =>
  events.reduce(applyEvent, taskOf(record))

/**
 * Checks that events may follow a state, and returns the last state.
 * @throws {AgentError} `unsupported-operation` — names the first transition that is not allowed.
 */
export function checkEvents(state: TaskState, events: readonly TaskEventBody[]): TaskState {
  let current = state
  for (const event of events) {
    if (event.type !== 'status') continue
    if (!mayTransition(current, event.state))
      throw new AgentError(
        'unsupported-operation',
        `Invalid task state transition: ${current} -> ${event.state}`,
      )
    current = event.state
  }
  return current
}
