import { type ChatMessage, LlmError, textOf } from '@modelport/core'
import type { RunCheckpoint } from '@modelport/runtime'
import type { Dialog } from '../dialog/dialog.js'
import { isSameMessage, nodesOf } from '../dialog/dialog-node.js'

/** The parts of a dialog that a run takes. */
export interface DialogParts {
  /** The instructions it begins with. Unset: none. */
  readonly system?: string
  /** The rest, with a result for every call. */
  readonly messages: readonly ChatMessage[]
}

/** The options of a call that continues another. */
interface ResumedCall {
  readonly resume?: RunCheckpoint | undefined
  readonly messages?: readonly ChatMessage[] | undefined
}

const interrupted =
  'The conversation was stored before this call had a result: whether it had an effect is unknown. Call it again if it is needed.'

/**
 * Takes a dialog apart for a run. In a dialog that was stored in the middle of a tool round, calls
 * without a result get one that says so.
 * @throws {LlmError} `invalid-request` — the dialog is empty, or its last message is the model's.
 */
export function takeApart(dialog: Dialog, { resume, messages: stored }: ResumedCall): DialogParts {
  const system: string[] = []
  const own: ChatMessage[] = []
  for (const { message } of nodesOf(dialog.node)) {
    if (!own.length && message.role === 'system') system.push(textOf(message.content))
    else own.push(message)
  }
  const last = own.at(-1)
  // A reply that was cut is asked for again.
  const isCut = last?.role === 'assistant' && last.cut === true
  if (isCut) own.pop()
  if (!own.length)
    throw new LlmError('invalid-request', 'the dialog has no turn yet; send a prompt first')
  if (stored && !resume)
    throw new LlmError(
      'invalid-request',
      'messages are those stored with a checkpoint; give the checkpoint as resume',
    )
  const messages = stored ? withOwn(own, stored) : own
  const open = openCalls(messages)
  if (dialog.tail?.role === 'assistant' && !isCut && !open.length && !resume)
    throw new LlmError(
      'invalid-request',
      "the dialog's last message is the model's; send a prompt first",
    )
  const results = open.map(
    (id): ChatMessage => ({ role: 'tool', toolCallId: id, content: interrupted, isError: true }),
  )
  return {
    ...(system.length && { system: system.join('\n\n') }),
    messages: results.length ? [...messages, ...results] : messages,
  }
}

/**
 * The stored messages, the dialog's own object for each one at the beginning that is equal: so it
 * keeps its prompt.
 */
function withOwn(
  own: readonly ChatMessage[],
  stored: readonly ChatMessage[],
): readonly ChatMessage[] {
  const parting = stored.findIndex((message, index) => !isSameMessage(message, own[index]))
  const same = parting < 0 ? stored.length : parting
  return [...own.slice(0, same), ...stored.slice(same)]
}

/** The ids of calls at the end of a conversation that have no result. */
function openCalls(messages: readonly ChatMessage[]): readonly string[] {
  const at = messages.findLastIndex(({ role }) => role !== 'tool')
  const last = messages[at]
  if (last?.role !== 'assistant' || !last.toolCalls?.length) return []
  const answered = new Set(
    messages.slice(at + 1).map((message) => message.role === 'tool' && message.toolCallId),
  )
  return last.toolCalls.map(({ id }) => id).filter((id) => !answered.has(id))
}

/** Tool rounds since the last user turn that a person or a prompt opened. */
export function countToolRounds(messages: readonly ChatMessage[]): number {
  const from = messages.findLastIndex((message) => message.role === 'user' && !message.byRun)
  return messages
    .slice(from + 1)
    .filter((message) => message.role === 'assistant' && message.toolCalls?.length).length
}
