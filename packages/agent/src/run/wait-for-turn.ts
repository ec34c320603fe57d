import { longestTimer } from '@modelport/core'
import type { Entropy } from '../base/ids.js'
import { linkSignals } from '../base/linked-signal.js'
import { createMessage } from '../models/message.js'
import type { TaskEventBody, TaskRecord } from '../models/task-event.js'
import { sessionBusy } from '../session/session-busy.js'
import type { TaskKey, TaskStore } from '../session/task-store.js'
import type { Agent } from './agent.js'
import { contextOf, turnTimeoutOf } from './run-context.js'

/** Milliseconds that a task waits while one other task has the turn, by default. */
const defaultWaitMs = 300_000

/**
 * Waits until a task has the turn of its session: as long as the turn moves from task to task, and
 * while one task keeps it no longer than the agent allows, or the caller's deadline.
 * @returns who has the turn, if the wait is over first or the signal aborts
 */
export async function waitForTurn(
  tasks: TaskStore,
  entropy: Entropy,
  key: TaskKey,
  { settings }: Agent,
  record: TaskRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const mostMs = Math.min(settings.turnWaitMs ?? defaultWaitMs, longestTimer)
  let before = await tasks.turn(key, AbortSignal.abort())
  while (before !== undefined) {
    const limitMs = turnTimeoutOf(mostMs, contextOf(record), entropy.now())
    const limit = linkSignals([signal], limitMs)
    const other = await tasks.turn(key, limit.signal).finally(() => limit.release())
    const isLast = signal.aborted || other === before || limitMs < mostMs
    if (other === undefined || isLast) return other
    before = other
  }
  return undefined
}

/** The event that ends a task which did not get the turn of its session. */
export function turnRefusedEvent(
  entropy: Entropy,
  { sessionId }: TaskRecord,
  other: string,
): TaskEventBody {
  const { message } = sessionBusy({ id: sessionId }, other)
  const text = `The task had to wait too long: ${message}`
  return {
    type: 'status',
    state: 'failed',
    message: createMessage('agent', text, entropy),
    metadata: { error: text, turn: other },
  }
}
