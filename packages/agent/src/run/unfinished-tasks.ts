import type { ChatMessage } from '@modelport/core'
import { textOfParts } from '../models/part.js'
import type { Task } from '../models/task.js'
import { isInterrupted } from '../models/task-state.js'
import type { SessionKey } from '../session/session-store.js'
import type { TaskHead, TaskStore } from '../session/task-store.js'

/** Maximum characters of a message in a note about it. */
const mostShown = 500

/**
 * Notes for the model about earlier messages of the session whose tasks gave the turn back before
 * they were over: the conversation does not have what came of them.
 */
export async function unfinishedBefore(
  tasks: TaskStore,
  session: SessionKey,
  taskId: string,
): Promise<readonly ChatMessage[]> {
  const heads = await tasks.open(session)
  const own = heads.findIndex(({ record }) => record.id === taskId)
  const earlier = own < 0 ? heads : heads.slice(0, own)
  const notes: ChatMessage[] = []
  for (const head of earlier) {
    if (!head.isStopped && !isInterrupted(head.state)) continue
    const found = await tasks.load({ principal: head.record.principal, id: head.record.id })
    if (found) notes.push({ role: 'user', content: noteOf(head, found.task), byRun: true })
  }
  return notes
}

function noteOf({ isStopped }: TaskHead, { messages, statusMessage }: Task): string {
  const asked = messages.find(({ role }) => role === 'user')
  const wants = statusMessage ? `: ${shown(textOfParts(statusMessage.parts))}` : ''
  const why = isStopped
    ? 'it was stopped, and an operator has to let it continue'
    : `it waits for somebody${wants}`
  return `[Not from the user: the earlier message "${shown(textOfParts(asked?.parts ?? []))}" is not finished; ${why}. What comes of it is not in this conversation yet.]`
}

const shown = (text: string): string =>
  text.length > mostShown ? `${text.slice(0, mostShown)}…` : text
