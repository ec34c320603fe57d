import type { CallOptions, Capabilities, ChatMessage, Content, JsonObject, ModelProfile } from '@modelport/core'
import type { z } from 'zod'
import type { ActionMode } from '../reply/action-mode.js'
import type { AgentTarget } from './agent-target.js'
import type { Authorize } from './authorize.js'
import type { BudgetLedger, RunBudget } from '../budget/budget.js'
import type { CompactionRequest } from '../history/compaction/request.js'
import type { ConversationHistory } from '../history/history.js'
import type { RunEvent } from '../events/run-event.js'
import type { RunLimits } from './run-limits.js'
import type { PresetName, RunPreset } from '../presets/run-preset.js'
import type { ToolSource } from '../tools/tool-source.js'
import type { Tool } from '../tools/tool.js'

/** When a run compacts its own conversation, and how. Each compaction is told as `context_compacted`. */
export interface AutoCompaction extends Partial<CompactionRequest> {
  /**
   * Share of the profile's context window, 0 to 1, from which on the conversation is compacted before the next call. Unset: only when
   * the server says that it is too long.
   */
  readonly threshold?: number
  /**
   * What follows when the server refuses a call because the conversation is too long (`context-length`): it is compacted, and the call
   * made once more, out of the budget. An object has settings of its own for that; `false` ends the run as `failed`. Default true: with
   * the settings beside it.
   */
  readonly onContextLength?: boolean | CompactionRequest
}

/** What a run is asked to do. */
export interface InferRequest {
  /** What the user asks. May be left out when `messages` or `history` end with it. */
  readonly query?: string | Content
  /** The conversation so far. */
  readonly messages?: readonly ChatMessage[]
  /** A kept conversation: read at the start, everything the run adds is added to it at the end; what others add meanwhile stays. Instead of `messages`. */
  readonly history?: ConversationHistory
  /** The application's own instructions. */
  readonly system?: string
  /** What may be called; a function is asked again before each step, so that tools can come and go. */
  readonly tools?: readonly Tool[] | ((step: number) => readonly Tool[] | Promise<readonly Tool[]>)
  /** More tools, for example of MCP servers; asked before each step, never closed here. */
  readonly sources?: readonly ToolSource[]
  /** Agents the model may delegate to. Default: none. */
  readonly agents?: readonly AgentTarget[]
  /** Default `auto`. */
  readonly mode?: ActionMode | 'auto'
  /** What the provider can do, for `auto`: the `capabilities` of its package. Unset: native, unless the profile says otherwise. */
  readonly capabilities?: Capabilities
  /** Limits and texts of another system, or of your own. Default: those of this one. */
  readonly preset?: RunPreset | PresetName
  /** Over those of the preset. */
  readonly limits?: Partial<RunLimits>
  /** Most the run may spend; a ledger is shared with other runs. */
  readonly budget?: RunBudget | BudgetLedger
  /** What the application knows of the model: window, prices, abilities. */
  readonly profile?: ModelProfile
  /** Asked before each tool or agent call. Default: everything is allowed. */
  readonly authorize?: Authorize
  /** Told everything, in order. If it throws it is not asked again, and the run goes on. */
  onEvent?(event: RunEvent): void
  /** When and how the conversation is made shorter. Default: never, and a conversation that is too long ends the run as `failed`. */
  readonly compaction?: AutoCompaction
  /** What the answer must be: a zod schema or a JSON Schema. */
  readonly outputSchema?: z.ZodType | JsonObject
  /** Of every model call. */
  readonly options?: CallOptions
  /** Cancels the run; the result is then `cancelled`. */
  readonly signal?: AbortSignal
  /** Default: made here. */
  readonly runId?: string
  /** Name of the agent that runs, for the context manifest. */
  readonly agentName?: string
}
