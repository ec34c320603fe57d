import type { CostBound, JsonObject, TokenUsage } from '@modelport/core'
import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import type { JournalEntry } from './journal-entry.js'
import type { PendingItem } from './pending-item.js'
import type { StepChoice } from './step-choice.js'

/** The version of {@link RunCheckpoint} that this package writes and reads. */
export const checkpointVersion: RunCheckpoint['version'] = 1

/**
 * What a run was made of: the part of a request that must not change while the run is stored.
 * Values are short texts or SHA-256.
 */
export interface RunFingerprint {
  /** Provider and model, as `provider/model`. */
  readonly model: string
  /**
   * How actions are asked for. A resumed run keeps it: it is the only field that is not compared.
   */
  readonly mode: string
  /**
   * Hash of each tool by name. Tools of a function or a source may come and go, and are not in it.
   */
  readonly tools: Readonly<Record<string, string>>
  /** Hash of each agent by name. */
  readonly agents: Readonly<Record<string, string>>
  /** Hashes of the instructions, the preset, the output schema and the options of model calls. */
  readonly prompts: Readonly<Record<'system' | 'preset' | 'output' | 'options', string>>
  /** The limits by name, as JSON texts. */
  readonly limits: Readonly<Record<string, string>>
  /** `InferRequest.policyVersion`; `none` without `authorize`. */
  readonly policy: string
}

/**
 * How many messages a checkpoint stands on, and their hash; the messages themselves are stored
 * once, next to it.
 */
export interface TranscriptReference {
  /** Number of messages. */
  readonly length: number
  /** SHA-256 over them, in hexadecimal. */
  readonly digest: string
}

/**
 * Counters of the guards, so that a run without progress ends in the same step as without an
 * interruption.
 */
export interface GuardState {
  /** Hashes of the last successful actions. */
  readonly recentActions: readonly string[]
  /** Hashes of results that are known. */
  readonly knownResults: readonly string[]
  /** Steps in a row that only repeated. */
  readonly repeats: number
  /** Replies in a row that were not an action. */
  readonly parseFailures: number
  /** Steps in a row that brought nothing new. */
  readonly idleSteps: number
  /**
   * How often the run was asked for each call that may have an effect, by a hash of its tool and
   * its arguments. Calls of `readOnly` tools are not counted. Unset: there was none.
   */
  readonly asked?: Readonly<Record<string, number>>
  /**
   * The calls whose outcome is unknown, by the same hash: the number of each among those like it,
   * from 0. Unset: there is none.
   */
  readonly uncertain?: Readonly<Record<string, number>>
}

/**
 * Where a run can continue, as plain JSON. Written between two steps, after a compaction, and when
 * the run suspends. Its size does not grow with the number of steps, but for
 * some 20 bytes for each different call that may have an effect. Do not build or change one: a
 * resume reads everything in it, and only `version`, `runId`, `step` and `pending` are for other
 * code.
 */
export interface RunCheckpoint {
  /** Version of the format; another version is refused. */
  readonly version: 1
  /** The run. */
  readonly runId: string
  /** Steps begun. */
  readonly step: number
  /**
   * `step`: the next step begins. `model`: the step has begun, its model call is next or recorded
   * in `entries`.
   */
  readonly phase: 'step' | 'model'
  /** The fingerprint of the run; another one is refused. */
  readonly fingerprint: RunFingerprint
  /** The stored messages that belong to this checkpoint. */
  readonly transcript: TranscriptReference
  /** The state of the guards against repeats and idle steps. */
  readonly guards: GuardState
  /** Of `model`: what `prepareStep` returned for the step. */
  readonly choice?: StepChoice
  /** The agent in control when the step began, if the run has `handoffs`. */
  readonly agent?: string
  /** The deferred tools that were loaded, in their order. */
  readonly found?: readonly string[]
  /** Which form of the reply is asked for, in JSON mode. */
  readonly formatLevel: number
  /** Messages before the first of the replies in a row that were not an action. */
  readonly failuresFrom?: number
  /** True if the conversation was already compacted in this step because the server refused it. */
  readonly compacted: boolean
  /** Requests of this step that have a key: replies and summaries. */
  readonly requests: number
  /** Number of the last attempt of this step; see the events of a model call. */
  readonly attempt: number
  /** Totals so far; `turns` holds their sum as one turn. */
  readonly usage: TokenUsage
  /** The last text of the model. */
  readonly text: string
  /** Sums for the metrics. */
  readonly totals: RunTotals
  /** What was spent. */
  readonly budget: BudgetSnapshot
  /** Number of the last event. */
  readonly seq: number
  /** The entries of the current step so far; empty between two steps. */
  readonly entries: readonly JournalEntry[]
  /** What the run waits for; empty unless it is suspended. */
  readonly pending: readonly PendingItem[]
  /**
   * What the code that calls `infer` adds before it stores the checkpoint, under a name of its own.
   * `infer` neither reads nor writes it.
   */
  readonly caller?: JsonObject
}

/** Sums over a run, all processes together. */
export interface RunTotals {
  /** Model calls that ended. */
  readonly modelCalls: number
  /** Tool and agent calls that were executed. */
  readonly executedActions: number
  /** Calls among them that failed. */
  readonly failedActions: number
  /** Milliseconds of run time; the time a run was suspended is not in it. */
  readonly latencyMs: number
  /** Unset: no prices are known. */
  readonly cost?: number
  /** How `cost` relates to what vendors charge. Unset: every price is known. */
  readonly costBound?: CostBound
}
