import { ResumeError } from '@modelport/runtime'
import { isAgentError } from '../base/agent-error.js'
import type { Task } from '../models/task.js'
import type { HeldTask } from '../session/task-leases.js'
import type { TaskKey, TaskStore } from '../session/task-store.js'
import type { Agent } from './agent.js'
import {
  digestOf,
  readWaitState,
  type SettledApproval,
  toWaitState,
  type WaitState,
} from './wait-state.js'

/**
 * The fingerprint of an agent: a task that began under another one must not continue under this
 * one.
 */
export const fingerprintOf = ({ card, settings }: Agent): string => {
  const { provider, tools = [], agents = [], system, mode, limits, outputSchema, policy } = settings
  const named = (list: readonly { readonly name: string }[]): readonly string[] =>
    list.map(({ name }) => name).sort()
  const definitions = tools.map(({ definition }) => definition)
  const model = provider && [provider.name, provider.model]
  return digestOf(
    JSON.stringify([
      card.name,
      card.version,
      model,
      definitions,
      named(agents),
      system,
      mode,
      limits,
      outputSchema,
      policy?.version,
    ]),
  )
}

/**
 * Id of the run that works on the newest message of a task: the same in every process that does.
 */
export const runIdOf = ({ id, messages }: Task): string =>
  `${id}.${messages.filter(({ role }) => role === 'user').length}`

/** The decisions in the newest message of a task that another process left behind. */
export function decisionsLeft(task: Task, wait: WaitState): readonly SettledApproval[] {
  const message = task.messages.findLast(({ role }) => role === 'user')
  return (message?.parts ?? []).flatMap((part) => {
    if (part.type !== 'approval' || typeof part.content.approved !== 'boolean') return []
    const { requestId, approved, reason, digest, content } = part.content
    const request = wait.requests.find((each) => each.requestId === requestId)
    if (!request || (digest !== undefined && digest !== request.digest)) return []
    return [
      {
        requestId,
        approved,
        by: '',
        ...(reason !== undefined && { reason }),
        ...(content && { content }),
      },
    ]
  })
}

/**
 * The state that a turn continues from. If a process was cut off in the middle of the turn, events
 * of the turn follow it.
 * @param isHeld false looks only where a task that waits has it
 */
export async function readTurnState(
  store: TaskStore,
  key: TaskKey,
  seq: number,
  isHeld: boolean,
): Promise<WaitState | undefined> {
  if (!isHeld) return readWaitState(store, key, seq)
  let userMessages = 0
  for (let end = seq; end > 0; end -= chunk) {
    const from = Math.max(1, end - chunk + 1)
    for (const event of [...(await store.read(key, from, end - from + 1))].reverse()) {
      if (event.type === 'checkpoint') return toWaitState(event.checkpoint)
      if (event.type === 'message' && event.message.role === 'user' && ++userMessages > 1)
        return undefined
    }
  }
  return undefined
}

const chunk = 256

/**
 * True if a failure says nothing about the task: the lease is lost, or the store cannot be written.
 * The task stays as it is for another process or a later time, or until an operator lets it
 * continue if its stored run does not fit the agent.
 */
export async function isLeftBehind(error: unknown, held: HeldTask | undefined): Promise<boolean> {
  if (!held) return false
  if (error instanceof ResumeError) {
    await held.stop(error.message)
    return true
  }
  return (
    held.signal.aborted ||
    isAgentError(error, 'conflict') ||
    (error instanceof Error && storeErrors.has(error.name))
  )
}

const storeErrors: ReadonlySet<string> = new Set(['JournalError', 'DurableError'])
