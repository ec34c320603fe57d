import type { FinishReason, JsonObject, TokenCounts } from '@modelport/core'

/** A tool call of a script. */
export interface ScriptCall {
  /** Undefined: the wire carries none, and the provider has to make one. */
  readonly id?: string
  readonly name: string
  readonly arguments: JsonObject
  /** Sent instead of the JSON of `arguments`, for texts that are none. */
  readonly argumentsText?: string
}

/** What the model says in one round. */
export interface ScriptTurn {
  /** Pieces of reasoning, in order, before the text. */
  readonly reasoning?: readonly string[]
  /** Pieces of text, in order. */
  readonly text?: readonly string[]
  readonly toolCalls?: readonly ScriptCall[]
  readonly finish: FinishReason
  readonly usage: Partial<TokenCounts>
}

/** A conversation written down for tests: what the model says in each round. */
export interface Script {
  readonly name: string
  readonly turns: readonly ScriptTurn[]
}
