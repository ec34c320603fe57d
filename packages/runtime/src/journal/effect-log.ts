import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import type { RunJournal } from './journal.js'
import type { EffectKind, JournalEntry, RunIntent, RunReceipt } from './journal-entry.js'
import { toStored } from './journal-error.js'

type Shared = 'key' | 'runId' | 'step' | 'attempt' | 'at' | 'seq' | 'budget'
type Own<Entry> = Entry extends JournalEntry ? Omit<Entry, Shared> : never

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
  /** Settles once the events so far are stored; undefined if they already are. */
  readonly stored: () => Promise<void> | undefined
}

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
  readonly #context: EffectLogContext
  #entries: JournalEntry[] = []
  readonly #recorded = new Map<string, RecordedEffect>()
  /** The latest attempt of each key. */
  readonly #attempts = new Map<string, number>()
  readonly #begunAfterCheckpoint = new Set<string>()

  constructor(journal: RunJournal | undefined, context: EffectLogContext) {
    this.#journal = journal
    this.#context = context
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

  /** Writes an intent: the effect starts when it is written. */
  async intend(key: string, intent: Own<RunIntent>): Promise<void> {
    const stored = this.#context.stored()
    const entry: RunIntent = { ...intent, ...this.#stamp(key, true) }
    this.#entries.push(entry)
    if (stored) await stored
    const journal = this.#journal
    if (journal) await toStored(() => journal.writeIntent(entry))
  }

  /** Writes a receipt: the result is used when it is written. */
  async record(key: string, receipt: Own<RunReceipt>): Promise<void> {
    const entry: RunReceipt = { ...receipt, ...this.#stamp(key, false) }
    this.#entries.push(entry)
    const journal = this.#journal
    if (journal) await toStored(() => journal.writeReceipt(entry))
  }

  /** What every entry has. */
  #stamp(key: string, isIntent: boolean): Pick<JournalEntry, Shared> {
    const { runId, step, seq, budget } = this.#context
    this.#context.onLive()
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
      budget: this.#journal ? budget() : nothingSpent,
    }
  }
}
