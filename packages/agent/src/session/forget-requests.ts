import type { TaskEvent } from '../models/task-event.js'
import { isTerminal } from '../models/task-state.js'
import type { ChildCancel } from './child-cancels.js'
import type { TaskHead } from './task-store.js'

/** How long an agent that cannot be reached is asked again, in milliseconds. */
const giveUpMs = 7 * 24 * 3_600_000

/** How long a call of a task that was ended may still be under way, in milliseconds. */
const lateCallMs = 60_000

/**
 * The requests to forget what a task said to other agents: one for each agent that it called. They
 * name no person, and are put into `cancels` before the task is removed.
 * @param head before the task was ended
 * @param events of the task, read once it is over: no call begins after that
 * @param now milliseconds since 1970
 */
export function forgetRequests(
  { record: { id, agent }, state }: TaskHead,
  events: readonly TaskEvent[],
  now: number,
): readonly ChildCancel[] {
  // Stored before the call begins, unlike its start.
  const called = events.flatMap((event) =>
    event.type === 'run' &&
    event.event.type === 'action-requested' &&
    event.event.action.type === 'agent_call'
      ? [event.event.action.agent]
      : [],
  )
  return [...new Set(called)].map((target) => ({
    forget: true,
    key: { principal: '', id },
    agent,
    target,
    taskId: id,
    attempts: 0,
    dueAt: now,
    giveUpAt: now + giveUpMs,
    ...(!isTerminal(state) && { againAt: now + lateCallMs }),
  }))
}
