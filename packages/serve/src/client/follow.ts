import {
  AgentError,
  type ClientEvent,
  isAgentError,
  isInterrupted,
  isTerminal,
  type Task,
  TaskStory,
} from '@modelport/agent'
import { isLlmError } from '@modelport/core'
import type { A2aTransport, NumberedResponse } from '../a2a/a2a-transport.js'
import { fromA2aState, fromCheckedTask } from '../a2a/task-codec.js'
import type { A2aStreamResponse } from '../a2a/types.js'
import { eventsOf } from './client-events.js'
import type { AgentClientOptions } from './client-options.js'

/** A stream that is read to the end of its task. */
export interface Following {
  readonly transport: A2aTransport
  readonly options: Pick<AgentClientOptions, 'maxReconnects' | 'reconnectMs'>
  readonly signal: AbortSignal | undefined
  /** Opens the stream: a second time only if `canResend`. */
  open(): AsyncIterable<NumberedResponse>
  /** True if the agent knows the message again. */
  readonly canResend: boolean
  readonly taskId?: string
}

/** Waits longer with each failure. */
export const pause = (failures: number, reconnectMs = 250): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, failures ? reconnectMs * 2 ** (failures - 1) : 0))

/** How far a task was followed. */
interface Progress {
  /** The id of the task, once an event names it. */
  taskId: string | undefined
  /** The number of the last event, if the agent numbers events. */
  lastSeq: number | undefined
  /** Streams without progress since the last event. */
  failures: number
  /** True once a stream continues an earlier one. */
  isResumed: boolean
  /** Why a sending of the message broke that the agent may have taken. */
  lost?: Error
}

/** A stream that closed before its task was over. */
interface Interruption {
  /** Why it broke; undefined if the agent closed it. */
  readonly problem?: Error
  /** True if it said more than the stream before it. */
  readonly hasProgress: boolean
}

/** How a stream ended. `not-resumable`: the agent has no stream for a task under way. */
type StreamEnd = 'over' | 'not-resumable' | Interruption

/**
 * Reads a stream and resumes it if it breaks: after the last event if the agent numbers events,
 * else from a snapshot. Before the first event the message is sent again, if the agent knows it
 * again.
 */
export async function* follow(following: Following): AsyncGenerator<ClientEvent, void> {
  const { transport, options, signal } = following
  const { maxReconnects = 5, reconnectMs } = options
  const story = new TaskStory()
  const progress: Progress = {
    taskId: following.taskId,
    lastSeq: undefined,
    failures: 0,
    isResumed: false,
  }

  let stream = following.open()
  for (;;) {
    const end = yield* readStream(following, stream, story, progress)
    if (end === 'over') return

    const { taskId } = progress
    if (end === 'not-resumable') {
      const last = taskId === undefined ? undefined : await snapshotOf(transport, taskId, signal)
      if (last) yield* story.snapshot(last)
      return
    }

    if (!end.hasProgress) progress.failures++
    if (progress.failures > maxReconnects) throw end.problem ?? closesEveryStream()
    await pause(progress.failures, reconnectMs)

    if (taskId === undefined) {
      stream = following.open()
      continue
    }

    const task = await snapshotOf(transport, taskId, signal)
    if (task && isTerminal(task.state)) {
      yield* story.snapshot(task)
      return
    }
    // An agent closes the stream of a task that waits for its user.
    if (task && end.problem === undefined && isInterrupted(task.state)) {
      yield* story.end(task)
      return
    }
    progress.isResumed = true
    stream = transport.subscribe(taskId, progress.lastSeq, signal)
  }
}

/**
 * Reads one stream to its end, and notes the progress.
 * @throws what another stream would not change
 */
async function* readStream(
  following: Following,
  stream: AsyncIterable<NumberedResponse>,
  story: TaskStory,
  progress: Progress,
): AsyncGenerator<ClientEvent, StreamEnd> {
  let events = 0
  try {
    for await (const { response, seq } of stream) {
      events++
      progress.taskId ??= taskIdOf(response)
      const isRepeated = isEarlierSnapshot(response, seq, progress)
      if (seq !== undefined && seq > 0) progress.lastSeq = Math.max(progress.lastSeq ?? 0, seq)
      // The snapshot that a resumed stream begins with is not progress.
      if (events > 1 || !progress.isResumed) progress.failures = 0

      if (!isRepeated) yield* eventsOf(story, response)
      if (!isEnd(response)) continue

      const id = response.message ? undefined : progress.taskId
      yield* story.end(await lastOf(following, id))
      return 'over'
    }
  } catch (error) {
    return toStreamEnd(error, following, progress)
  }

  if (progress.taskId !== undefined) return { hasProgress: !progress.isResumed || events > 1 }
  const problem = new AgentError(
    'invalid-agent-response',
    'The agent closed the stream without an event',
  )
  if (!following.canResend) throw problem
  return { problem, hasProgress: false }
}

/**
 * How a stream ended that threw.
 * @throws what another stream would not change
 */
function toStreamEnd(error: unknown, following: Following, progress: Progress): StreamEnd {
  following.signal?.throwIfAborted()
  const { taskId } = progress
  if (taskId !== undefined && isAgentError(error, 'unsupported-operation')) return 'not-resumable'

  // Without an id of its task, a stream is only replaced by sending the message again.
  const canContinue = taskId !== undefined || (following.canResend && isLost(error))
  if (isRefusal(error)) throw error
  // That nobody can be reached now says nothing about an earlier sending.
  if (!canContinue) throw progress.lost ?? error

  const problem = error instanceof Error ? error : new Error('the stream broke', { cause: error })
  if (taskId === undefined) progress.lost ??= problem
  return { problem, hasProgress: false }
}

/**
 * True for the snapshot of a resumed stream between peers. The stream continues where it was, and
 * the snapshot would repeat earlier text.
 */
const isEarlierSnapshot = (
  { task }: A2aStreamResponse,
  seq: number | undefined,
  { isResumed, lastSeq }: Progress,
): boolean => isResumed && task !== undefined && lastSeq !== undefined && seq === undefined

const taskIdOf = ({ task, statusUpdate, artifactUpdate }: A2aStreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId

const closesEveryStream = (): AgentError =>
  new AgentError(
    'invalid-agent-response',
    'The agent closes every stream of a task that is not over',
  )

/**
 * The task at the end of its stream. The stream already had the state of a task that the agent no
 * longer returns.
 */
async function lastOf(
  { transport, signal }: Following,
  id: string | undefined,
): Promise<Task | undefined> {
  if (id === undefined) return undefined
  try {
    return await snapshotOf(transport, id, signal)
  } catch (error) {
    if (isAgentError(error)) return undefined
    throw error
  }
}

async function snapshotOf(
  transport: A2aTransport,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Task | undefined> {
  try {
    return fromCheckedTask(await transport.get(id, undefined, signal))
  } catch (error) {
    signal?.throwIfAborted()
    if (isRefusal(error)) throw error
    return undefined
  }
}

/** True for what another try does not change. */
export const isRefusal = (error: unknown): boolean =>
  isAgentError(error) &&
  !['busy', 'internal', 'stream-behind', 'invalid-agent-response'].includes(error.reason)

const neverSent: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]

/** True if a message may have arrived though its reply did not. */
export function isLost(error: unknown): boolean {
  if (!isLlmError(error, 'network') && !isLlmError(error, 'timeout')) return false
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && neverSent.includes(cause.code)) return false
  return true
}

const isEnd = ({ statusUpdate, message, task }: A2aStreamResponse): boolean => {
  if (message) return true
  const state = statusUpdate?.status.state ?? task?.status.state
  if (state === undefined) return false
  const inner = fromA2aState(state)
  return isTerminal(inner) || (statusUpdate !== undefined && inner === 'input-required')
}
