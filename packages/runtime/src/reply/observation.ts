import {
  type Content,
  type ContentPart,
  type ToolCall,
  type ToolResult,
  textOf,
  type UserMessage,
} from '@modelport/core'
import { toRunMessage } from '../history/run-message.js'
import type { ActionMode } from './action-mode.js'
import type { PlannedCall } from './read-reply.js'

/** The result of a call, where no tool message can carry it. */
interface Observation {
  readonly planned: PlannedCall
  readonly result: ToolResult
}

/**
 * The user message that carries the results of calls the API knows nothing of. It is data, and
 * never an instruction's role.
 */
export const toObservations = (
  observations: readonly Observation[],
  mode: ActionMode,
): UserMessage => toRunMessage(toContent(observations, mode))

function toContent(observations: readonly Observation[], mode: ActionMode): Content {
  const text = observations
    .map((one) => (mode === 'text' ? toBlock(one) : JSON.stringify(toRecord(one))))
    .join('\n')
  const media = observations.flatMap(({ result: { content } }): readonly ContentPart[] =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text'),
  )
  return media.length ? [{ type: 'text', text }, ...media] : text
}

function toRecord({ planned: { action, call }, result }: Observation): object {
  const text = textOf(result.content)
  const of = action.type === 'agent_call' ? { agent: action.agent } : { tool: call.name }
  const kind = action.type === 'agent_call' ? 'agent' : 'tool'
  return result.isError
    ? { type: `${kind}_error`, ...of, error: text }
    : { type: `${kind}_result`, ...of, result: text }
}

function toBlock({ result }: Observation): string {
  // The output of a tool must not look like its own end mark.
  const text = textOf(result.content).replaceAll(/<(?=\/?tool_(?:call|response)>)/g, '< ')
  return `<tool_response>\n${result.isError ? `error: ${text}` : text}\n</tool_response>`
}

/** The result of a call that is not executed. */
export const toRefusal = (call: ToolCall, message: string): ToolResult => ({
  callId: call.id,
  content: message,
  isError: true,
})
