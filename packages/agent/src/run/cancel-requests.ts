import type { ChildCancel } from '../session/child-cancels.js'
import type { TaskHead, TaskKey, TaskStore } from '../session/task-store.js'
import { readWaitState } from './wait-state.js'

/** How long an agent that cannot be reached is asked again, in milliseconds. */
const giveUpMs = 3_600_000

/** What to cancel: a task of another agent, or the work of a tool. */
export type CancelTarget = Pick<ChildCancel, 'tool' | 'target' | 'taskId'>

/** The request to cancel what a task of this agent waits for. */
export const cancelOf = (
  key: TaskKey,
  agent: string,
  target: CancelTarget,
  now: number,
): ChildCancel => ({
  key,
  agent,
  ...target,
  attempts: 0,
  dueAt: now,
  giveUpAt: now + giveUpMs,
})

/**
 * The requests to cancel what a task waits for: tasks that it delegated, and work that its tools
 * left pending. They are put into `cancels` before the task is cancelled.
 * @param now milliseconds since 1970
 * @experimental for stores of our own
 */
export async function cancelRequests(
  tasks: TaskStore,
  { record, seq }: TaskHead,
  now: number,
): Promise<readonly ChildCancel[]> {
  const { principal, id, agent } = record
  const wait = await readWaitState(tasks, record, seq)
  const targets = (wait?.requests ?? []).flatMap(({ child, work }): readonly CancelTarget[] => {
    if (child) return [{ target: child.agent, taskId: child.taskId }]
    return work ? [{ tool: true, target: work.tool, taskId: work.taskId }] : []
  })
  return targets.map((target) => cancelOf({ principal, id }, agent, target, now))
}
