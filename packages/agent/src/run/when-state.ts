import type { TaskHead, TaskKey, TaskStore } from '../session/task-store.js'

/**
 * Waits until the head of a task is as wanted, the task was removed, or the signal aborts. Looks at
 * the head each time that a task of its session changes its state: a task that works writes many
 * events, and to read them all would cost a database more than the work.
 */
export async function whenState(
  tasks: TaskStore,
  key: TaskKey,
  { record: { agent, sessionId } }: TaskHead,
  isWanted: (head: TaskHead) => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const session = { principal: key.principal, agent, id: sessionId }
  let wake = (): void => undefined
  const onChange = (): void => wake()
  const unwatch = tasks.watchSession(session, onChange)
  signal?.addEventListener('abort', onChange)
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => {
        wake = resolve
      })
      const head = await tasks.head(key)
      if (!head || isWanted(head) || signal?.aborted) return
      await change
    }
  } finally {
    unwatch()
    signal?.removeEventListener('abort', onChange)
  }
}
