import { isObject } from '@modelport/core'
import type { RunCheckpoint, RunJournal } from '@modelport/runtime'
import type { Message } from '../models/message.js'
import type { TaskTurn } from '../session/task-leases.js'

/** The name under which agents keep what they need in a checkpoint. */
const caller = 'agent'

/** The id of the last message of the user that the run of a checkpoint has read. */
function lastRead({ caller: kept }: RunCheckpoint): string | undefined {
  const own = kept?.[caller]
  return isObject(own) && typeof own['message'] === 'string' ? own['message'] : undefined
}

/**
 * How many messages of the transcript the session had when the run of a checkpoint began. Unset:
 * the run has no checkpoint.
 */
export function knownBefore({ resume }: TaskTurn): number | undefined {
  const own = resume?.caller?.[caller]
  return isObject(own) && typeof own['known'] === 'number' ? own['known'] : undefined
}

/** True if a message says something besides decisions. */
export const hasContent = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type !== 'request')

/**
 * The messages of the user that a stored run has not read yet, also after its process was cut off;
 * decisions are read elsewhere.
 */
export function unreadMessages(
  { resume }: TaskTurn,
  messages: readonly Message[],
): readonly Message[] {
  if (!resume) return []
  const said = messages.filter(({ role }) => role === 'user')
  const last = lastRead(resume)
  const place = said.findIndex(({ id }) => id === last)
  return place < 0 ? [] : said.slice(place + 1).filter(hasContent)
}

/**
 * A journal whose checkpoints say which message of the user the run has read, and how many messages
 * the session had when it began. A new run has read the message. A resumed run has read it once it
 * no longer waits for what the message answers.
 *
 * @param known how many messages in front of the transcript the session has already
 */
export function noteMessages(
  { journal, resume }: TaskTurn,
  newest: Message,
  known: () => number,
): RunJournal {
  let hasRead = resume === undefined
  const before = resume && lastRead(resume)
  return {
    ...(journal.budgets && { budgets: journal.budgets }),
    writeIntent: (intent, signal) => journal.writeIntent(intent, signal),
    writeReceipt: (receipt) => journal.writeReceipt(receipt),
    readTail: (checkpoint) => journal.readTail(checkpoint),
    writeCheckpoint: (checkpoint, change) => {
      hasRead ||= checkpoint.pending.length === 0
      const message = hasRead ? newest.id : before
      const own = { known: known(), ...(message !== undefined && { message }) }
      return journal.writeCheckpoint(
        { ...checkpoint, caller: { ...checkpoint.caller, [caller]: own } },
        change,
      )
    },
  }
}
