import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { Inbox } from '../session/inbox.js'
import type { TaskKey } from '../session/task-store.js'

/** The next message in the inbox of a task that the task does not have yet. Take it out once the task has it: a message is rather seen twice than lost. */
export async function nextMessage(
  inbox: Inbox,
  key: TaskKey,
  { messages }: Task,
): Promise<{ readonly message: Message; readonly seq: number } | undefined> {
  const known = new Set(messages.map(({ id }) => id))
  for (const item of await inbox.pending(key))
    if (item.type === 'message' && !known.has(item.message.id)) return { message: item.message, seq: item.seq }
  return undefined
}

/** True if a message waits in the inbox of a task. */
export const isMessagePending = async (inbox: Inbox, key: TaskKey, { id }: Message): Promise<boolean> =>
  (await inbox.pending(key)).some((item) => item.type === 'message' && item.message.id === id)

/** Empties the inbox of a task. */
export async function takeAll(inbox: Inbox, key: TaskKey): Promise<void> {
  const last = (await inbox.pending(key)).at(-1)
  if (last) await inbox.take(key, last.seq)
}
