import type { JsonObject } from '@modelport/core'
import type { BudgetDecision } from '../budget/budget.js'
import type { EffectKind, JournalEntry, RecordedError } from './journal-entry.js'
import type { PendingItem, ResumeDecision } from './pending-item.js'

/** One effect of a run: the engine executes it once, and remembers what came of it. */
export interface Effect {
  /** Names the effect within the engine, and no other one: run, step, kind, index and attempt. */
  readonly key: string
  /** For people: the name of the tool, agent or model. */
  readonly label: string
  /** What it is. `wait` is never one of these: see {@link Engine.wait}. */
  readonly kind: EffectKind
  /**
   * What may be done if nobody knows whether it happened: `always` begin it again, `same-key` send
   * it again with the key that its receiver knows, `never`. `execute` follows it by itself, if its
   * `first` is right.
   */
  readonly repeat: 'always' | 'same-key' | 'never'
  /** What it is about, for engines that show or take data: the action, or the model's name. */
  readonly input: JsonObject
  /**
   * Executes it. Never rejects for what a tool or a model did: that is part of what it resolves
   * with. Rejects if the run was cancelled, or its sink failed.
   *
   * @param attempt `first` is false if a process that is gone may have begun it
   */
  execute(attempt: { readonly first: boolean }): Promise<Performed>
}

/** What came of an effect, as plain JSON: the engine stores it as it is. */
export interface Performed {
  /** What the run recorded about it. */
  readonly entries: readonly JournalEntry[]
  /** Number of the last event that was reported while it was performed. */
  readonly seq: number
  /** Set if it could not be begun. */
  readonly error?: RecordedError
  /** Set if a budget refused it. */
  readonly decision?: BudgetDecision
}

/** What a run waits for. */
export interface EngineWait {
  /** Names the wait within the engine. */
  readonly key: string
  /** Everything that waits, as it is shown to whoever decides. */
  readonly pending: readonly PendingItem[]
  /** When the wait is over, in milliseconds since 1970. Unset: never. */
  readonly until?: number
}

/**
 * Runs the effects of a run that something else remembers: an engine for durable execution, such as
 * DBOS or Restate. After a crash the engine calls the program again from its start; the run then
 * asks for the same effects in the same order, and gets what was recorded in place of doing it
 * again.
 */
export interface Engine {
  /**
   * Gives what was recorded for this place of the run, or executes the effect and records what it
   * resolves with. Its own retries have to be off. What the engine itself throws ends the run and
   * is passed on untouched.
   */
  perform(effect: Effect): Promise<Performed>
  /**
   * Waits for decisions and records them. Resolves with at least one, or with none once `until` has
   * passed. Unset: the run ends as `suspended`.
   */
  wait?(wait: EngineWait): Promise<readonly ResumeDecision[]>
}

/** What an engine has stored, if it is that. @throws {TypeError} it is something else. */
export function toPerformed(value: unknown, key: string): Performed {
  const entries = (value as { readonly entries?: unknown } | undefined | null)?.entries
  if (!Array.isArray(entries))
    throw new TypeError(
      `the engine gave ${toShort(value)} for "${key}": perform must resolve with what the effect resolved with`,
    )
  return value as Performed
}

const toShort = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100)

/** An error of the engine on its way out of the run: whoever called it gets the error itself. */
export class EngineStop {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}
