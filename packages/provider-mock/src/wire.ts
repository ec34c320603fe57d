import type { FinishReason, TokenCounts } from '@modelport/core'

/** A record of the mock's own wire: one a line in a stream, a list of them in a whole answer. */
export type MockRecord =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id?: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'end'; readonly finish: FinishReason; readonly usage: Partial<TokenCounts> }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
