import type { ChatMessage, TokenCounts } from '@modelport/core'

/** A call in another program, as a span of a trace says it. What was not recorded is empty or unset. Times are milliseconds since 1970. */
export interface TraceSpan {
  readonly id: string
  /** The span that this one happened in. It may never arrive. */
  readonly parent: string
  readonly kind: 'model' | 'tool' | 'agent'
  readonly name: string
  readonly from: number
  readonly to: number
  readonly firstTextAt?: number
  readonly provider: string
  readonly model: string
  /** Id of a tool call, as the model gave it. */
  readonly callId: string
  readonly input: readonly ChatMessage[]
  readonly output: readonly ChatMessage[]
  readonly args?: unknown
  readonly result?: unknown
  readonly usage?: TokenCounts
  readonly error?: { readonly code: string; readonly message: string }
}
