import type {
  CallOptions,
  Capabilities,
  ChatMessage,
  Content,
  JsonObject,
  ModelProfile,
  Provider,
  StreamEvent,
} from '@modelport/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { BudgetLedger, RunBudget } from '../../budget/budget.js'
import type { RunEvent } from '../../events/run-event.js'
import type { RunEventSink } from '../../events/run-event-emitter.js'
import type { CompactionRequest } from '../../history/compaction/request.js'
import type { ConversationHistory } from '../../history/history.js'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { Engine } from '../../journal/engine.js'
import type { RunJournal } from '../../journal/journal.js'
import type { PendingItem, ResumeDecision } from '../../journal/pending-item.js'
import type { Authorize } from '../../policy/authorize.js'
import type { ActionMode } from '../../reply/action-mode.js'
import type { AgentTarget } from '../../tools/agent-target.js'
import type { ToolSet } from '../../tools/foreign-tool.js'
import type { ApplicationContext, RunScope } from '../../tools/run-context.js'
import type { Tool } from '../../tools/tool.js'
import type { ToolSource } from '../../tools/tool-source.js'
import type { Handoff } from './handoff.js'
import type { AfterTools, OutputParser } from './output-parser.js'
import type { GivenLimits } from './run-limits.js'
import type { RunPreset } from './run-preset.js'
import type { PrepareStep, StepView, StopWhen } from './step-view.js'

/**
 * When a run compacts its own conversation, and how. Each compaction is reported as
 * `context-compacted`.
 */
export interface AutoCompaction extends Partial<CompactionRequest> {
  /**
   * Share of the profile's context window, 0 to 1, from which on the conversation is compacted
   * before the next call. Unset: only when the server says that it is too long.
   */
  readonly threshold?: number | undefined
  /**
   * What to do if the server refuses a call because the conversation is too long
   * (`context-length`): it is compacted, and the call is made once more and charged to the budget.
   * An object has settings of its own for that; `false` ends the run as `failed`. Default true:
   * with the settings next to it.
   */
  readonly onContextLength?: boolean | CompactionRequest | undefined
}

/** The bounds of a run: its own limits, over those of the preset, and those of the model. */
export interface RunBounds extends GivenLimits {
  /** What the run may spend at most; a ledger is shared with other runs. */
  readonly budget?: RunBudget | BudgetLedger | undefined
  /**
   * When and how the conversation is made shorter. Default: never, and a conversation that is too
   * long ends the run as `failed`.
   */
  readonly compaction?: AutoCompaction | undefined
  /**
   * What the application knows of the model: window, prices, abilities. Its fields win over those
   * of the provider's own profile.
   */
  readonly profile?: ModelProfile | undefined
  /** What the provider can do, for the mode `auto`. Default: what the provider says of itself. */
  readonly capabilities?: Capabilities | undefined
  /**
   * Limits and texts of your own, or of another system: see `@modelport/compat`. Default: those of
   * this package.
   */
  readonly preset?: RunPreset | undefined
}

/** The observers of a run, and the events that they get. */
export interface RunObservers {
  /**
   * Called for every event, in order. If it throws it is not called again, and the run continues.
   */
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /**
   * Called for every event of a reply as the provider gives it, before the events of the run that
   * are made of it. Each step is a stream of its own, so each may end with a `done`. Not called for
   * replies read from a journal. If it throws it is not called again, and the run continues.
   */
  readonly onStreamEvent?: ((event: StreamEvent) => void) | undefined
  /**
   * False emits no `text-delta` and no `reasoning-delta`, which saves the work for each token if no
   * listener needs them. Default true.
   */
  readonly deltas?: boolean | undefined
  /** Stores every event; the run waits for it. */
  readonly sink?: RunEventSink | undefined
  /** Name of the agent that runs, for the context manifest. */
  readonly agentName?: string | undefined
}

/**
 * The settings that another process needs to continue a run, and the place of the run among others.
 */
export interface RunDurability {
  /** Default: made here. */
  readonly runId?: string | undefined
  /** Where the run belongs; passed on to every tool and agent as `context.run`. */
  readonly scope?: RunScope | undefined
  /**
   * Records what the run does, so that it can be resumed. Default: nowhere, and then nothing costs
   * anything.
   */
  readonly journal?: RunJournal | undefined
  /**
   * Performs and remembers every effect of the run, instead of a journal: an engine for durable
   * execution that calls the program again after a crash. Needs a `runId`, the same at each call.
   * Only of `infer`; calls of one step are made one after the other.
   */
  readonly engine?: Engine | undefined
  /**
   * Continues a run from where this checkpoint was taken. `messages` (or `history`) is the
   * transcript stored with it; the rest of the request must be what it was, or `infer` rejects with
   * a `ResumeError` that names the difference. A `query`, or a user message after the stored
   * transcript, closes what is still pending.
   */
  readonly resume?: RunCheckpoint | undefined
  /** What was decided about the pending items of `resume`; some or all of them. */
  readonly decisions?: readonly ResumeDecision[] | undefined
  /**
   * Called if tools, prompts, model, limits or policy are not those that `resume` was stored with;
   * true continues under the new ones. Default: refused.
   *
   * @param differences each one in words
   * @param touched the pending items whose tool, agent or policy changed
   */
  readonly acceptChange?:
    | ((differences: readonly string[], touched: readonly PendingItem[]) => boolean)
    | undefined
  /**
   * True makes a model call again whose recorded outcome is a failure. Default false: that failure
   * is the outcome of the resumed run.
   */
  readonly repeatFailed?: boolean | undefined
  /**
   * Version of the rules behind `authorize`, part of the fingerprint: change it with the rules, and
   * stored runs do not resume under other rules.
   */
  readonly policyVersion?: string | undefined
}

/** A call that a run makes without asking the model for it. */
export interface GivenCall {
  /** Name of the tool. */
  readonly name: string
  /** Its arguments; the tool checks them. */
  readonly arguments: JsonObject
}

/**
 * The request of a run. The groups `limits`, `observe` and `durable` bound, observe and store it.
 */
export interface InferRequest<Output = unknown, Schema extends JsonObject = JsonObject> {
  /** What the user asks. May be left out when `messages` or `history` end with it. */
  readonly query?: string | Content | undefined
  /** The conversation so far. */
  readonly messages?: readonly ChatMessage[] | undefined
  /**
   * A kept conversation: read at the start, everything the run adds is added to it at the end; what
   * others add meanwhile stays. Instead of `messages`.
   */
  readonly history?: ConversationHistory | undefined
  /** The application's own instructions; a function gives those of each step. */
  readonly system?: string | ((view: StepView) => string | Promise<string>) | undefined
  /**
   * The tools that may be called: a list, or a set by name, whose tools may come from another
   * library, such as the AI SDK and its MCP clients, or have a Standard Schema. A function is asked
   * again before each step, so that tools can come and go.
   */
  readonly tools?:
    | readonly Tool[]
    | ToolSet
    | ((step: number) => readonly Tool[] | Promise<readonly Tool[]>)
    | undefined
  /** More tools, for example of MCP servers; asked before each step, never closed here. */
  readonly sources?: readonly ToolSource[] | undefined
  /** Agents the model may delegate to. Default: none. */
  readonly agents?: readonly AgentTarget[] | undefined
  /**
   * How the model says what it wants. Default `auto`: native, unless the provider or `limits` say
   * that the model has no tools.
   */
  readonly mode?: ActionMode | 'auto' | undefined
  /** Asked before each tool or agent call. Default: everything is allowed. */
  readonly authorize?: Authorize | undefined
  /**
   * Calls that the run begins with, one a step, in this order, as if the model had asked for them:
   * checked, authorized, recorded and, if nobody knows what came of one, handled as
   * `EffectDeclaration` says. The model is asked next; with `stopWhen: stepCountIs(calls.length)`
   * it is not asked at all, and then nothing else needs to be. They count as steps neither for
   * `maxSteps` nor for the budget. A resume is given the same calls. Default: none.
   */
  readonly calls?: readonly GivenCall[] | undefined
  /** Called at the end of each step that had calls. */
  readonly afterTools?: AfterTools | undefined
  /**
   * What the final reply must be: any Standard Schema that can be written as JSON Schema, or a JSON
   * Schema. Its type is that of the result's `output`.
   */
  readonly outputSchema?: StandardSchemaV1<unknown, Output> | Schema | undefined
  /** Makes a value of the final reply, instead of `outputSchema`. */
  readonly output?: OutputParser<Output> | undefined
  /** Options of every model call. */
  readonly options?: CallOptions | undefined
  /**
   * Says before each step what holds for it: the model, options, tools, instructions. Default: the
   * same in every step.
   */
  readonly prepareStep?: PrepareStep | undefined
  /**
   * Ends the run after a step that had calls, as a success: one of these, or several of which one
   * is enough. Not with `outputSchema` or `output`.
   */
  readonly stopWhen?: StopWhen | readonly StopWhen[] | undefined
  /** The other models that `prepareStep` may name. The budget follows the model of each step. */
  readonly models?: Readonly<Record<string, Provider>> | undefined
  /**
   * The agents to whom the model can hand the conversation, by name. The model gets the tool
   * `hand_off`; the agent that it names answers from the next step on, and can hand it back.
   */
  readonly handoffs?: Readonly<Record<string, Handoff>> | undefined
  /**
   * The agent that begins: a name in `handoffs`. Default: the one that the last `hand_off` in the
   * messages names, else the request's own settings.
   */
  readonly agent?: string | undefined
  /**
   * The application's own: `prepareStep`, `stopWhen`, a `system` function, `authorize` and every
   * tool get it as it is. It is not stored: a resume is given it again.
   */
  readonly context?: ApplicationContext
  /** Cancels the run; the result is then `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** What bounds the run. */
  readonly limits?: RunBounds | undefined
  /** Who watches the run. */
  readonly observe?: RunObservers | undefined
  /** Where the run is stored, and what it continues. */
  readonly durable?: RunDurability | undefined
}
