import type { TaskEvent } from '@modelport/agent'
import type { AssistantMessage, ChatMessage, ToolCall, ToolMessage } from '@modelport/core'
import { isObject } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'
import { contentOfParts } from './user-message.js'

/** What the model reads of a call that was cut off. */
const cutCall =
  'Stopped by the user before it finished. Whether it had an effect is not known: look before you call it again.'

/** What the model reads after a reply that was cut off. */
const cutReply: ChatMessage = {
  role: 'user',
  content: '[Not from the user: the user stopped the reply here.]',
  byRun: true,
}

/**
 * What a conversation has of a task that somebody stopped: the message of the user, and the reply
 * as far as it came. Calls without an outcome are closed, so that any model can continue.
 */
export function messagesOfStopped(events: readonly TaskEvent[]): readonly ChatMessage[] {
  const turn = new StoppedTurn()
  for (const event of events) turn.read(event)
  return turn.messages
}

interface Step {
  readonly number: number
  text: string
  readonly calls: ToolCall[]
  readonly results: Map<string, ToolMessage>
}

/** Follows the events of a task, and keeps what was said in each step. */
class StoppedTurn {
  readonly #asked: ChatMessage[] = []
  readonly #steps: Step[] = []

  read(event: TaskEvent): void {
    if (event.type === 'message' && event.message.role === 'user') {
      const content = contentOfParts(event.message.parts)
      if (content.length) this.#asked.push({ role: 'user', content })
    }
    if (event.type === 'text-delta') {
      const step = this.#current()
      step.text = (event.first ? '' : step.text) + event.text
    }
    if (event.type === 'run') this.#readRun(event.event)
  }

  get messages(): readonly ChatMessage[] {
    const said = this.#steps.flatMap(messagesOfStep)
    return [...this.#asked, ...said, cutReply]
  }

  #current(): Step {
    return this.#steps.at(-1) ?? this.#begin(0)
  }

  #begin(number: number): Step {
    const step: Step = { number, text: '', calls: [], results: new Map() }
    this.#steps.push(step)
    return step
  }

  #readRun(event: RunEvent): void {
    switch (event.type) {
      case 'step-start':
        // A step that begins again, after a wait or in another process, keeps its calls.
        if (this.#steps.at(-1)?.number !== event.step) this.#begin(event.step)
        return
      case 'action-requested': {
        const { action, actionId: id } = event
        const { calls } = this.#current()
        if (action.type !== 'tool_call' || calls.some((call) => call.id === id)) return
        const values = isObject(action.args) ? action.args : {}
        calls.push({
          id,
          name: action.tool,
          arguments: values,
          argumentsText: JSON.stringify(values),
        })
        return
      }
      case 'tool-result':
        this.#end(event.actionId, event.tool, textOfResult(event.result))
        return
      case 'tool-error':
        this.#end(event.actionId, event.tool, event.message, true)
        return
      default:
    }
  }

  #end(toolCallId: string, toolName: string, content: string, isError = false): void {
    const step = this.#steps.findLast(({ calls }) => calls.some(({ id }) => id === toolCallId))
    const result: ToolMessage = { role: 'tool', toolCallId, toolName, content }
    step?.results.set(toolCallId, isError ? { ...result, isError } : result)
  }
}

function messagesOfStep({ text, calls, results }: Step): readonly ChatMessage[] {
  if (!text && !calls.length) return []
  const reply: AssistantMessage = {
    role: 'assistant',
    content: text,
    ...(calls.length && { toolCalls: calls }),
  }
  const ends = calls.map(
    ({ id, name }): ToolMessage =>
      results.get(id) ?? {
        role: 'tool',
        toolCallId: id,
        toolName: name,
        content: cutCall,
        isError: true,
      },
  )
  return [reply, ...ends]
}

function textOfResult(result: unknown): string {
  if (result === undefined) return ''
  return typeof result === 'string' ? result : JSON.stringify(result)
}
