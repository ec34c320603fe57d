import { type ChatMessage, LlmError } from '@modelport/core'
import { messagesTokens } from '../message-tokens.js'
import { type Blocks, firstOfNewest, newestRequest, toBlocks } from './blocks.js'

/**
 * The leading system messages and the newest blocks, together at most `maxMessages`. The newest
 * request has priority over older blocks; the summary of an earlier compaction is dropped if the
 * newest block would not fit.
 * @throws {LlmError} `invalid-request` — the newest block alone does not fit.
 */
export function keepRecent(
  messages: readonly ChatMessage[],
  maxMessages: number,
): readonly ChatMessage[] {
  if (messages.length <= maxMessages) return messages
  const { leading, turns } = toBlocks(messages)
  const whole = leading.length + (turns.at(-1)?.length ?? 0) <= maxMessages
  const kept = whole ? leading : leading.slice(0, 1)
  const rest = whole ? turns : [...leading.slice(1).map((message) => [message]), ...turns]
  const newest = rest.at(-1)?.length ?? 0
  if (kept.length + newest > maxMessages) {
    const why = 'a call and its results stay together'
    throw new LlmError(
      'invalid-request',
      `compaction: maxMessages ${maxMessages} does not hold the newest ${newest} messages (${why}); give at least ${kept.length + newest}`,
    )
  }
  const first = rest.length - 1
  const room = maxMessages - kept.length - newest
  const request = requestBefore(rest, first)
  const price = rest[request]?.length ?? 0
  const keeps =
    price <= room ? { first, place: request, room: room - price } : { first, place: -1, room }
  return [...kept, ...fill(rest, keeps, (block) => block.length)]
}

/**
 * The leading system messages, the newest `preserveRecent` messages, the newest request, and as
 * many older blocks as fit `maxTokens`, without a gap. A soft limit: protected messages stay even
 * if they have more tokens.
 */
export function keepTokens(
  messages: readonly ChatMessage[],
  limits: { readonly maxTokens: number; readonly preserveRecent: number },
  estimate: (text: string) => number,
): readonly ChatMessage[] {
  const { leading, turns } = toBlocks(messages)
  const cost = (block: readonly ChatMessage[]): number => messagesTokens(block, estimate)
  const first = firstOfNewest(turns, limits.preserveRecent)
  const place = requestBefore(turns, first)
  const room =
    limits.maxTokens - cost(leading) - cost(turns.slice(first).flat()) - cost(turns[place] ?? [])
  return [...leading, ...fill(turns, { first, place, room }, cost)]
}

/**
 * The blocks from `first` on, the request at `place`, and before `first` what fits `room`, newest
 * first, without a gap.
 */
function fill(
  turns: Blocks['turns'],
  { first, place, room }: { readonly first: number; readonly place: number; readonly room: number },
  costOf: (block: readonly ChatMessage[]) => number,
): readonly ChatMessage[] {
  let left = room
  let start = first
  for (; start > 0; start--) {
    const cost = start - 1 === place ? 0 : costOf(turns[start - 1] ?? [])
    if (cost > left) break
    left -= cost
  }
  return turns.filter((_, at) => at >= start || at === place).flat()
}

/** Place of the newest request, when it stands before `first`: else it is kept anyway. */
function requestBefore(turns: Blocks['turns'], first: number): number {
  const place = newestRequest(turns)
  return place < first ? place : -1
}
