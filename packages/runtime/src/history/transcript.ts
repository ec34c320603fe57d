import {
  type ChatMessage,
  LlmError,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  toToolMessage,
} from '@modelport/core'

/** The calls of the last assistant message of a transcript, and their results so far. */
interface OpenTurn {
  readonly calls: readonly ToolCall[]
  readonly results: Map<string, ToolMessage>
}

/**
 * A conversation that is always valid: each result is committed when it arrives and stands in call
 * order. While a call is open, nothing else is appended, and nothing is sent.
 */
export class Transcript {
  readonly #messages: ChatMessage[] = []
  #turn: OpenTurn | undefined
  /** What {@link sendable} gave, until something is added. */
  #sendable: readonly ChatMessage[] | undefined

  /**
   * @throws {LlmError} `invalid-request` — the messages break a rule: see
   * {@link Transcript.append}.
   */
  constructor(messages: readonly ChatMessage[] = []) {
    for (const message of messages) this.append(message)
  }

  /** Everything so far, plain JSON, results in call order; calls may still be open. */
  get messages(): readonly ChatMessage[] {
    return [...this.#messages, ...this.#results()]
  }

  /**
   * Adds a message at the end. A tool message is the same as {@link Transcript.commit}.
   * @throws {LlmError} `invalid-request` — a call is open and the message is not its result, the
   * message is a result of no open call, or two calls share an id.
   */
  append(message: ChatMessage): void {
    if (message.role === 'tool') {
      this.#addResult(message)
      return
    }
    const open = this.openCalls()
    if (open.length)
      throw new LlmError(
        'invalid-request',
        `tool calls without a result: ${idsOf(open)}; commit one for each before the next message`,
      )
    this.#sendable = undefined
    this.#messages.push(...this.#results())
    this.#turn = undefined
    if (message.role === 'assistant' && message.toolCalls?.length) {
      const ids = message.toolCalls.map(({ id }) => id)
      const twice = ids.find((id, index) => ids.indexOf(id) !== index)
      if (twice !== undefined)
        throw new LlmError('invalid-request', `two calls of one message have the id "${twice}"`)
      this.#turn = { calls: message.toolCalls, results: new Map() }
    }
    this.#messages.push(message)
  }

  /**
   * Takes the result of a call, when it arrives, in any order.
   * @throws {LlmError} `invalid-request` — the call is not open: unknown, or it has a result
   * already.
   */
  commit(call: ToolCall, result: ToolResult): void {
    if (result.callId !== call.id) {
      throw new LlmError(
        'invalid-request',
        `the result names the call "${result.callId}", not "${call.id}"`,
      )
    }
    this.#addResult(toToolMessage(result, call.name))
  }

  /** The calls without a result, in call order. */
  openCalls(): readonly ToolCall[] {
    const turn = this.#turn
    return turn ? turn.calls.filter(({ id }) => !turn.results.has(id)) : []
  }

  /**
   * Gives every open call an error as its result, which tells the model the reason; returns those
   * calls.
   */
  cancelOpen(reason: string): readonly ToolCall[] {
    const open = this.openCalls()
    for (const call of open) this.commit(call, { callId: call.id, content: reason, isError: true })
    return open
  }

  /**
   * The messages, fit to be sent: the same list until something is added.
   * @throws {LlmError} `invalid-request` — names the calls without a result.
   */
  sendable(): readonly ChatMessage[] {
    const open = this.openCalls()
    if (open.length)
      throw new LlmError(
        'invalid-request',
        `tool calls without a result: ${idsOf(open)}; commit a result for each, or call cancelOpen`,
      )
    this.#sendable ??= this.messages
    return this.#sendable
  }

  #addResult(message: ToolMessage): void {
    const { toolCallId } = message
    const call = this.#turn?.calls.find(({ id }) => id === toolCallId)
    if (!this.#turn || !call || this.#turn.results.has(toolCallId)) {
      const why = call ? 'has a result already' : 'is not open'
      throw new LlmError(
        'invalid-request',
        `the call "${toolCallId}" ${why}; open: ${idsOf(this.openCalls()) || 'none'}`,
      )
    }
    this.#sendable = undefined
    this.#turn.results.set(toolCallId, message)
  }

  #results(): readonly ToolMessage[] {
    const turn = this.#turn
    return turn ? turn.calls.flatMap(({ id }) => turn.results.get(id) ?? []) : []
  }
}

const idsOf = (calls: readonly ToolCall[]): string => calls.map(({ id }) => id).join(', ')
