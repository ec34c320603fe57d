import { AgentError } from '../base/agent-error.js'
import type { Task } from '../models/task.js'
import type { Agent } from './agent.js'
import { AgentHost } from './host.js'
import type { HostOptions } from './host-options.js'

/** How {@link executeTask} runs. */
export interface ExecuteOptions extends HostOptions {
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined
  /** Owner of the task. Default `local`. */
  readonly principal?: string | undefined
}

/**
 * Runs one task of an agent in this process and returns it when it is over or waits for input. The newest message of the task is worked on; its
 * own id, session, metadata and flow state are kept.
 * @throws {AgentError} `invalid-params` — the task has no message; `unsupported-operation` — it is over.
 */
export async function executeTask(agent: Agent, task: Task, options: ExecuteOptions = {}): Promise<Task> {
  const { signal, principal = 'local' } = options
  const message = task.messages.at(-1)
  if (!message) throw new AgentError('invalid-params', 'The task has no message to work on; add one with addMessage')
  if (task.state !== 'submitted')
    throw new AgentError('unsupported-operation', `The task is ${task.state}; executeTask starts submitted tasks`)
  const host = new AgentHost([agent], options)
  const { metadata, flowState, sessionId } = task
  const { task: created, before } = await host.send({
    agent: agent.name,
    principal,
    message,
    sessionId,
    metadata,
    flowState,
  })
  const key = { principal, id: created.id }
  const stop = () => void host.cancel(key, 'aborted').catch(() => undefined)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const done = await host.settled(key, before)
    return { ...done, id: task.id, messages: [...task.messages.slice(0, -1), ...done.messages] }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
