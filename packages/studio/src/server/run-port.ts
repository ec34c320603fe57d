import type { ClientEvent } from '@modelport/agent'
import type { Approval, RunEvent } from '@modelport/runtime'
import type { PendingCall } from '../protocol/pending-call.js'
import type { AgentTaskInfo, DecideCall, RunRecord, StartRun } from '../protocol/protocol.js'
import type { SentRequest } from '../protocol/sent-request.js'

/** What a person decided, or answered. */
export type Decision = Approval & Pick<DecideCall, 'content' | 'outcome' | 'result'>

/** What a run reports while it happens, and how it asks a person. */
export interface RunPort {
  /** Aborts when the user stops the run. */
  readonly signal: AbortSignal
  /** Reports an event of the inference loop. */
  run(event: RunEvent): void
  /** Reports an event of a remote agent. */
  agent(event: ClientEvent): void
  /** Reports which task of a remote agent the run is. */
  task(task: AgentTaskInfo): void
  /** Reports what a program sent to a model, in the model call that began last. */
  request(request: SentRequest): void
  /** Adds a note for people. */
  note(text: string): void
  /** Resolves when a person has decided; rejects when the signal aborts. */
  ask(call: PendingCall, signal: AbortSignal): Promise<Decision>
}

/** How a run ended. */
export type RunEnd = Pick<
  RunRecord,
  | 'status'
  | 'transcript'
  | 'usage'
  | 'cost'
  | 'costBound'
  | 'currency'
  | 'error'
  | 'canContinue'
  | 'logprobs'
>

/** Runs one request to its end. Its rejection becomes the error of a failed run. */
export type ExecuteRun = (request: StartRun, port: RunPort) => Promise<RunEnd>
