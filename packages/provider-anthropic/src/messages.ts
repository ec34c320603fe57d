import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  LlmError,
  type SystemMessage,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import { mapToolCallIds, withVendor } from '@modelport/driver'
import { assistantBlocks, finished, textBlocks, userBlocks } from './content.js'
import { containerOf, replayBlocks, toolUseBlock } from './state.js'
import type { WireBlock, WireMessage } from './wire.js'

/** What decides how a conversation is said. */
export interface ConversationRules {
  /** A system message may keep its place within the conversation. */
  readonly systemWithin: boolean
  readonly citations: boolean
}

/** A conversation in the API's form. */
export interface WireConversation {
  readonly system: readonly WireBlock[]
  readonly messages: readonly WireMessage[]
  /** The container that code of an earlier turn ran in. */
  readonly container: string | undefined
}

interface Draft {
  readonly role: WireMessage['role']
  readonly content: WireBlock[]
}

/**
 * What the user says before a reply that begins a conversation, for example one that was made
 * shorter: "first message must use the user role".
 * @see https://github.com/anthropics/anthropic-sdk-typescript/issues/622 (read 2026-11-24): a cloud
 * refuses it, the vendor's own host not always
 */
const opening = '[The conversation begins with a reply.]'

/**
 * Turns a conversation into the API's form: consecutive messages of one role become one, the
 * results of a turn stand first in one user message, and system messages stand in `system` unless
 * the model takes them where they are.
 * @throws {LlmError} `unsupported` — content the API has no form for; `invalid-request` — no
 * message has any content.
 */
export function toConversation(
  history: readonly ChatMessage[],
  rules: ConversationRules,
): WireConversation {
  const system: WireBlock[] = []
  const drafts: Draft[] = []
  let container: string | undefined
  /** The blocks of the last reply, whose tool calls the results refer to. */
  let replyBlocks: readonly WireBlock[] = []

  const add = (role: Draft['role'], blocks: readonly WireBlock[]): void => {
    const last = drafts.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length) drafts.push({ role, content: [...blocks] })
  }

  const addFields = ({ vendor }: ChatMessage, where: string): void => {
    const last = drafts.at(-1)
    if (vendor && last) drafts[drafts.length - 1] = withVendor(last, vendor, `vendor of ${where}`)
  }

  const messages = mapToolCallIds(history)
  messages.forEach((message, index) => {
    const where = `messages[${index}]`
    switch (message.role) {
      case 'system': {
        const mayStay = rules.systemWithin && isPlaceOfSystem(drafts, messages.slice(index + 1))
        if (mayStay) add('system', systemBlocks(message))
        else system.push(...systemBlocks(message))
        break
      }
      case 'user':
        add('user', userBlocks(message.content, where, rules.citations))
        addFields(message, where)
        break
      case 'assistant':
        container = containerOf(message) ?? container
        replyBlocks = replayBlocks(message) ?? visibleBlocks(message, where)
        add('assistant', replyBlocks)
        addFields(message, where)
        break
      case 'tool': {
        const call = replyBlocks.find(({ id }) => id === message.toolCallId)
        // The API refuses a result without its call.
        if (!call) break
        const result = toolResultBlock(message, call, where, rules.citations)
        add('user', [withVendor(result, message.vendor, `vendor of ${where}`)])
      }
    }
  })

  if (!drafts.length)
    throw new LlmError(
      'invalid-request',
      'no message has any content; the Messages API wants a user message first',
    )
  // The vendor's own summary of a conversation stands in for its start.
  if (drafts[0]?.role !== 'user' && drafts[0]?.content[0]?.type !== 'compaction')
    drafts.unshift({ role: 'user', content: [{ type: 'text', text: opening }] })

  return {
    system,
    messages: withoutTrailingSpace(
      drafts,
      messages.findLast(({ role }) => role === 'assistant'),
    ),
    container,
  }
}

const systemBlocks = ({ content }: SystemMessage): WireBlock[] =>
  typeof content === 'string'
    ? textBlocks(content)
    : content.flatMap((part) =>
        textBlocks(part.text).map((block) => finished(block, part, 'a system part')),
      )

/**
 * A system message within the conversation has to follow a user message and to be last or followed
 * by an assistant message.
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages (read
 * 2026-11-21)
 */
function isPlaceOfSystem(before: readonly Draft[], after: readonly ChatMessage[]): boolean {
  const last = before.at(-1)?.role
  const next = after.find(({ role }) => role !== 'system')?.role
  return (last === 'user' || last === 'system') && (next === undefined || next === 'assistant')
}

/** What any provider's message shows; reasoning of others has no signature and is left out. */
function visibleBlocks(message: AssistantMessage, where: string): WireBlock[] {
  const shown: Content =
    textOf(message.content) || typeof message.content !== 'string'
      ? message.content
      : (message.refusal ?? '')
  return [
    ...assistantBlocks(shown, where),
    ...(message.toolCalls ?? []).map((call) => toolUseBlock(call)),
  ]
}

function toolResultBlock(
  { toolCallId, content, isError }: ToolMessage,
  call: WireBlock,
  where: string,
  citations: boolean,
): WireBlock {
  const blocks = userBlocks(content, where, citations)
  const result = typeof content === 'string' && blocks.length ? content : blocks
  // The API refuses an error without a text.
  const emptyResult = isError ? 'The tool failed without a message.' : undefined
  const shown = result.length ? result : emptyResult
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...(shown !== undefined && { content: shown }),
    ...(isError && { is_error: true }),
    ...(typeof call['toolset_name'] === 'string' && { toolset_name: call['toolset_name'] }),
  }
}

/**
 * A conversation that ends with an assistant message begins the reply of the model, and the API
 * refuses such a beginning if it ends with white space. Blocks that the model itself wrote stay as
 * they are.
 */
function withoutTrailingSpace(
  drafts: readonly Draft[],
  lastReply: ChatMessage | undefined,
): readonly WireMessage[] {
  const draft = drafts.at(-1)
  const block = draft?.content.at(-1)
  if (draft?.role !== 'assistant' || block?.type !== 'text') return drafts

  const isOfCaller = lastReply?.role === 'assistant' && !replayBlocks(lastReply)
  if (!isOfCaller) return drafts

  const trimmed = { ...block, text: String(block['text']).trimEnd() }
  const content = [...draft.content.slice(0, -1), trimmed]
  return [...drafts.slice(0, -1), { role: draft.role, content }]
}
