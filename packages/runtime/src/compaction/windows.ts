import { type ChatMessage, LlmError } from '@modelport/core'
import { messagesTokens } from '../message-tokens.js'
import { type Blocks, firstOfNewest, newestRequest, toBlocks } from './blocks.js'

/**
 * The leading system messages and the newest blocks, together at most `maxMessages`. The newest request is kept before older blocks
 * than it; the summary of an earlier compaction makes way where the newest block would not fit.
 * @throws {LlmError} `invalid-request` — the newest block alone does not fit.
 */
export function keepRecent(messages: readonly ChatMessage[], maxMessages: number): readonly ChatMessage[] {
  if (messages.length <= maxMessages) return messages
  const { leading, turns } = toBlocks(messages)
  const whole = leading.length + (turns.at(-1)?.length ?? 0) <= maxMessages
  const kept = whole ? leading : leading.slice(0, 1)
  const rest = whole ? turns : [...leading.slice(1).map((message) => [message]), ...turns]
  const newest = rest.at(-1)?.length ?? 0
  if (kept.length + newest > maxMessages) {
    const why = 'a call and its results stay together'
    throw new LlmError('invalid-request', `compaction: maxMessages ${maxMessages} does not hold the newest ${newest} messages (${why}); give at least ${kept.length + newest}`)
  }
  return [...kept, ...fill(rest, rest.length - 1, maxMessages - kept.length - newest, (block) => block.length)]
}

/**
 * The leading system messages, the newest `preserveRecent` messages, the newest request, and as many older blocks as fit
 * `maxTokens`, without a gap. Soft: what is protected stays even if it has more tokens.
 */
export function keepTokens(
  messages: readonly ChatMessage[],
  limits: { readonly maxTokens: number; readonly preserveRecent: number },
  estimate: (text: string) => number,
): readonly ChatMessage[] {
  const { leading, turns } = toBlocks(messages)
  const cost = (block: readonly ChatMessage[]): number => messagesTokens(block, estimate)
  const first = firstOfNewest(turns, limits.preserveRecent)
  const room = limits.maxTokens - cost(leading) - cost(turns.slice(first).flat())
  return [...leading, ...fill(turns, first, room, cost, true)]
}

/** The blocks from `first` on, and before them what fits `room`: the newest request, then the others, newest first, without a gap. */
function fill(
  turns: Blocks['turns'],
  first: number,
  room: number,
  costOf: (block: readonly ChatMessage[]) => number,
  always = false,
): readonly ChatMessage[] {
  const place = newestRequest(turns)
  const request = place >= 0 && place < first ? turns[place] : undefined
  const price = request ? costOf(request) : 0
  const keepRequest = request !== undefined && (always || price <= room)
  let left = keepRequest ? room - price : room
  let start = first
  while (start > 0) {
    const block = turns[start - 1] ?? []
    const cost = keepRequest && start - 1 === place ? 0 : costOf(block)
    if (cost > left) break
    left -= cost
    start--
  }
  const kept = turns.slice(start).flat()
  return keepRequest && place < start ? [...(request ?? []), ...kept] : kept
}
