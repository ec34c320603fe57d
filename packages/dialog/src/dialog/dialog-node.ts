import type { ChatMessage } from '@modelport/core'
import type { TemplateValues } from '../prompt/placeholders.js'
import type { AnyPrompt } from '../prompt/prompt.js'

/** The prompt that opened a turn, with the values its text was filled with. */
export interface PromptTurn {
  /** The prompt. */
  readonly prompt: AnyPrompt
  /** The values, as the prompt's schema put them out. */
  readonly args: TemplateValues
}

/** One message of a dialog. Nodes never change, so dialogs can share them. */
export interface DialogNode {
  /** The message. */
  readonly message: ChatMessage
  /** Set on messages that a prompt wrote. */
  readonly turn?: PromptTurn
  /** The message before. Undefined: this is the first. */
  readonly parent: DialogNode | undefined
  /** Number of messages up to this one, which counts too. */
  readonly length: number
}

/** A node after another one. */
export const addNode = (
  parent: DialogNode | undefined,
  message: ChatMessage,
  turn?: PromptTurn,
): DialogNode => ({
  message,
  ...(turn && { turn }),
  parent,
  length: (parent?.length ?? 0) + 1,
})

/** The nodes from the first message to this one. */
export function nodesOf(node: DialogNode | undefined): readonly DialogNode[] {
  const nodes = new Array<DialogNode>(node?.length ?? 0)
  for (let one = node; one; one = one.parent) nodes[one.length - 1] = one
  return nodes
}

/** True for messages that say the same, for example one of a dialog and its stored copy. */
export const isSameMessage = (one: ChatMessage, other: ChatMessage | undefined): boolean =>
  one === other || (other !== undefined && JSON.stringify(one) === JSON.stringify(other))
