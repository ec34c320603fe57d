import type { JsonObject } from '@modelport/core'
import { isThinking } from './state.js'
import type { WireBlock, WireMessage, WireRequest } from './wire.js'

const mark = { cache_control: { type: 'ephemeral' } }

/** The list with a mark on its last element. */
const marked = <Item extends JsonObject>(items: readonly Item[]): Item[] =>
  items.map((item, index) => (index === items.length - 1 ? { ...item, ...mark } : item))

/**
 * Marks what stays the same between rounds: the tools, the system text, and the conversation up to its newest turn. Three marks of
 * the four the API takes.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11-21)
 */
export function withCacheMarks(request: WireRequest): WireRequest {
  return {
    ...request,
    ...(request.tools && { tools: marked(request.tools) }),
    ...(request.system && { system: marked(request.system) }),
    messages: markNewest(request.messages),
  }
}

/** Marks the last block that can carry one. */
function markNewest(messages: readonly WireMessage[]): readonly WireMessage[] {
  const newest = messages.findLastIndex(({ content }) => content.some(canCarry))
  return messages.map((message, index) => {
    if (index !== newest) return message
    const last = message.content.findLastIndex(canCarry)
    return { ...message, content: message.content.map((block, at) => (at === last ? { ...block, ...mark } : block)) }
  })
}

const canCarry = (block: WireBlock): boolean =>
  !isThinking(block) && block.type !== 'fallback' && block.type !== 'mcp_tool_listing'
