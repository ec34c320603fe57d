import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  type ContentPart,
  type JsonObject,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import type { ActionMode } from './action-mode.js'
import { toAgentAction } from './delegation.js'
import { toObservations } from './observation.js'
import type { PlannedCall } from './read-reply.js'

/**
 * Writes calls in the API's own form, and their results, as the mode writes them: a server that
 * refuses tools refuses these too. In JSON mode each call stands in a message of its own, followed
 * by its result, as the model is asked to write them. A conversation without calls is returned as
 * it is.
 */
export function renderCalls(
  messages: readonly ChatMessage[],
  mode: ActionMode,
): readonly ChatMessage[] {
  if (mode === 'native' || !messages.some(({ role }) => role === 'tool')) return messages
  const results = new Map(
    messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one] as const] : [])),
  )
  return messages.flatMap((message): readonly ChatMessage[] => {
    if (message.role === 'tool') return []
    if (message.role !== 'assistant' || !message.toolCalls?.length) return [message]
    return (mode === 'json' ? renderJson : renderText)(message, message.toolCalls, (id) =>
      results.get(id),
    )
  })
}

type FindResult = (id: string) => ToolMessage | undefined

function renderJson(
  message: AssistantMessage,
  calls: readonly ToolCall[],
  find: FindResult,
): readonly ChatMessage[] {
  const thought = textOf(message.content).trim()
  return calls.flatMap((call, index): readonly ChatMessage[] => {
    const planned = toPlanned(call)
    const action: JsonObject = { ...(thought && index === 0 && { thought }), ...planned.action }
    return [written(message, JSON.stringify(action)), ...observe([planned], find, 'json')]
  })
}

function renderText(
  message: AssistantMessage,
  calls: readonly ToolCall[],
  find: FindResult,
): readonly ChatMessage[] {
  const blocks = calls.map(({ name, arguments: args }) => {
    const call = JSON.stringify({ name, arguments: args })
    return `<tool_call>\n${call}\n</tool_call>`
  })
  const text = [textOf(message.content).trim(), ...blocks].filter(Boolean).join('\n')
  return [written(message, text), ...observe(calls.map(toPlanned), find, 'text')]
}

/** The message with its calls in the text; what it has besides text, such as images, stays. */
function written({ content }: AssistantMessage, text: string): AssistantMessage {
  const others: readonly ContentPart[] =
    typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
  const all: Content = others.length ? [{ type: 'text', text }, ...others] : text
  return { role: 'assistant', content: all }
}

function observe(
  calls: readonly PlannedCall[],
  find: FindResult,
  mode: ActionMode,
): readonly ChatMessage[] {
  const observations = calls.flatMap((planned) => {
    const found = find(planned.call.id)
    return found
      ? [
          {
            planned,
            result: {
              callId: planned.call.id,
              content: found.content,
              ...(found.isError && { isError: true }),
            },
          },
        ]
      : []
  })
  return observations.length ? [toObservations(observations, mode)] : []
}

const toPlanned = (call: ToolCall): PlannedCall => ({
  call,
  action: toAgentAction(call) ?? { type: 'tool_call', tool: call.name, args: call.arguments },
})
