import {
  type ChatMessage,
  LlmError,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  toToolMessage,
} from '@modelport/core'

/** The round at the end of a transcript: the calls of its last assistant message, and what has been answered. */
interface Round {
  readonly calls: readonly ToolCall[]
  readonly answers: Map<string, ToolMessage>
}

/**
 * A conversation that cannot be broken: each result is committed when it arrives and stands in call order whatever the order of
 * arrival; nothing else is appended while a call is open, and nothing is sent.
 */
export class Transcript {
  readonly #messages: ChatMessage[] = []
  #round: Round | undefined

  /** @throws {LlmError} `invalid-request` — the messages break a rule: see {@link Transcript.append}. */
  constructor(messages: readonly ChatMessage[] = []) {
    for (const message of messages) this.append(message)
  }

  /** Everything so far, plain JSON, results in call order; calls may still be open. */
  get messages(): readonly ChatMessage[] {
    return [...this.#messages, ...this.#answers()]
  }

  /**
   * Adds a message at the end. A tool message is the same as {@link Transcript.commit}.
   * @throws {LlmError} `invalid-request` — a call is open and the message is not its result, the message is a result of no open call, or two
   * calls share an id.
   */
  append(message: ChatMessage): void {
    if (message.role === 'tool') {
      this.#answer(message)
      return
    }
    const open = this.openCalls()
    if (open.length)
      throw new LlmError(
        'invalid-request',
        `tool calls without a result: ${idsOf(open)}; commit one for each before the next message`,
      )
    this.#messages.push(...this.#answers())
    this.#round = undefined
    if (message.role === 'assistant' && message.toolCalls?.length) {
      const ids = message.toolCalls.map(({ id }) => id)
      const twice = ids.find((id, index) => ids.indexOf(id) !== index)
      if (twice !== undefined) throw new LlmError('invalid-request', `two calls of one message have the id "${twice}"`)
      this.#round = { calls: message.toolCalls, answers: new Map() }
    }
    this.#messages.push(message)
  }

  /**
   * Takes the result of a call, when it arrives, in any order.
   * @throws {LlmError} `invalid-request` — the call is not open: unknown, or answered already.
   */
  commit(call: ToolCall, result: ToolResult): void {
    if (result.callId !== call.id) {
      throw new LlmError('invalid-request', `the result names the call "${result.callId}", not "${call.id}"`)
    }
    this.#answer(toToolMessage(result, call.name))
  }

  /** The calls without a result, in call order. */
  openCalls(): readonly ToolCall[] {
    const round = this.#round
    return round ? round.calls.filter(({ id }) => !round.answers.has(id)) : []
  }

  /** Answers every open call with an error that tells the model the reason; returns those calls. */
  cancelOpen(reason: string): readonly ToolCall[] {
    const open = this.openCalls()
    for (const call of open) this.commit(call, { callId: call.id, content: reason, isError: true })
    return open
  }

  /**
   * The messages, fit to be sent.
   * @throws {LlmError} `invalid-request` — names the calls without a result.
   */
  sendable(): readonly ChatMessage[] {
    const open = this.openCalls()
    if (open.length)
      throw new LlmError(
        'invalid-request',
        `tool calls without a result: ${idsOf(open)}; commit a result for each, or call cancelOpen`,
      )
    return this.messages
  }

  #answer(message: ToolMessage): void {
    const { toolCallId } = message
    const call = this.#round?.calls.find(({ id }) => id === toolCallId)
    if (!this.#round || !call || this.#round.answers.has(toolCallId)) {
      const why = call ? 'is answered already' : 'is not open'
      throw new LlmError(
        'invalid-request',
        `the call "${toolCallId}" ${why}; open: ${idsOf(this.openCalls()) || 'none'}`,
      )
    }
    this.#round.answers.set(toolCallId, message)
  }

  #answers(): readonly ToolMessage[] {
    const round = this.#round
    return round ? round.calls.flatMap(({ id }) => round.answers.get(id) ?? []) : []
  }
}

const idsOf = (calls: readonly ToolCall[]): string => calls.map(({ id }) => id).join(', ')
