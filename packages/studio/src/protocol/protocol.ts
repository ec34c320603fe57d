import type { ClientEvent, UncertainOutcome } from '@modelport/agent'
import type {
  CallOptions,
  ChatMessage,
  CostBound,
  JsonObject,
  TokenLogprob,
  TokenUsage,
} from '@modelport/core'
import type { ActionMode, RunBudget, RunEvent } from '@modelport/runtime'
import type { PendingCall } from './pending-call.js'
import type { SentRequest } from './sent-request.js'
import type { TraceSpan } from './trace-span.js'

export type { AgentCardInfo, AllowListInfo, DoctorStepInfo, HostInfo } from './checks.js'

/** A model, or an agent behind an address, that the page can talk to. */
export interface ModelInfo {
  /** Name in the configuration, `provider:model`, or the address of an agent. */
  readonly id: string
  /** Name of the provider; `agent` for an agent. */
  readonly provider: string
  /** Name that the provider knows the model by; empty for an agent. */
  readonly model: string
  /** Every `host:port` that this model contacts; empty when it runs in this process. */
  readonly hosts: readonly string[]
  /** A note for users, for example that its replies are scripted. */
  readonly note?: string
  /** Tools on this machine that only this model may call. */
  readonly tools?: readonly ToolInfo[]
}

/** A tool that the models may call. */
export interface ToolInfo {
  /** Name that the model calls it by. */
  readonly name: string
  /** What it is good for; the model reads this. */
  readonly description: string
}

/** A tool of a server, with what the page needs to call it by hand. */
export interface SourceToolInfo extends ToolInfo {
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

/** An MCP server, or another source of tools. */
export interface SourceInfo {
  /** Name of the source, unique in this studio. */
  readonly name: string
  /** Every `host:port` that it contacts; empty for a process on this machine. */
  readonly hosts: readonly string[]
}

/** Body of `POST /api/sources/call`: one call that a person makes. */
export interface CallSource {
  /** {@link SourceInfo.name} */
  readonly source: string
  /** {@link ToolInfo.name} */
  readonly tool: string
  /** Checked against the tool's schema before anything runs. */
  readonly args: JsonObject
}

/** How a call that a person made ended. */
export interface CalledSource {
  /** True when the tool returned a result. */
  readonly ok: boolean
  /** The result; unset when the call failed. */
  readonly result?: unknown
  /** Why the call failed. */
  readonly message?: string
  /** Milliseconds that the call took. */
  readonly latencyMs: number
}

/** What the page loads when it opens. */
export interface StudioInfo {
  /** The models in the order of the list, then the agents. */
  readonly models: readonly ModelInfo[]
  /** Tools that run on this machine. Those of servers are listed by their server. */
  readonly tools: readonly ToolInfo[]
  /** MCP servers and other sources of tools. */
  readonly sources: readonly SourceInfo[]
  /** Names of the allow-list formats. */
  readonly formats: readonly string[]
  /** True when `POST /api/doctor` works. */
  readonly doctor: boolean
  /** True when `GET /api/stored` works. */
  readonly durableStore: boolean
  /** Where runs are kept; unset when they are kept in memory only. */
  readonly file?: string
}

/** Status of a run. `waiting`: a person must decide on a tool call. */
export type RunStatus =
  | 'running'
  | 'waiting'
  | 'final'
  | 'limit'
  | 'budget'
  | 'suspended'
  | 'cancelled'
  | 'failed'

/** The run that a run was forked from, and how many messages of its transcript were kept. */
export interface RunOrigin {
  /** {@link RunSummary.id} of that run. */
  readonly runId: string
  /** How many messages of its transcript were kept. */
  readonly messages: number
}

/** What a run may spend. */
export type BudgetInfo = Pick<RunBudget, 'maxOutputTokens' | 'maxCost'>

/** The task of a remote agent that a run was. */
export interface AgentTaskInfo {
  /** Id of the task at the agent. */
  readonly taskId: string
  /** Id of the conversation at the agent. */
  readonly sessionId: string
  /** True when the agent waits for another message in the same task. */
  readonly isWaiting: boolean
}

/** The sums of a run and of all runs that happened in it. Each call of a model counts once. */
export interface RunTree {
  /** Number of runs, itself included. */
  readonly runs: number
  /** Tokens of prompts. */
  readonly inputTokens: number
  /** Generated tokens. */
  readonly outputTokens: number
  /** Part of `inputTokens` that caches had. */
  readonly cachedTokens: number
  /** Cost by currency. */
  readonly costs: Readonly<Record<string, number>>
  /** How they relate to what vendors charge. Unset: every price is known. */
  readonly costBound?: CostBound
}

/** A run in a list. */
export interface RunSummary {
  /** Unique in this studio. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** {@link ModelInfo.id} */
  readonly model: string
  /** Start of the last user message. */
  readonly title: string
  /** Status of the run. */
  readonly status: RunStatus
  /** Unset: the run begins a conversation. */
  readonly from?: RunOrigin
  /** Name of the attached program that this happened in. Unset: the studio ran it. */
  readonly program?: string
  /** {@link RunSummary.id} of the run that this one happened in, in the same program. */
  readonly parent?: string
  /** Set for a run of a remote agent, once the agent has named its task. */
  readonly task?: AgentTaskInfo
  /**
   * Milliseconds from the start to the end, without the time in which the run waited for a person.
   */
  readonly latencyMs?: number
  /**
   * Milliseconds to the first text or reasoning, without the time in which the run waited for a
   * person.
   */
  readonly firstTokenMs?: number
  /** Milliseconds in which the run waited for a person. Unset: none. */
  readonly waitedMs?: number
  /**
   * Tokens of the calls that the run made itself, without those of the runs in it. Unset: none yet,
   * or its agent does not report them.
   */
  readonly usage?: TokenUsage
  /** What these calls cost, in the currency of the prices. Unset: no prices are known. */
  readonly cost?: number
  /** How `cost` relates to what vendors charge. Unset: every price is known. */
  readonly costBound?: CostBound
  /** The sums with all runs in it. Unset: there is none in it. */
  readonly tree?: RunTree
  /** Currency of the model's prices. Unset: `USD`. */
  readonly currency?: string
  /** What the run was allowed to spend. Unset: as much as it wanted. */
  readonly budget?: BudgetInfo
  /** Why the run failed, or which limit ended it. */
  readonly error?: { readonly code: string; readonly message: string }
  /** Why the run could not be written: it is in memory only, until the studio ends. */
  readonly notKept?: string
  /** True when the run is in memory only. */
  readonly offTheRecord?: boolean
  /** True when the studio ended during the run and `POST /api/runs/{id}/continue` resumes it. */
  readonly canContinue?: boolean
  /** True while another studio that uses the same file runs this run. */
  readonly elsewhere?: boolean
  /** Position in the list of runs: the key of a later run is larger. Set in lists. */
  readonly key?: number
  /** Id of the first run of those that continue or were forked from each other. Set in lists. */
  readonly session?: string
  /** Number of runs in the session. Set in lists of sessions. */
  readonly runs?: number
  /** The text around the first word that was searched for. */
  readonly found?: string
}

/** A whole run. */
export interface RunRecord extends RunSummary {
  /** The messages that the run started from. */
  readonly messages: readonly ChatMessage[]
  /** The messages after the run, ready to be continued. Unset while it runs. */
  readonly transcript?: readonly ChatMessage[]
  /** The log probability of each token of its replies. Unset: the model did not report them. */
  readonly logprobs?: readonly TokenLogprob[]
  /** What the run was started with. Unset: it was kept by an older version. */
  readonly settings?: RunSettings
}

/** What happened in a run, numbered from 1 without gaps. */
export type StudioEvent = {
  /** Number of the event in its run. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
} & (
  | { readonly type: 'run'; readonly event: RunEvent }
  | { readonly type: 'agent'; readonly event: ClientEvent }
  | ({ readonly type: 'wait' } & PendingCall)
  | {
      readonly type: 'decision'
      readonly callId: string
      /** True if the call runs now. */
      readonly approved: boolean
      /** What became of an uncertain call. */
      readonly outcome?: UncertainOutcome
      readonly reason?: string
    }
  | { readonly type: 'end'; readonly run: RunRecord }
  /** Something that a person should know, such as missing events. */
  | { readonly type: 'note'; readonly text: string }
  /** What a program sent to a model, in the model call that began last. */
  | { readonly type: 'request'; readonly request: SentRequest }
  /**
   * A span of a trace, as the store keeps it: the page gets the events that all spans of the trace
   * are.
   */
  | { readonly type: 'span'; readonly span: TraceSpan }
  /** A run that was cut off continues from what it had recorded. */
  | { readonly type: 'continued' }
)

/** Body of `POST /api/runs`. */
export interface StartRun {
  /** {@link ModelInfo.id} */
  readonly model: string
  /**
   * The conversation. A remote agent gets only the last message: it keeps the conversation itself.
   */
  readonly messages: readonly ChatMessage[]
  /** The run that this one continues or was forked from. */
  readonly from?: RunOrigin
  /**
   * Names of the tools on this machine that the model may call. Default: all, with those of every
   * source.
   */
  readonly tools?: readonly string[]
  /** Names of tools, and of sources, that the model may not call. Default: none. */
  readonly without?: readonly string[]
  /** How the model calls tools. Default: natively where it is known to be able to. */
  readonly mode?: ActionMode | 'auto'
  /**
   * `ask`: a person decides on each tool call. `allow`: none, except that in a run which repeats a
   * part of its origin, a person decides on each call of a tool that is neither read-only nor
   * idempotent. Default `ask`.
   */
  readonly approvals?: 'ask' | 'allow'
  /** Sent with every model call; a remote agent has options of its own. */
  readonly options?: Omit<CallOptions, 'tools' | 'signal' | 'retry'>
  /** Ends the run before it spends more; a remote agent has a budget of its own. */
  readonly budget?: BudgetInfo
  /** Keeps the run in memory only. */
  readonly offTheRecord?: boolean
}

/** The settings of a run, without its messages. */
export type RunSettings = Omit<StartRun, 'messages'>

/** Body of `POST /api/runs/{id}/decisions`. */
export interface DecideCall {
  /** Id of the call that waits. */
  readonly callId: string
  /** True lets the call run, false denies it. Left out for an uncertain call. */
  readonly approved?: boolean
  /** What became of an uncertain call: it is neither allowed nor denied. */
  readonly outcome?: UncertainOutcome
  /** What the call returned, for the model, if it happened. */
  readonly result?: string
  /** What the model reads with the decision. */
  readonly reason?: string
  /**
   * The digest of the question, if the call asks the user: `approved` accepts the question, or
   * declines it.
   */
  readonly digest?: string
  /** Content of an accepted question: what its schema asks for. */
  readonly content?: JsonObject
}

/** One request and its response, with secrets taken out. */
export interface Exchange {
  /** HTTP method. */
  readonly method: string
  /** Address of the request. */
  readonly url: string
  /** Headers by lower-case name. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Body as text; empty when there is none. */
  readonly requestBody: string
  /** HTTP status. Unset when no response came. */
  readonly status?: number
  /** Headers by lower-case name. Unset when no response came. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Body as text, at most 1,000,000 characters. Unset when no response came. */
  readonly responseBody?: string
  /** True when the body was not read to its end. */
  readonly cut?: boolean
  /** Why no response came. */
  readonly error?: string
}

/** One block of a prompt. */
export interface ContextBlockInfo {
  /** Kind of the block, with its name if it has one. */
  readonly name: string
  /** Tokens, estimated. */
  readonly tokens: number
  /** True for the first block that differs from the call before. */
  readonly changed: boolean
}

/** The prompt of one model call, as blocks. */
export interface ContextInfo {
  /** Step of the run; the first is 1. */
  readonly step: number
  /** Tokens of the whole prompt, estimated. */
  readonly tokens: number
  /** Tokens of the context window; unset when the profile does not say. */
  readonly window?: number
  /** The blocks in the order of the prompt. */
  readonly blocks: readonly ContextBlockInfo[]
  /** Tokens of the whole prompt as the vendor counted them. Unset: it has not, or not yet. */
  readonly countedTokens?: number
  /** Prompt tokens that the vendor read from its cache, once the call has ended. */
  readonly cachedTokens?: number
}

/** Body of every refused request. */
export interface ProblemInfo {
  /** A code for programs, a message for people. */
  readonly error: { readonly code: string; readonly message: string }
}
