import type { ChatMessage, TokenCounts } from '@modelport/core'

/**
 * A call in another program, as a span of a trace says it. What was not recorded is empty or unset.
 * Times are milliseconds since 1970.
 */
export type TraceSpan = Readonly<
  Record<'id' | 'parent' | 'name' | 'provider' | 'model' | 'callId', string>
> &
  Readonly<Record<'from' | 'to', number>> &
  Readonly<Record<'input' | 'output', readonly ChatMessage[]>> & {
    readonly kind: 'model' | 'tool' | 'agent'
    readonly args?: unknown
    readonly result?: unknown
    readonly usage?: TokenCounts
    readonly error?: { readonly code: string; readonly message: string }
  }
