import type { ChildCancel } from '../session/child-cancels.js'
import type { TaskHead, TaskKey, TaskStore } from '../session/task-store.js'
import { readWaitState } from './wait-state.js'

/** How long an agent that cannot be reached is asked again, in milliseconds. */
const giveUpMs = 3_600_000

/** The request to cancel one task that another one delegated. */
export const cancelOf = (
  key: TaskKey,
  agent: string,
  target: string,
  taskId: string,
  now: number,
): ChildCancel => ({
  key,
  agent,
  target,
  taskId,
  attempts: 0,
  dueAt: now,
  giveUpAt: now + giveUpMs,
})

/**
 * The requests to cancel what a task delegated and waits for. They are put into `cancels` before
 * the task is cancelled.
 * @param now milliseconds since 1970
 */
export async function cancelRequests(
  tasks: TaskStore,
  { record, seq }: TaskHead,
  now: number,
): Promise<readonly ChildCancel[]> {
  const { principal, id, agent } = record
  const wait = await readWaitState(tasks, record, seq)
  return (wait?.requests ?? []).flatMap(({ child }) =>
    child ? [cancelOf({ principal, id }, agent, child.agent, child.taskId, now)] : [],
  )
}
