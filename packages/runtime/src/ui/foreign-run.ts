import { asText, isObject } from '@modelport/core'
import type { RunEvent } from '../events/run-event.js'

/** An event of AG-UI 1.0: its `type`, and the fields of that type. */
export type AgUiEvent = Readonly<Record<string, unknown>> & { readonly type: string }

interface OpenCall {
  readonly tool: string
  readonly startedAt: number
  text: string
  args: Readonly<Record<string, unknown>>
}

interface EventFields {
  readonly runId: string
  readonly step: number
  readonly seq: number
  readonly at: number
}

/** Reads the AG-UI events of an agent that is not of this package. */
export class ForeignRun {
  #runId = ''
  #step = 1
  #seq = 0
  #text = ''
  readonly #calls = new Map<string, OpenCall>()

  /** The events of a run for one foreign event; none for an event that only begins or ends something. */
  read(event: AgUiEvent): readonly RunEvent[] {
    const at = typeof event['timestamp'] === 'number' ? event['timestamp'] : Date.now()
    const of = (): EventFields => ({ runId: this.#runId, step: this.#step, seq: ++this.#seq, at })
    const text = asText(event['delta'])
    switch (event.type) {
      case 'RUN_STARTED':
        this.#runId = asText(event['runId'])
        return []
      case 'STEP_STARTED':
        return [{ ...of(), type: 'step-start' }]
      case 'STEP_FINISHED':
        this.#step++
        return []
      case 'TEXT_MESSAGE_START':
        this.#text = ''
        return []
      case 'TEXT_MESSAGE_CONTENT':
      case 'TEXT_MESSAGE_CHUNK':
        this.#text += text
        return [{ ...of(), type: 'text-delta', text, attempt: 1 }]
      case 'REASONING_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CHUNK':
        return [{ ...of(), type: 'reasoning-delta', text, attempt: 1 }]
      case 'RUN_FINISHED':
        return this.#text ? [{ ...of(), type: 'final', action: { type: 'final', content: this.#text } }] : []
      case 'RUN_ERROR': {
        const code = asText(event['code']) || 'unknown'
        return [{ ...of(), type: 'model-error', message: asText(event['message']), code, recoverable: false }]
      }
      default:
        return this.#readCall(event, at, of)
    }
  }

  #readCall(event: AgUiEvent, at: number, of: () => EventFields): readonly RunEvent[] {
    const actionId = asText(event['toolCallId'])
    if (event.type === 'TOOL_CALL_START') {
      this.#calls.set(actionId, { tool: asText(event['toolCallName']), text: '', args: {}, startedAt: at })
      return []
    }
    const call = this.#calls.get(actionId)
    if (!call) return []
    const { tool } = call
    if (event.type === 'TOOL_CALL_ARGS') call.text += asText(event['delta'])
    if (event.type === 'TOOL_CALL_END') {
      call.args = parseArguments(call.text)
      const { args } = call
      return [
        { ...of(), type: 'action-requested', actionId, action: { type: 'tool_call', tool, args } },
        { ...of(), type: 'tool-start', actionId, tool, args },
      ]
    }
    if (event.type !== 'TOOL_CALL_RESULT') return []
    const latencyMs = Math.max(0, at - call.startedAt)
    return [{ ...of(), type: 'tool-result', actionId, tool, args: call.args, result: event['content'], latencyMs }]
  }
}

function parseArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text || '{}') as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
