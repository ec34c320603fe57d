import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { Inbox, InboxItem } from '../session/inbox.js'
import type { TaskKey } from '../session/task-store.js'

/**
 * The next message in the inbox of a task that the task does not have yet. Take it out once the
 * task has it: a message is rather seen twice than lost.
 */
export async function nextMessage(
  inbox: Inbox,
  key: TaskKey,
  { messages }: Task,
): Promise<InboxItem | undefined> {
  const known = new Set(messages.map(({ id }) => id))
  return (await inbox.pending(key)).find(({ message }) => !known.has(message.id))
}

/** True for a message that only decides about what a task waits for. */
export const isOnlyDecisions = ({ parts }: Message): boolean =>
  parts.length > 0 && parts.every(({ type }) => type === 'request')

/** True if a message waits in the inbox of a task. */
export const isMessagePending = async (
  inbox: Inbox,
  key: TaskKey,
  { id }: Message,
): Promise<boolean> => (await inbox.pending(key)).some(({ message }) => message.id === id)
