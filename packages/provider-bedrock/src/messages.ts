import {
  type AssistantMessage,
  type ChatMessage,
  LlmError,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import { mapToolCallIds, withVendor } from '@modelport/driver'
import {
  assistantBlocks,
  createDocumentNames,
  finishedSystem,
  type NameDocument,
  userBlocks,
} from './content.js'
import { isReasoning, replayBlocks, toolUseBlock } from './state.js'
import { type ModelTraits, modelName } from './traits.js'
import type { WireBlock, WireMessage } from './wire.js'

/** A conversation in the API's form. */
export interface WireConversation {
  readonly system: readonly WireBlock[]
  readonly messages: readonly WireMessage[]
}

/**
 * What the user says before a reply that begins a conversation: most models want the user first.
 */
const opening = '[The conversation begins with a reply.]'

/** Text of a message that has only documents: the API wants a text next to them. */
const attached = '[The message has only documents.]'

/**
 * Turns a conversation into the API's form: roles alternate, so consecutive messages of one role
 * become one; the results of a turn stand first in one user message; system messages stand in
 * `system`.
 * @throws {LlmError} `unsupported` — content the API has no form for; `invalid-request` — no
 * message has any content.
 */
export function toConversation(
  history: readonly ChatMessage[],
  model: string,
  traits: ModelTraits,
): WireConversation {
  const system: WireBlock[] = []
  const drafts: { readonly role: WireMessage['role']; readonly content: WireBlock[] }[] = []
  const nameOf = createDocumentNames()
  const add = (role: WireMessage['role'], blocks: readonly WireBlock[]): void => {
    const last = drafts.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length) drafts.push({ role, content: [...blocks] })
  }
  const messages = mapToolCallIds(history, idRule(model))
  messages.forEach((message, index) => {
    const where = `messages[${index}]`
    if (message.role === 'system') system.push(...finishedSystem(message.content))
    else if (message.role === 'user')
      add('user', withDocumentText(userBlocks(message.content, where, nameOf)))
    else if (message.role === 'assistant') add('assistant', replyBlocks(message, where, model))
    else
      add('user', [
        withVendor(
          toolResult(message, where, traits, nameOf),
          message.vendor,
          `vendor of ${where}`,
        ),
      ])
  })
  if (!drafts.length)
    throw new LlmError(
      'invalid-request',
      'no message has any content; Converse wants a user message first',
    )
  if (drafts[0]?.role === 'assistant')
    drafts.unshift({ role: 'user', content: [{ text: opening }] })
  return { system, messages: withoutTrailingSpace(drafts) }
}

/**
 * Claude takes other characters in ids than the models that write `functions.name:0` themselves.
 */
const idRule = (model: string): Parameters<typeof mapToolCallIds>[1] =>
  modelName(model).startsWith('anthropic.') ? {} : { forbidden: /[^a-zA-Z0-9_.:-]/g }

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html (as in
 * @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27): a document needs a text next to it
 */
const withDocumentText = (blocks: WireBlock[]): WireBlock[] =>
  blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block)
    ? [{ text: attached }, ...blocks]
    : blocks

/**
 * The model's own blocks, or what any provider's message shows: reasoning of others has no
 * signature here and is left out.
 */
function replyBlocks(
  message: AssistantMessage,
  where: string,
  model: string,
): readonly WireBlock[] {
  const ownBlocks = replayBlocks(message, model)
  if (ownBlocks) return ownBlocks
  const shown =
    textOf(message.content) || typeof message.content !== 'string'
      ? message.content
      : message.refusal
  return [...assistantBlocks(shown ?? '', where), ...(message.toolCalls ?? []).map(toolUseBlock)]
}

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html (as
 * in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
function toolResult(
  message: ToolMessage,
  where: string,
  traits: ModelTraits,
  nameOf: NameDocument,
): WireBlock {
  const { toolCallId, content, isError } = message
  const blocks = userBlocks(content, where, nameOf)
  const marks = blocks.filter((block) => 'cachePoint' in block)
  if (marks.length)
    throw new LlmError('unsupported', `${where}: a tool result has no cache point inside it`)
  // A failed result without content is refused.
  const resultBlocks =
    isError && !blocks.length ? [{ text: 'The tool failed without a message.' }] : blocks
  const failed =
    isError && !traits.resultStatus ? [{ text: 'Error:' }, ...resultBlocks] : resultBlocks
  return {
    toolResult: {
      toolUseId: toolCallId,
      content: failed,
      ...(isError && traits.resultStatus && { status: 'error' }),
    },
  }
}

/** A start of the reply must not end with white space, nor a reply with thinking. */
function withoutTrailingSpace(drafts: readonly WireMessage[]): readonly WireMessage[] {
  const last = drafts.at(-1)
  if (last?.role !== 'assistant') return drafts
  const content = [...last.content]
  while (content.length && isReasoning(content.at(-1) as WireBlock)) content.pop()
  const block = content.at(-1)
  if (typeof block?.['text'] === 'string')
    content[content.length - 1] = { ...block, text: block['text'].trimEnd() }
  return [...drafts.slice(0, -1), ...(content.length ? [{ role: last.role, content }] : [])]
}
