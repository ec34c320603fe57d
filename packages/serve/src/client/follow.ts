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

/**
 * Reads a stream and resumes it if it breaks: after the last event if the agent numbers events,
 * else from a snapshot. Before the first event the message is sent again, if the agent knows it
 * again.
 */
export async function* follow(following: Following): AsyncGenerator<ClientEvent, void> {
  const { transport, options, signal, canResend } = following
  const { maxReconnects = 5, reconnectMs } = options
  const story = new TaskStory()
  let { taskId } = following
  let seen: number | undefined
  let failures = 0
  let isResumed = false
  let current = following.open()
  for (;;) {
    let events = 0
    let problem: Error | undefined
    try {
      for await (const { response, seq } of current) {
        taskId ??=
          response.task?.id ?? response.statusUpdate?.taskId ?? response.artifactUpdate?.taskId
        // Between peers a resumed stream continues where it was, since a snapshot would repeat
        // earlier text.
        const isRepeated =
          isResumed && response.task !== undefined && seen !== undefined && seq === undefined
        if (seq !== undefined && seq > 0) seen = Math.max(seen ?? 0, seq)
        // The snapshot that a resumed stream begins with is not progress.
        if (++events > 1 || !isResumed) failures = 0
        if (!isRepeated) yield* eventsOf(story, response)
        if (!isEnd(response)) continue
        yield* story.end(
          response.message || taskId === undefined ? undefined : await lastOf(following, taskId),
        )
        return
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (taskId !== undefined && isAgentError(error, 'unsupported-operation')) break
      if (isRefusal(error) || (taskId === undefined && !(canResend && isLost(error)))) throw error
      problem = error instanceof Error ? error : new Error('the stream broke', { cause: error })
    }
    if (taskId === undefined && problem === undefined) {
      problem = new AgentError(
        'invalid-agent-response',
        'The agent closed the stream without an event',
      )
      if (!canResend) throw problem
    }
    // A resumed stream that closes after its snapshot counts as broken.
    if (problem !== undefined || (isResumed && events < 2)) failures++
    if (failures > maxReconnects)
      throw (
        problem ??
        new AgentError(
          'invalid-agent-response',
          'The agent closes every stream of a task that is not over',
        )
      )
    await pause(failures, reconnectMs)
    if (taskId === undefined) {
      current = following.open()
      continue
    }
    const task = await snapshotOf(transport, taskId, signal)
    if (task && (isTerminal(task.state) || (problem === undefined && isInterrupted(task.state)))) {
      yield* isTerminal(task.state) ? story.snapshot(task) : story.end(task)
      return
    }
    isResumed = true
    current = transport.subscribe(taskId, seen, signal)
  }
  const last = await snapshotOf(transport, taskId, signal)
  if (last) yield* story.snapshot(last)
}

/**
 * The task at the end of its stream. The stream already had the state of a task that the agent no
 * longer returns.
 */
async function lastOf({ transport, signal }: Following, id: string): Promise<Task | undefined> {
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
const isRefusal = (error: unknown): boolean =>
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
