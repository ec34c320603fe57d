import type { Message } from '../models/message.js'
import type { Inbox } from '../session/inbox.js'
import type { TaskKey } from '../session/task-store.js'

/** Takes the next message out of the inbox of a task. */
export async function nextMessage(inbox: Inbox, key: TaskKey): Promise<Message | undefined> {
  const pending = await inbox.pending(key)
  const found = pending.find(({ type }) => type === 'message')
  if (found?.type !== 'message') return undefined
  await inbox.take(key, found.seq)
  return found.message
}

/** True if a message waits in the inbox of a task. */
export const isMessagePending = async (inbox: Inbox, key: TaskKey, { id }: Message): Promise<boolean> =>
  (await inbox.pending(key)).some((item) => item.type === 'message' && item.message.id === id)

/** Empties the inbox of a task. */
export async function takeAll(inbox: Inbox, key: TaskKey): Promise<void> {
  const last = (await inbox.pending(key)).at(-1)
  if (last) await inbox.take(key, last.seq)
}
