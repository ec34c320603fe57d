import type { ChatMessage } from '@modelport/core'
import { isUserRequest } from '../run-message.js'

/** The start of the summary message. */
export const summaryMark = 'Compacted conversation summary:\n'

/** A conversation as blocks that must stay whole. */
export interface Blocks {
  /** The leading system messages: the prompt, and summaries of earlier compactions. */
  readonly leading: readonly ChatMessage[]
  /**
   * A message, or a reply with all that a run adds after it: results of its calls, a correction.
   */
  readonly turns: readonly (readonly ChatMessage[])[]
}

/** Cuts a conversation into blocks. */
export function toBlocks(messages: readonly ChatMessage[]): Blocks {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const leading = start < 0 ? messages : messages.slice(0, start)
  const turns: ChatMessage[][] = []
  for (const message of messages.slice(leading.length)) {
    const last = turns.at(-1)
    const isAnswer =
      message.role === 'tool' ||
      (message.role === 'user' && last?.[0]?.role === 'assistant' && !isUserRequest(message))
    if (isAnswer && last) last.push(message)
    else turns.push([message])
  }
  return { leading, turns }
}

/** The first block of the newest that together have at least so many messages. */
export function firstOfNewest(turns: Blocks['turns'], messages: number): number {
  let at = turns.length
  for (let count = 0; at > 0 && count < messages; count += turns[at]?.length ?? 0) at--
  return at
}

/** Index of the newest request of the user, on which the model works; -1 if there is none. */
export const newestRequest = (turns: Blocks['turns']): number =>
  turns.findLastIndex(([message]) => message && isUserRequest(message))

/** True for the summary of an earlier compaction. */
export const isSummary = ({ role, content }: ChatMessage): boolean =>
  role === 'system' && typeof content === 'string' && content.startsWith(summaryMark)
