import type { ReplyDetails, TokenUsage } from '@modelport/core'
import type { RunResult } from '@modelport/runtime'
import type { Dialog } from '../dialog/dialog.js'
import type { AgentCallError } from './call-error.js'
import type { AgentCallOptions } from './settings.js'
import type { CallTrace, TraceEntry } from './trace.js'

/** The result of a run that ended with a value. */
export type FinalRun<Value> = Extract<RunResult<Value>, { readonly status: 'final' }>

/** A call that ended in `success`. */
export interface CallSuccess<Value> {
  /** How the call ended. */
  readonly status: 'success'
  /** The value that the prompt of the turn promises. */
  readonly value: Value
  /** The reply's text, whole. */
  readonly text: string
  /** The dialog with everything that was said, without refused replies. */
  readonly dialog: Dialog<Value>
  /** What the call did. */
  readonly trace: CallTrace
  /** The run behind the call. A durable store keeps it: see `journal` of the options. */
  readonly runResult: FinalRun<Value>
  /** Sources, warnings, probabilities of tokens and whatever else the server reported. */
  readonly details: ReplyDetails
  /** Tokens of all model calls. */
  readonly usage: TokenUsage
  /** Unset: no prices are known. */
  readonly cost?: number
  /** True when the reply was cut off by the token limit and the parser accepted it all the same. */
  readonly truncated?: boolean
}

/** How a call ended, as a value. */
export type CallOutcome<Value> =
  | CallSuccess<Value>
  | { readonly status: 'failure'; readonly error: AgentCallError }

/** What a call reports while it runs. */
export type DialogEvent =
  | TraceEntry
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** The value so far, not validated; its fields come one by one. */
  | { readonly type: 'partial'; readonly value: unknown }

/** Receives the events of a call. */
export interface EventConsumer {
  push(event: DialogEvent): void
  /** Settles once every event was read; undefined when there is nothing to wait for. */
  drained(): Promise<void> | undefined
}

/** Calls a dialog; the state machine of the agent. */
export type CallDialog = <Value>(
  dialog: Dialog<Value>,
  options: AgentCallOptions,
) => Promise<CallSuccess<Value>>
