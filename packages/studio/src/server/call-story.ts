import { textOf, toUsage, zeroCounts } from '@modelport/core'
import { systemOf, withoutSystem } from '../protocol/sent-request.js'
import { callSpending } from './call-spending.js'
import { type Fields, fieldsOf, readMessages } from './ingest-forms.js'

/** Receives a story. */
export interface StoryListener {
  /** Called with each event of the run. */
  event(event: object): void
  /** Called with what each turn sends, after the event of its start. */
  request(request: object): void
}

/** Tells a provider call as the events of a run: each turn is a step. */
export class CallStory {
  /** Number of the turn. */
  step = 0
  readonly #about: Fields
  readonly #prices: unknown
  readonly #listener: StoryListener
  readonly #open = new Map<unknown, unknown>()
  /** How many messages the last request had. */
  #sent = 0

  constructor(call: Fields, listener: StoryListener) {
    const { provider, model, prices, tools, options, messages } = call
    this.#about = { provider, model }
    this.#prices = prices
    this.#listener = listener
    this.#startTurn()

    const all = readMessages(messages)
    const system = systemOf(all)
    const { system: _system, tools: _tools, ...others } = fieldsOf(options)
    const about = { model, tools, options: others, ...(system !== undefined && { system }) }
    this.#sent = withoutSystem(all).length
    // A program that sends no texts says nothing of its requests.
    if (tools) listener.request({ same: this.#sent, messages: [], about })
  }

  /** Takes an event of the stream, or the start of a further turn. */
  event(event: Fields): void {
    const { type, id, usage, messages, toolCall } = event
    const { id: actionId, name: tool, arguments: args } = fieldsOf(toolCall)
    if (type === 'text-delta' || type === 'reasoning-delta') this.#tell(event)
    if (type === 'tool-call-delta') this.#tell({ ...event, callId: id })
    if (type === 'tool-call-complete') {
      this.#open.set(actionId, tool)
      this.#tell({ type: 'action-requested', actionId, action: { type: 'tool_call', tool, args } })
    }
    if (type === 'turn-end') {
      this.#tell({ type: 'model-call-end', metrics: this.#metricsOf(usage) })
      for (const [called, name] of this.#open)
        this.#tell({ type: 'tool-start', actionId: called, tool: name })
    }
    if (type !== 'turn-start') return
    this.#takeResults(messages)
    this.#startTurn()

    // A turn continues the conversation of the one before.
    const all = withoutSystem(readMessages(messages))
    this.#listener.request({ same: this.#sent, messages: all.slice(this.#sent) })
    this.#sent = all.length
  }

  #metricsOf(usage: unknown): object {
    const counts = fieldsOf(usage)
    const isCounted = typeof counts['inputTokens'] === 'number'
    const turn = isCounted ? toUsage([{ ...zeroCounts, ...counts }]) : undefined
    const { cost: totalCost, currency, costBound: bound } = callSpending(turn, this.#prices)
    return { usage, ...(totalCost !== undefined && { cost: { totalCost, currency, bound } }) }
  }

  #startTurn(): void {
    this.step++
    this.#tell({ type: 'model-call-start', ...this.#about })
  }

  #takeResults(messages: unknown): void {
    for (const message of readMessages(messages)) {
      if (message.role !== 'tool' || !this.#open.has(message.toolCallId)) continue
      const { toolCallId: actionId, content, isError } = message
      const told = {
        actionId,
        tool: this.#open.get(actionId),
        result: content,
        message: textOf(content),
      }
      this.#open.delete(actionId)
      this.#tell({ type: isError ? 'tool-error' : 'tool-result', ...told })
    }
  }

  #tell(event: object): void {
    this.#listener.event({ runId: '', step: this.step, attempt: 1, ...event })
  }
}
