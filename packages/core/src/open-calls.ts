import { LlmError } from './error.js'
import { toToolMessage } from './json-forms.js'
import type { ToolMessage } from './message.js'
import type { ToolCall, ToolResult } from './tool.js'

/**
 * The results of a turn's tool calls, as they come: taken in any order, sent in that of the calls.
 * For whoever holds a conversation between two turns; it reads and sends nothing itself.
 */
export class OpenCalls {
  readonly #results = new Map<string, ToolMessage>()

  /** True once a result was taken. */
  get hasResults(): boolean {
    return this.#results.size > 0
  }

  /** Ids of the calls without a result, in their order. */
  missing(calls: readonly ToolCall[]): string[] {
    return calls.map(({ id }) => id).filter((id) => !this.#results.has(id))
  }

  /** The results so far, in the order of the calls. */
  inOrder(calls: readonly ToolCall[]): ToolMessage[] {
    if (!this.hasResults) return []
    return calls.flatMap(({ id }) => this.#results.get(id) ?? [])
  }

  /**
   * Takes results, all or none.
   * @param calls those of the turn that may have results now
   * @throws {TypeError} no call is open.
   * @throws {LlmError} `invalid-request` — an id is unknown, or already has its result.
   */
  take(calls: readonly ToolCall[], results: readonly ToolResult[]): void {
    if (!calls.length) throw new TypeError('sendToolResults: no tool call is open')
    const messages = new Map<string, ToolMessage>()
    for (const result of results) {
      const call = calls.find(({ id }) => id === result.callId)
      if (!call || messages.has(result.callId) || this.#results.has(result.callId)) {
        const why = call ? 'already has its result' : 'is not a tool call of this turn'
        throw new LlmError(
          'invalid-request',
          `sendToolResults: "${result.callId}" ${why}; awaiting results for: ${this.missing(calls).join(', ') || 'none'}`,
        )
      }
      messages.set(result.callId, toToolMessage(result, call.name))
    }
    for (const [id, message] of messages) this.#results.set(id, message)
  }

  /** `invalid-request`, if a call has no result: it names those calls. */
  problem(calls: readonly ToolCall[]): LlmError | undefined {
    const missing = this.missing(calls)
    if (!missing.length) return undefined
    return new LlmError(
      'invalid-request',
      `tool calls without a result: ${missing.join(', ')}; send one for each before reading on`,
    )
  }

  /** The results for the next turn, in the order of the calls; that turn has none yet. */
  close(calls: readonly ToolCall[]): ToolMessage[] {
    const results = this.inOrder(calls)
    this.#results.clear()
    return results
  }
}
