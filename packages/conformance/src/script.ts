import type { FinishReason, JsonObject, TokenCounts } from '@modelport/core'

/** A tool call of a script. */
export interface ScriptCall {
  /** Undefined: the wire carries none, and the provider has to make one. */
  readonly id?: string
  /** Name of the called tool. */
  readonly name: string
  /** The arguments, sent as the API sends them. */
  readonly arguments: JsonObject
  /** Sent instead of the JSON of `arguments`, for texts that are not JSON. */
  readonly argumentsText?: string
}

/** What the model says in one turn. */
export interface ScriptTurn {
  /** Pieces of reasoning, in order, before the text. */
  readonly reasoning?: readonly string[]
  /** Pieces of text, in order. */
  readonly text?: readonly string[]
  /** Calls of the turn, in order, after the text. */
  readonly toolCalls?: readonly ScriptCall[]
  /** Why the turn ends. */
  readonly finish: FinishReason
  /** Counts that the API reports for the turn. */
  readonly usage: Partial<TokenCounts>
}

/** A conversation written down for tests: what the model says in each turn. */
export interface Script {
  /** Names the conversation in the report. */
  readonly name: string
  /** What the model says, a turn each. */
  readonly turns: readonly ScriptTurn[]
}
