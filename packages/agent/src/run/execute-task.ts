import { checkSettings } from '@modelport/core/settings'
import { localPrincipal, parsePrincipal } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import { createMessage } from '../models/message.js'
import type { Task } from '../models/task.js'
import { isTerminal } from '../models/task-state.js'
import type { Agent } from './agent.js'
import { AgentHost } from './host.js'
import { type HostOptions, hostOptionNames } from './host-options.js'
import type { ForeignContext } from './run-context.js'

/** How {@link executeTask} runs. */
export interface ExecuteTaskOptions extends HostOptions {
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined
  /** Owner of the task, as the text of a `Principal`. Default `local`. */
  readonly principal?: string | undefined
  /**
   * Where the task belongs: who called, and what the caller grants. It only narrows. Default:
   * nobody called.
   */
  readonly context?: ForeignContext | undefined
}

/**
 * Runs one task of an agent in this process and returns it when it is over or waits for input.
 * Works on the newest message of the task, or on a newer artifact. The task keeps its id, session,
 * artifacts, metadata and flow state. Earlier messages reach a model only through the session of a
 * `store` that is given each time.
 * @throws {AgentError} `invalid-params` — the task has neither message nor artifact;
 * `unsupported-operation` — it is over; {LlmError} `config` — `principal` is not the text of one.
 */
export async function executeTask(
  agent: Agent,
  task: Task,
  options: ExecuteTaskOptions = {},
): Promise<Task> {
  const { signal, principal = localPrincipal, context, ...rest } = options
  checkSettings('executeTask', rest, [...hostOptionNames, 'signal', 'principal', 'context'])
  parsePrincipal(principal)
  const newest = task.messages.at(-1)
  const artifact = task.artifacts.at(-1)
  const isNewer = task.last
    ? task.last === 'artifact'
    : !(newest && artifact && newest.timestamp >= artifact.timestamp)
  const message = artifact && isNewer ? createMessage('user', artifact.parts) : newest
  if (!message)
    throw new AgentError(
      'invalid-params',
      'The task has no message to work on; add one with addMessage',
    )
  if (isTerminal(task.state))
    throw new AgentError(
      'unsupported-operation',
      `The task is ${task.state}; executeTask takes tasks that are not over`,
    )
  const host = new AgentHost([agent], rest)
  const { metadata, flowState, sessionId } = task
  const { task: created, before } = await host.send({
    agent: agent.name,
    principal,
    message,
    sessionId,
    metadata,
    flowState,
    ...(context && { context }),
  })
  const key = { principal, id: created.id }
  const stop = () => void host.cancel(key, 'aborted').catch(() => undefined)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const done = await host.settled(key, before)
    // The first message of the run is the one that was worked on.
    const messages = [...task.messages, ...done.messages.slice(1)]
    return { ...done, id: task.id, messages, artifacts: [...task.artifacts, ...done.artifacts] }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
