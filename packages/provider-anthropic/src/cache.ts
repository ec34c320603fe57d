import type { JsonObject } from '@modelport/core'
import { cacheMark } from './cache-mark.js'
import { isThinking } from './state.js'
import type { WireBlock, WireMessage, WireRequest } from './wire.js'

type Lifetime = keyof typeof cacheMark

/** The list with a mark on its last element, unless that has one of the caller's. */
const marked = <Item extends JsonObject>(items: readonly Item[], lifetime: Lifetime): Item[] =>
  items.map((item, index) =>
    index === items.length - 1 ? { ...cacheMark[lifetime], ...item } : item,
  )

/**
 * Marks what stays the same between turns: the tools, the system text, and the conversation up to
 * its newest message. Three marks of the four the API takes.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11-21)
 */
export function withCacheMarks(request: WireRequest, lifetime: Lifetime): WireRequest {
  return {
    ...request,
    ...(request.tools && { tools: marked(request.tools, lifetime) }),
    ...(request.system && { system: marked(request.system, lifetime) }),
    messages: markNewest(request.messages, lifetime),
  }
}

/** Marks the last block that can carry one. */
function markNewest(messages: readonly WireMessage[], lifetime: Lifetime): readonly WireMessage[] {
  const newest = messages.findLastIndex(({ content }) => content.some(canCarry))
  return messages.map((message, index) => {
    if (index !== newest) return message
    const last = message.content.findLastIndex(canCarry)
    return {
      ...message,
      content: message.content.map((block, at) =>
        at === last ? { ...cacheMark[lifetime], ...block } : block,
      ),
    }
  })
}

const canCarry = (block: WireBlock): boolean =>
  !isThinking(block) && block.type !== 'fallback' && block.type !== 'mcp_tool_listing'
