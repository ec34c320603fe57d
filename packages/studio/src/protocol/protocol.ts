import type { CallOptions, ChatMessage, TokenUsage } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'

/** A model that the page can talk to. */
export interface ModelInfo {
  /** Name in the configuration, or `provider:model`. */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Every `host:port` that this model contacts; empty when it runs in this process. */
  readonly hosts: readonly string[]
  /** What to know before using it, for example that its replies are scripted. */
  readonly note?: string
}

/** A tool that runs on this machine. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
}

/** What the page asks for once, at its start. */
export interface StudioInfo {
  readonly models: readonly ModelInfo[]
  readonly tools: readonly ToolInfo[]
  /** Names of the allow-list formats. */
  readonly formats: readonly string[]
  /** True when `POST /api/doctor` works. */
  readonly doctor: boolean
  /** Where runs are kept; unset when they are kept in memory only. */
  readonly file?: string
}

/** How a run stands. `waiting`: a person must decide on a tool call. */
export type RunStatus = 'running' | 'waiting' | 'final' | 'limit' | 'budget' | 'suspended' | 'cancelled' | 'failed'

/** The run that a run was forked from, and how many messages of its transcript were kept. */
export interface RunOrigin {
  readonly runId: string
  readonly messages: number
}

/** A run in a list. */
export interface RunSummary {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** {@link ModelInfo.id} */
  readonly model: string
  /** Start of the last user message. */
  readonly title: string
  readonly status: RunStatus
  readonly from?: RunOrigin
  /** Milliseconds from the start to the end. */
  readonly latencyMs?: number
  /** Milliseconds to the first text or reasoning. */
  readonly firstTokenMs?: number
  readonly usage?: TokenUsage
  /** In the currency of the profile's prices. Unset: no prices are known. */
  readonly cost?: number
  readonly error?: { readonly code: string; readonly message: string }
  /** True when the run is in memory only. */
  readonly offTheRecord?: boolean
}

/** A whole run. */
export interface RunRecord extends RunSummary {
  /** The messages that the run started from. */
  readonly messages: readonly ChatMessage[]
  /** The messages after the run, ready to be continued. Unset while it runs. */
  readonly transcript?: readonly ChatMessage[]
}

/** What happened in a run, numbered from 1 without gaps. */
export type StudioEvent = {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
} & (
  | { readonly type: 'run'; readonly event: RunEvent }
  | { readonly type: 'approval'; readonly callId: string; readonly tool: string; readonly args: unknown }
  | { readonly type: 'decision'; readonly callId: string; readonly approved: boolean; readonly reason?: string }
  | { readonly type: 'end'; readonly run: RunRecord }
)

/** Body of `POST /api/runs`. */
export interface StartRun {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly from?: RunOrigin
  /** Names of the tools that the model may call. Default: all. */
  readonly tools?: readonly string[]
  /** `ask`: a person decides on each tool call. Default `ask`. */
  readonly approvals?: 'ask' | 'allow'
  readonly options?: Pick<CallOptions, 'maxTokens' | 'temperature' | 'system' | 'reasoning'>
  /** Keeps the run in memory only. */
  readonly offTheRecord?: boolean
}

/** Body of `POST /api/runs/{id}/decisions`. */
export interface DecideCall {
  readonly callId: string
  readonly approved: boolean
  readonly reason?: string
}

/** One request and its response, with secrets taken out. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  /** Unset when no response came. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  /** True when the body was not read to its end. */
  readonly cut?: boolean
  readonly error?: string
}

/** One block of a prompt. */
export interface ContextBlockInfo {
  readonly name: string
  readonly tokens: number
  /** True for the first block that differs from the call before. */
  readonly changed: boolean
}

/** The prompt of one model call, as blocks. */
export interface ContextInfo {
  readonly step: number
  readonly tokens: number
  /** Tokens of the context window; unset when the profile does not say. */
  readonly window?: number
  readonly blocks: readonly ContextBlockInfo[]
  /** Prompt tokens that the vendor read from its cache, once the call has ended. */
  readonly cachedTokens?: number
}

/** A host in the list of hosts. */
export interface HostInfo {
  /** `host:port` */
  readonly host: string
  readonly usedBy: string
  readonly purpose: string
}

/** An allow-list in the format of a sandbox. */
export interface AllowListInfo {
  readonly text: string
  readonly notes: readonly string[]
}

/** One step of the connection test. */
export interface DoctorStepInfo {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  readonly fix?: string
}

/** Body of every refused request. */
export interface ProblemInfo {
  readonly error: { readonly code: string; readonly message: string }
}
