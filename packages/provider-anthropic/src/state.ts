import { type AssistantMessage, type ToolCall, textOf } from '@modelport/core'
import { argumentsOf } from '@modelport/driver'
import { isSayable } from './content.js'
import { providerName } from './error.js'
import type { WireBlock } from './wire.js'

/**
 * Kept among the blocks of a state: the container that code of this turn ran in. Never sent as a
 * block.
 */
export const containerType = 'modelport_container'

/** True for thinking, readable or not. */
export const isThinking = ({ type }: WireBlock): boolean =>
  type === 'thinking' || type === 'redacted_thinking'

/** True for a call of a tool the API ran itself, the result of one, or a file that code made. */
export const isProviderTool = ({ type }: WireBlock): boolean =>
  /_tool_(use|result)$|^container_upload$/.test(type)

/** Kinds of blocks that a reply has, besides the calls and the results of the API's own tools. */
const replyKinds: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'compaction',
  'fallback',
  'mcp_tool_listing',
  containerType,
])

/**
 * True for a block that the model or the API wrote. The state of a message may have been in a
 * browser: a document, or the result of a tool that the application runs, is of nobody's reply.
 * @see https://github.com/anthropics/anthropic-sdk-typescript (`BetaContentBlock`, read 2026-11-28)
 */
function isReplyBlock(value: unknown): value is WireBlock {
  if (typeof value !== 'object' || value === null) return false
  const { type } = value as Partial<WireBlock>
  return typeof type === 'string' && (replyKinds.has(type) || isProviderTool({ type }))
}

/**
 * The blocks this provider kept of a message; undefined when there are none, or the message is
 * another provider's.
 */
function keptBlocks({ origin }: AssistantMessage): readonly WireBlock[] | undefined {
  const state: unknown = origin?.provider === providerName ? origin.state : undefined
  return Array.isArray(state) && state.every(isReplyBlock) ? state : undefined
}

/** The container the model's code ran in, if this message tells. */
export const containerOf = (message: AssistantMessage): string | undefined =>
  keptBlocks(message)?.findLast(
    ({ type, id }) => type === containerType && typeof id === 'string',
  )?.['id'] as string | undefined

/**
 * The model's own blocks for an exact replay, with the ids the calls have now. Undefined when the
 * message has none, or when it was changed since: its state is used whole or not at all.
 */
export function replayBlocks(message: AssistantMessage): WireBlock[] | undefined {
  const stateBlocks = keptBlocks(message)
  if (!stateBlocks) return undefined
  const calls = [...(message.toolCalls ?? [])]
  const uses = stateBlocks.filter(({ type }) => type === 'tool_use')
  const text = stateBlocks
    .map((block) =>
      block.type === 'text' && typeof block['text'] === 'string' ? block['text'] : '',
    )
    .join('')
  const same =
    uses.length === calls.length && uses.every((use, index) => use['name'] === calls[index]?.name)
  if (!same || text !== textOf(message.content)) return undefined
  const blocks = stateBlocks
    .map((block) =>
      block.type === 'tool_use' ? toolUseBlock(calls.shift() as ToolCall, block) : block,
    )
    .filter(
      ({ type, ...block }, at) =>
        type !== containerType &&
        (type !== 'text' || isSayable(block['text'])) &&
        !isDeclined(stateBlocks, at),
    )
  // An assistant message may not end with thinking; there is nothing left that it could belong to.
  while (blocks.length && isThinking(blocks.at(-1) as WireBlock)) blocks.pop()
  return blocks
}

/**
 * True for a call without its result from before the last `fallback` block: a model that declined
 * had made it. The API wants it left out, and a result of it too.
 * @see
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#continuing-the-conversation
 * (read 2026-11-21)
 */
function isDeclined(blocks: readonly WireBlock[], at: number): boolean {
  const { type, id } = blocks[at] as WireBlock
  const lastFallback = blocks.findLastIndex((block) => block.type === 'fallback')
  return (
    at < lastFallback &&
    type.endsWith('tool_use') &&
    !blocks.some((block) => block['tool_use_id'] === id)
  )
}

/**
 * A call as the API wants it back. Malformed arguments are wrapped, as the documentation advises.
 */
export function toolUseBlock(call: ToolCall, block: object = { type: 'tool_use' }): WireBlock {
  return { ...block, type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) }
}
