import type { ChatMessage, ErrorCode, FinishReason, TokenUsage } from '@modelport/core'
import type { CallMetrics } from '@modelport/runtime'
import type { CallState } from './states.js'

/** A call of a tool, as a trace has it. */
export interface FunctionCall {
  /** The model's id of the call. */
  readonly id: string
  /** Name of the tool, or of the agent. */
  readonly name: string
  /** The arguments the model gave. */
  readonly arguments: unknown
  /** What the tool returned; undefined when it failed or was not executed. */
  readonly result?: unknown
  /** The result as text for people and for `{call_results}`. */
  readonly resultText: string
  /** What went wrong. Unset: nothing. */
  readonly errorMessage?: string
  /** False for a call that failed or was not executed. */
  readonly success: boolean
  /** True for a call that was not executed because the same call had been made. */
  readonly isRepeated: boolean
  /** Milliseconds; 0 for a call that was not executed. */
  readonly latencyMs: number
}

/** One event of a call. */
export type TraceEntry = { /** Milliseconds since 1970. */ readonly at: number } & (
  | { readonly type: 'state'; readonly from: CallState; readonly to: CallState }
  | {
      readonly type: 'model-call'
      readonly step: number
      readonly finishReason: FinishReason
      readonly text: string
      readonly metrics: CallMetrics
    }
  /**
   * The driver makes a request again; `code` is the code of the error, or `lost` for a call that
   * ended with its process.
   */
  | {
      readonly type: 'retry'
      readonly attempt: number
      readonly code: string
      readonly delayMs: number
    }
  | { readonly type: 'tool-call'; readonly step: number; readonly call: FunctionCall }
  | {
      readonly type: 'parse-error'
      /** How many replies in a row were refused, this one included. */
      readonly attempt: number
      readonly problems: readonly string[]
      /** The reply, whole. */
      readonly text: string
    }
  /** Messages that are not in the dialog any more: refused replies and their corrections. */
  | { readonly type: 'pruned'; readonly messages: readonly ChatMessage[] }
  | {
      readonly type: 'recall'
      /** The first is 1. */
      readonly attempt: number
      readonly code: ErrorCode
      readonly message: string
      /** Milliseconds until the call is made again. */
      readonly delayMs: number
    }
  /** No tool round is left: the model is asked for its final reply, without tools. */
  | { readonly type: 'last-call'; readonly toolRounds: number }
)

/** A trace entry without its time. */
export type NewTraceEntry = TraceEntry extends infer Entry
  ? Entry extends TraceEntry
    ? Omit<Entry, 'at'>
    : never
  : never

/** A prompt that a call ran with, by its wording. */
export interface PromptVersion {
  /** Path of the prompt. */
  readonly path: string
  /** Content hash. */
  readonly hash: string
}

/** Everything one agent call did, in order. Plain JSON, but for results of tools. */
export interface CallTrace {
  /** Same as the id of the run behind the call. */
  readonly callId: string
  /** Name of the agent. */
  readonly agent: string
  /** The system prompt, the prompt that opened the turn, and handlers that are prompts. */
  readonly prompts: readonly PromptVersion[]
  /** Where the call is or ended. */
  readonly state: CallState
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970. Unset while the call runs. */
  readonly endedAt?: number
  /** The events, in order. */
  readonly entries: readonly TraceEntry[]
  /** Usage of all model calls. */
  readonly usage: TokenUsage
  /** Unset: no prices are known. */
  readonly cost?: number
  /** What the caller passed as `extra`. */
  readonly extra?: unknown
}

/** The tool calls of a trace, in the order of the calls, even if they ended in another order. */
export const toolCallsOf = (trace: CallTrace): readonly FunctionCall[] =>
  trace.entries.flatMap((entry) => (entry.type === 'tool-call' ? [entry.call] : []))
