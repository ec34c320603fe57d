import { asText, type ChatMessage, type ToolCall } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'
import type { CountedCall } from './own-calls.js'

interface Reply {
  readonly role: 'assistant'
  content: string
  readonly toolCalls: ToolCall[]
}

/**
 * What a run has said so far, as messages: one that is cut off brings no transcript, and no counts.
 */
export class ToldMessages {
  /** The calls of the model that have ended. */
  readonly calls: CountedCall[] = []
  readonly #messages: (Reply | Extract<ChatMessage, { role: 'tool' }>)[] = []
  #reply: Reply | undefined
  #isOver = true

  /** As {@link all}, with the calls that have no result yet. */
  get latest(): readonly ChatMessage[] {
    return this.#messages
  }

  /**
   * The replies, the last as far as it had arrived, and the results. Calls without a result are
   * left out.
   */
  get all(): ChatMessage[] {
    const done = new Set(this.#messages.map((one) => (one.role === 'tool' ? one.toolCallId : '')))
    return this.#messages.flatMap((one): ChatMessage[] => {
      if (one.role === 'tool') return [one]
      const toolCalls = one.toolCalls.filter(({ id }) => done.has(id))
      if (!one.content && toolCalls.length === 0) return []
      return [
        { role: 'assistant', content: one.content, ...(toolCalls.length > 0 && { toolCalls }) },
      ]
    })
  }

  add(event: RunEvent): void {
    const { type } = event
    if (type === 'model-call-start') {
      // A reply that failed is asked for again.
      if (!this.#isOver) this.#messages.pop()
      this.#reply = { role: 'assistant', content: '', toolCalls: [] }
      this.#messages.push(this.#reply)
      this.#isOver = false
    } else if (type === 'text-delta' && this.#reply) this.#reply.content += event.text
    else if (type === 'model-call-end' && this.#reply) {
      this.#reply.content ||= asText(event.text)
      this.#isOver = true
      this.calls.push(event.metrics)
    } else if (type === 'action-requested' && event.action.type === 'tool_call') {
      const { tool: name, args } = event.action
      const call = {
        id: event.actionId,
        name,
        arguments: args,
        argumentsText: asText(JSON.stringify(args)) || '{}',
      }
      this.#reply?.toolCalls.push(call)
    } else if (type === 'tool-result' || type === 'tool-error') {
      const result = type === 'tool-result' ? event.result : event.message
      const content = typeof result === 'string' ? result : asText(JSON.stringify(result))
      const { actionId: toolCallId, tool: toolName } = event
      this.#messages.push({
        role: 'tool',
        toolCallId,
        toolName,
        content,
        isError: type === 'tool-error',
      })
    }
  }
}
