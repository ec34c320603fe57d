import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import { BudgetExceededError } from '../budget/run-budget.js'
import type { SharedCharge } from '../budget/shared-charge.js'
import { type Effect, type Engine, EngineStop, type Performed, toPerformed } from './engine.js'
import type { RunJournal } from './journal.js'
import type { EffectKind, JournalEntry, RunIntent, RunReceipt } from './journal-entry.js'
import { JournalError, toStored } from './journal-error.js'
import { fromRecordedError, toRecordedError } from './recorded-error.js'

type Stamped = 'key' | 'runId' | 'step' | 'attempt' | 'at' | 'seq' | 'budget'
type Own<Entry> = Entry extends JournalEntry ? Omit<Entry, Stamped> : never

/** The state of the run that each entry contains. */
export interface EffectLogContext {
  readonly runId: string
  /** Beginning of every key. */
  readonly keyPrefix: string
  readonly step: () => number
  readonly seq: () => number
  readonly budget: () => BudgetSnapshot
  /** Called before every entry: from here on the events of the run are new. */
  readonly onLive: () => void
  /** Called when an engine executes an effect: the run is where it has not been before. */
  readonly onExecuted: () => void
  /** Settles once the events so far are stored; undefined if they already are. */
  readonly stored: () => Promise<void> | undefined
  /** True once the run was cancelled. */
  readonly isCancelled: () => boolean
  /** Called with what an engine had recorded: the run was here before. */
  readonly onReplayed: (performed: Performed) => void
}

/** An effect, as the loop asks for it. */
export type AskedEffect = Omit<Effect, 'execute' | 'key'>

/** The record of one effect. */
export interface RecordedEffect {
  readonly intent?: RunIntent
  readonly receipt?: RunReceipt
}

/** Without a journal, entries leave the process only in a checkpoint, which has the spending. */
const nothingSpent: BudgetSnapshot = { spent: {}, elapsedMs: 0, warned: [] }

/**
 * Writes intents and receipts of the current step, and finds those that were written before a
 * resume.
 */
export class EffectLog {
  readonly #journal: RunJournal | undefined
  readonly #engine: Engine | undefined
  readonly #context: EffectLogContext
  #entries: JournalEntry[] = []
  readonly #recorded = new Map<string, RecordedEffect>()
  /** The latest attempt of each key. */
  readonly #attempts = new Map<string, number>()
  readonly #begunAfterCheckpoint = new Set<string>()
  /** What the calls that are not over take from shared budgets. */
  readonly #charges = new Map<string, SharedCharge>()

  constructor(
    {
      journal,
      engine,
    }: { readonly journal?: RunJournal | undefined; readonly engine?: Engine | undefined },
    context: EffectLogContext,
  ) {
    this.#journal = journal
    this.#engine = engine
    this.#context = context
  }

  /** True if what is written outlives the process. */
  get isStored(): boolean {
    return this.#journal !== undefined || this.#engine !== undefined
  }

  /** True if an engine performs the effects. */
  get isOnEngine(): boolean {
    return this.#engine !== undefined
  }

  /** Takes what was recorded before a resume. */
  load(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry)
      const { key } = entry
      this.#attempts.set(key, entry.attempt)
      this.#recorded.set(key, { ...this.#recorded.get(key), [entry.entry]: entry })
    }
  }

  /** Takes what was recorded after the checkpoint of a resume. */
  loadTail(entries: readonly JournalEntry[]): void {
    this.load(entries)
    for (const { entry, key } of entries)
      if (entry === 'intent') this.#begunAfterCheckpoint.add(key)
  }

  /** How often an effect was begun. */
  attemptOf(key: string): number {
    return this.#attempts.get(key) ?? 0
  }

  /** True if an effect was begun after the checkpoint of a resume, before this process. */
  isBegunAfterCheckpoint(key: string): boolean {
    return this.#begunAfterCheckpoint.has(key)
  }

  /** Everything of the current step, in order. */
  get entries(): readonly JournalEntry[] {
    return this.#entries
  }

  /** True if this step was begun before the resume. */
  hasStep(step: number): boolean {
    return this.#entries.some((entry) => entry.step === step)
  }

  /** True if anything of this step was recorded before the resume. */
  get hasRecords(): boolean {
    return this.#recorded.size > 0
  }

  /** Forgets everything: a checkpoint has been written that contains it. */
  clear(): void {
    this.#entries = []
    this.#recorded.clear()
    this.#attempts.clear()
    this.#begunAfterCheckpoint.clear()
  }

  /** The key of an effect of this step. */
  keyOf(kind: EffectKind, index: number): string {
    return `${this.#context.keyPrefix}/${this.#context.step()}/${kind}/${index}`
  }

  /** What was recorded about an effect before the resume. */
  find(key: string): RecordedEffect | undefined {
    return this.#recorded.get(key)
  }

  /**
   * The door of every effect. `live` makes it, and writes intent and receipt; an engine that has it
   * already gives what was written, which {@link find} then finds.
   *
   * @param live gets whether it is the first try, as far as the engine knows
   * @returns what `live` returns; undefined if the engine had it
   */
  perform<Value>(
    key: string,
    asked: AskedEffect,
    live: (isFirst: boolean) => Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined> {
    return this.#engine
      ? this.#performOn(this.#engine, key, asked, live)
      : live(true).then((value) => ({ value }))
  }

  async #performOn<Value>(
    engine: Engine,
    key: string,
    asked: AskedEffect,
    live: (isFirst: boolean) => Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined> {
    const attempt = (this.#attempts.get(key) ?? 0) + 1
    const from = this.#entries.length
    let made: { readonly value: Value } | undefined
    let failure: { readonly error: unknown; readonly isOver: boolean } | undefined
    const execute: Effect['execute'] = async ({ first }) => {
      this.#context.onLive()
      this.#context.onExecuted()
      try {
        made = { value: await live(first) }
        return this.#performed(key, from)
      } catch (error) {
        const isOver = error instanceof JournalError || this.#context.isCancelled()
        failure = { error, isOver }
        if (isOver) throw error
        return { ...this.#performed(key, from), ...toFailure(error) }
      }
    }
    const effect = { ...asked, key: attempt > 1 ? `${key}#${attempt}` : key, execute }
    let found: Performed
    try {
      found = toPerformed(await engine.perform(effect), key)
    } catch (error) {
      throw failure?.isOver ? failure.error : new EngineStop(error)
    }
    if (failure) throw failure.error
    if (made) return made
    this.load(found.entries)
    this.#context.onReplayed(found)
    if (found.decision) throw new BudgetExceededError(found.decision)
    if (found.error && !found.entries.some(({ entry }) => entry === 'receipt'))
      throw fromRecordedError(found.error)
    return undefined
  }

  #performed(key: string, from: number): Performed {
    const entries = this.#entries.slice(from).filter((entry) => entry.key === key)
    return { entries, seq: this.#context.seq() }
  }

  /**
   * Writes an intent: the effect starts when it is written. The door of money: what a call takes
   * from shared budgets is taken with it, or before.
   *
   * @throws {BudgetExceededError} the call does not fit a shared budget; nothing was written
   */
  async intend(key: string, intent: Own<RunIntent>, charge?: SharedCharge): Promise<void> {
    const stored = this.#context.stored()
    const journal = this.#journal
    const takes = charge !== undefined && journal?.budgets === charge.budgets
    if (charge && !takes) await charge.reserve()
    if (charge) this.#charges.set(key, charge)
    const own = { ...intent, ...(takes && { charge: charge.charge }) }
    const entry: RunIntent = { ...own, ...this.#stamp(key, true) }
    this.#entries.push(entry)
    if (stored) await stored
    if (!journal) return
    try {
      await toStored(() => journal.writeIntent(entry, charge?.signal))
    } catch (error) {
      const reason: unknown = charge?.signal?.reason
      const isGivenUp = reason !== undefined && (error as Error).cause === reason
      if (!isGivenUp && !(error instanceof BudgetExceededError)) throw error
      this.#charges.delete(key)
      this.#entries = this.#entries.filter((one) => one !== entry)
      throw isGivenUp ? reason : error
    }
  }

  /** Writes a receipt: the result is used when it is written. What its call used is settled. */
  async record(key: string, receipt: Own<RunReceipt>): Promise<void> {
    const charge = this.#charges.get(key)
    const journal = this.#journal
    const settles = charge !== undefined && journal?.budgets === charge.budgets
    if (settles) this.#charges.delete(key)
    const own = { ...receipt, ...(settles && { settlement: charge.settlement }) }
    const entry: RunReceipt = { ...own, ...this.#stamp(key, false) }
    this.#entries.push(entry)
    if (journal) await toStored(() => journal.writeReceipt(entry))
    if (this.#charges.has(key)) await this.settle(key)
  }

  /**
   * Settles what a call used of shared budgets that no receipt settled.
   *
   * @param isUnknown nobody knows what it used: it is charged in full
   */
  async settle(key: string, isUnknown = false): Promise<void> {
    const charge = this.#charges.get(key)
    if (!charge) return
    this.#charges.delete(key)
    await toStored(() => charge.settle(isUnknown))
  }

  /** What every entry has. */
  #stamp(key: string, isIntent: boolean): Pick<JournalEntry, Stamped> {
    const { runId, step, seq, budget, onLive } = this.#context
    onLive()
    const begun = this.#attempts.get(key) ?? 0
    const attempt = isIntent ? begun + 1 : Math.max(1, begun)
    this.#attempts.set(key, attempt)
    return {
      key,
      runId,
      step: step(),
      attempt,
      at: Date.now(),
      seq: seq(),
      budget: this.isStored ? budget() : nothingSpent,
    }
  }
}

/** What an engine keeps of a failure, besides what was recorded. */
const toFailure = (error: unknown): Pick<Performed, 'error' | 'decision'> =>
  error instanceof BudgetExceededError
    ? { decision: error.decision }
    : { error: toRecordedError(error) }
