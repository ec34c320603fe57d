import type { ChatMessage, TokenCounts } from '@modelport/core'

/**
 * A call in another program, as a span of a trace says it. What was not recorded is empty or unset.
 * Times are milliseconds since 1970.
 */
export interface TraceSpan {
  /** The id of the span: 16 hexadecimal digits. */
  readonly id: string
  /** The id of the span in which it happened; empty for the first one of a trace. */
  readonly parent: string
  /** What was called. */
  readonly kind: 'model' | 'tool' | 'agent'
  /** The name of the tool or agent, else that of the span. */
  readonly name: string
  /** The vendor of the model, as the program names it. */
  readonly provider: string
  /** The id of the model. */
  readonly model: string
  /** The id that the model gave its call of a tool. */
  readonly callId: string

  /** When the call began. */
  readonly from: number
  /** When the call ended. */
  readonly to: number

  /** What the model or agent was given. */
  readonly input: readonly ChatMessage[]
  /** What the model or agent said. */
  readonly output: readonly ChatMessage[]
  /** The arguments of a tool or agent. */
  readonly args?: unknown
  /** The result of a tool or agent. */
  readonly result?: unknown
  /** The tokens that the call used. */
  readonly usage?: TokenCounts
  /** Why the call failed. */
  readonly error?: { readonly code: string; readonly message: string }
}
