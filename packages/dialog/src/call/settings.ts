import type { CallOptions, Capabilities, ChatMessage, Provider } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import type {
  ActionMode,
  AgentTarget,
  Authorize,
  AutoCompaction,
  BudgetLedger,
  Engine,
  ResumeDecision,
  RunBudget,
  RunCheckpoint,
  RunEvent,
  RunJournal,
  RunScope,
} from '@modelport/runtime'
import type { ModelCard } from '../card/model-card.js'
import type { AnyPrompt } from '../prompt/prompt.js'
import type { JournaledRun } from './journaled-run.js'
import type { CallLimits } from './limits.js'
import type { CallReport } from './reports.js'
import type { CallTrace } from './trace.js'

/** The settings of an agent. */
export interface CallerSettings {
  /** Name of the agent, in traces, errors and reports. */
  readonly name: string
  /** The model behind the agent. */
  readonly provider: Provider
  /** The instructions that `open` starts a dialog with. Default: none. */
  readonly system?: AnyPrompt | string | undefined
  /** When a call gives up. */
  readonly limits?: Partial<CallLimits> | undefined
  /** Options of every model call, under those of the prompt. */
  readonly options?: CallOptions | undefined
  /** Budget of each call; a ledger is shared by all calls. Default: no limit. */
  readonly budget?: RunBudget | BudgetLedger | undefined
  /**
   * The profile of the model, which is checked before each call. Default: what the provider says
   * about itself.
   */
  readonly card?: ModelCard | undefined
  /** What the provider can do. Default: what the provider says about itself. */
  readonly capabilities?: Capabilities | undefined
  /** How the model asks for tools: see `InferRequest.mode`. Default `auto`. */
  readonly mode?: ActionMode | 'auto' | undefined
  /** Decides on each tool call. Default: all are allowed. */
  readonly authorize?: Authorize | undefined
  /** Version of the rules behind `authorize`, for calls that are stored and resumed. */
  readonly policyVersion?: string | undefined
  /** Agents that the model may delegate to. Default: none. */
  readonly agents?: readonly AgentTarget[] | undefined
  /** When and how a conversation that is too long is made shorter. Default: never. */
  readonly compaction?: AutoCompaction | undefined
  /**
   * `response` shows the results of each tool round in a user message too, unless the prompt says
   * otherwise. It does not change the provider: choose its API where you make it. Default
   * `completion`.
   */
  readonly apiType?: 'completion' | 'response' | undefined
  /** Called with a report of each failure. An error that it throws is ignored. */
  readonly reports?: ((report: CallReport) => void | Promise<void>) | undefined
  /**
   * Milliseconds before a recall; the first attempt is 1. Default: what the server asks for, at
   * least a random half to all of 1 second, doubled with each attempt up to 30 seconds.
   */
  readonly recallDelayMs?: ((attempt: number) => number) | undefined
}

/** Names of {@link CallerSettings}. */
export const callerSettingNames: readonly string[] = namesOf<CallerSettings>({
  name: true,
  provider: true,
  system: true,
  limits: true,
  options: true,
  budget: true,
  card: true,
  capabilities: true,
  mode: true,
  authorize: true,
  policyVersion: true,
  agents: true,
  compaction: true,
  apiType: true,
  reports: true,
  recallDelayMs: true,
})

/** A call on an engine for durable execution, such as DBOS or Restate. */
export interface DurableCall {
  /** The id of this call, and of no other one: the same whenever the engine calls again. */
  readonly runId: string
  /** Performs and remembers every effect of the call, and waits for decisions. */
  readonly engine: Engine
}

/** The settings of one call besides its dialog. */
export interface AgentCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** Maximum milliseconds for the whole call, waits included. Default: none. */
  readonly deadlineMs?: number | undefined
  /** Over that of the agent. */
  readonly budget?: RunBudget | BudgetLedger | undefined
  /** Over those of the agent. */
  readonly limits?: Partial<CallLimits> | undefined
  /** Over those of the agent and the prompt. */
  readonly options?: CallOptions | undefined
  /** Handed to the parser as `context.args`. */
  readonly parserArgs?: unknown
  /** Kept in the trace as it is, for the application. */
  readonly extra?: unknown
  /**
   * Records the call, so that another process can continue it: a journal of its own, or a run of a
   * durable store, which also sets `resume`, `messages`, `decisions`, the signal and the id of the
   * call. Several calls can have the same run, one after the other.
   */
  readonly journal?: RunJournal | JournaledRun | undefined
  /**
   * Runs the call on an engine, instead of a journal: the engine remembers where the call is, and
   * waits for decisions. Only `call` takes it; what the engine throws reaches its caller as it is.
   */
  readonly durable?: DurableCall | undefined
  /**
   * Continues a call from where this checkpoint was taken; the dialog must hold the messages stored
   * with it, unless `messages` does.
   */
  readonly resume?: RunCheckpoint | undefined
  /** The messages stored with `resume`, as a journal has them. Default: those of the dialog. */
  readonly messages?: readonly ChatMessage[] | undefined
  /** What was decided about the pending items of `resume`. */
  readonly decisions?: readonly ResumeDecision[] | undefined
  /** Where the call belongs; passed on to every tool. */
  readonly scope?: RunScope | undefined
  /** Called with the trace when the call has ended. An error that it throws is ignored. */
  readonly onTrace?: ((trace: CallTrace) => void) | undefined
  /** Called for every event of the run behind the call. */
  readonly onRunEvent?: ((event: RunEvent) => void) | undefined
}
