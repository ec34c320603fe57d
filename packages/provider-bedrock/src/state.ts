import { type AssistantMessage, isObject, type ToolCall, textOf } from '@modelport/core'
import { providerName } from './error.js'
import { modelName } from './traits.js'
import type { WireBlock } from './wire.js'

/**
 * The kinds of blocks that this provider keeps. The state of a message may have gone through a
 * browser: a block of any other kind, such as a document in a bucket of the server's role or the
 * result of a tool, was not written by the model.
 */
const keptKinds: ReadonlySet<string> = new Set(['reasoningContent', 'text', 'toolUse'])

const isKept = (state: unknown): state is readonly WireBlock[] =>
  Array.isArray(state) && state.every(isKeptBlock)

function isKeptBlock(block: unknown): boolean {
  if (!isObject(block)) return false
  const [kind = '', ...others] = Object.keys(block)
  return keptKinds.has(kind) && others.length === 0
}

/** True for thinking, readable or not. */
export const isReasoning = (block: WireBlock): boolean => 'reasoningContent' in block

/**
 * The model's own blocks for an exact replay, with the ids that the calls have now. Undefined if
 * there are none, if another model wrote them, since each checks its own signatures, or if the
 * message was changed since.
 */
export function replayBlocks(message: AssistantMessage, model: string): WireBlock[] | undefined {
  const { provider, model: writer, state } = message.origin ?? {}
  if (provider !== providerName || !isKept(state) || modelName(writer ?? '') !== modelName(model))
    return undefined
  const calls = [...(message.toolCalls ?? [])]
  const uses = state.flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse] : []))
  const same =
    uses.length === calls.length && uses.every((use, index) => use['name'] === calls[index]?.name)
  if (!same || state.map(({ text = '' }) => text).join('') !== textOf(message.content))
    return undefined
  return state.map((block) =>
    'toolUse' in block ? toolUseBlock(calls.shift() as ToolCall) : block,
  )
}

/** A call as the API wants it back: its input must be an object. */
export function toolUseBlock({
  id,
  name,
  error,
  arguments: input,
  argumentsText,
}: ToolCall): WireBlock {
  return {
    toolUse: {
      toolUseId: id,
      name,
      input: error === undefined ? input : { INVALID_JSON: argumentsText },
    },
  }
}
