import { ResumeError } from '@modelport/runtime'
import { isAgentError } from '../base/agent-error.js'
import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { TaskEvent } from '../models/task-event.js'
import type { HeldTask } from '../session/task-leases.js'
import type { TaskKey, TaskStore } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { checkDecision } from './check-decision.js'
import { hasContent } from './read-messages.js'
import type { BegunTurn } from './turn.js'
import { type AcceptedDecision, digestOf, toWaitState, type WaitState } from './wait-state.js'

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

/** What a turn continues from. */
export interface TurnState {
  readonly wait: WaitState
  /** Messages of the user after the checkpoint, with who sent them. */
  readonly after: readonly { readonly message: Message; readonly by?: string }[]
}

/** The decisions in the messages that came after the checkpoint of a task. */
export const decisionsLeft = ({ wait, after }: TurnState): readonly AcceptedDecision[] =>
  after.flatMap(({ message, by = '' }) => decisionsOf(message, by, wait))

function decisionsOf(message: Message, by: string, wait: WaitState): readonly AcceptedDecision[] {
  return message.parts.flatMap((part) => {
    if (part.type !== 'request') return []
    const { requestId, digest } = part.content
    const request = wait.requests.find((each) => each.requestId === requestId)
    if (!request || (digest !== undefined && digest !== request.digest)) return []
    try {
      return [{ ...checkDecision(part.content, request.uncertain === true), requestId, by }]
    } catch {
      // It was refused when it was sent, or answers an earlier checkpoint.
      return []
    }
  })
}

/**
 * The state that a turn continues from. If a process was cut off in the middle of the turn, events
 * of the turn follow it.
 * @param mostEvents looks no further back than this
 */
export async function readTurnState(
  store: TaskStore,
  key: TaskKey,
  seq: number,
  mostEvents: number = Infinity,
): Promise<TurnState | undefined> {
  const after: { readonly message: Message; readonly by?: string }[] = []
  const first = Math.max(1, seq - mostEvents)
  for (let end = seq; end >= first; end -= chunk) {
    const from = Math.max(first, end - chunk + 1)
    for (const event of [...(await store.read(key, from, end - from + 1))].reverse()) {
      if (event.type === 'checkpoint') {
        const wait = toWaitState(event.checkpoint)
        return wait && { wait, after }
      }
      if (event.type !== 'message' || event.message.role !== 'user') continue
      after.unshift(event)
      // A message that only decides begins no turn.
      if (after.filter(({ message }) => hasContent(message)).length > 1) return undefined
    }
  }
  return undefined
}

/**
 * What was stored since a message of the user came.
 * @param from when the task was made, and the message. Default: the newest
 */
export async function readBegunTurn(
  store: TaskStore,
  key: TaskKey,
  seq: number,
  { at, messageId }: { readonly at: string; readonly messageId: string | undefined },
): Promise<BegunTurn> {
  let events: readonly TaskEvent[] = []
  for (let end = seq; end > 0; end -= chunk) {
    const from = Math.max(1, end - chunk + 1)
    const read = await store.read(key, from, end - from + 1)
    const place = read.findLastIndex(
      (event) =>
        event.type === 'message' &&
        event.message.role === 'user' &&
        (messageId === undefined || event.message.id === messageId),
    )
    events = [...read.slice(place + 1), ...events]
    const found = read[place]
    if (found) return { at: found.at, events }
  }
  return { at, events }
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
