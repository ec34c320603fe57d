import type { ChatMessage } from '@modelport/core'
import type {
  BudgetSettlement,
  BudgetTake,
  JournalEntry,
  JournalTail,
  PendingItem,
  ResumeDecision,
  RunCheckpoint,
  RunEvent,
  RunEventSink,
  RunIntent,
  RunJournal,
  RunReceipt,
  TranscriptChange,
} from '@modelport/runtime'
import type { SqlBudgets } from '../budgets/sql-budgets.js'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { placeOfEntry } from '../database/event-log.js'
import { shorten } from '../database/short-form.js'
import { columnsOfEntry, columnsOfEvent, idOfRun, readJournal, sinceEntry } from './entries.js'
import { instant, type Lease } from './lease.js'
import { ManifestWriter } from './manifests.js'
import { RunChange } from './run-change.js'
import { eventsOf, journalOf, type RunTable, transcriptOf } from './run-table.js'
import { decisionId, placeInRun, type RunRow } from './stored-run.js'
import { type Write, WriteQueue } from './write-queue.js'

/** How long a receipt, a checkpoint or the first event waits to be stored, in milliseconds. */
const soonMs = 5
/** How long every later event waits, in milliseconds, so that events are stored in batches. */
const batchMs = 50
/** Characters of events from which on a batch is stored at once. */
const batchLength = 4096

/**
 * The journal, transcript and events of one held run.
 *
 * Everything is stored in the order in which it was written. An intent is stored before its effect
 * starts, together with everything written before it. Receipts and checkpoints therefore wait for
 * the next intent, or a few milliseconds, and share its transaction. A transaction fails if the
 * claim is lost.
 */
export class StoredJournal implements RunJournal, RunEventSink {
  readonly #parts: JournalParts
  readonly #run: RunRow
  readonly #manifests = new ManifestWriter()
  readonly #texts = new WeakMap<ChatMessage, string>()
  /** The counters of the run's row, as they are once everything written so far is stored. */
  readonly #counts: {
    journal: number
    mark: number
    transcript: number
    events: number
    checks: number
  }
  #eventSeq: number
  #lastEntry: JournalEntry | undefined
  /** Aborts when this process gives the run back. Set before the run starts. */
  givesBack: AbortSignal | undefined
  /**
   * Events that were not stored, since the lease had ended or the run is given back: the run counts
   * them, the log does not.
   */
  #dropped = 0
  #eventLength = 0
  #hasWritten = false
  #hasProgress = false
  #isEnded = false
  /** Ids of the budgets that open calls took from, by the id of the charge of each call. */
  readonly #charged = new Map<string, readonly string[]>()
  readonly #queue = new WriteQueue((batch) => this.#commit(batch))

  constructor(parts: JournalParts) {
    this.#parts = parts
    this.#run = parts.run
    const { journal, mark, transcript, events, checks } = parts.run
    this.#counts = { journal, mark, transcript, events, checks }
    this.#eventSeq = events
  }

  /** The error that stopped the journal: the run has to be given back, not finished. */
  get failure(): Error | undefined {
    return this.#queue.failure
  }

  /**
   * True once something new was stored: a receipt, a checkpoint, an effect or text that no earlier
   * process began.
   */
  get hasProgress(): boolean {
    return this.#hasProgress
  }

  /** True if the hold has ended in the store. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  async writeIntent(intent: RunIntent, signal?: AbortSignal): Promise<void> {
    this.#checkLease()
    const { charge } = intent
    const add = (change: RunChange): void => this.#addEntry(change, intent, intent.attempt === 1)

    if (charge) {
      const stop = signal ? AbortSignal.any([this.#stopSignal, signal]) : this.#stopSignal
      await this.#parts.budgets.reserve(charge, stop, (take) => this.#writeCharged(intent, take))
    } else if (intent.kind === 'authorization') {
      // It is asked again after a death in any case, so nobody waits for its transaction.
      this.#queue.defer(soonMs, add)
    } else {
      await this.#queue.write(add, true)
    }
    // The write may have taken long: nothing starts once another worker may have the run.
    this.#checkLease()
  }

  writeReceipt(receipt: RunReceipt): void {
    const seq = receipt.seq - this.#dropped
    this.#queue.defer(soonMs, (change) => {
      this.#addEntry(change, { ...receipt, seq }, true)
      const { settlement } = receipt
      if (settlement) this.#settle(change, settlement)
    })
  }

  /** The shared budgets that intents take from, and receipts settle. */
  get budgets(): SqlBudgets {
    return this.#parts.budgets
  }

  /** Aborts when this process has to let go of the run. */
  get #stopSignal(): AbortSignal {
    const { signal } = this.#parts.lease
    return this.givesBack ? AbortSignal.any([signal, this.givesBack]) : signal
  }

  /** Writes an intent and takes the amounts of its call; false if a budget has no room. */
  async #writeCharged(intent: RunIntent, take: BudgetTake): Promise<boolean> {
    const { table } = this.#parts.budgets
    this.#charged.set(
      take.id,
      take.budgets.map(({ row }) => row.id),
    )
    const apply = (change: RunChange): void => {
      this.#addEntry(change, intent, intent.attempt === 1)
      // `apply` names this write: `#commit` rejects it if a budget refuses.
      change.charge(apply, table.takes(take), ...table.reservation(take))
    }
    try {
      await this.#queue.write(apply, true)
      return true
    } catch (error) {
      if (error === noRoom) return false
      throw error
    }
  }

  #settle(change: RunChange, settlement: BudgetSettlement): void {
    const { table } = this.#parts.budgets
    const budgets = this.#charged.get(settlement.id) ?? []
    change.charge(settlement, table.settles(settlement, budgets), table.forget(settlement))
  }

  writeCheckpoint(checkpoint: RunCheckpoint, { keep, add }: TranscriptChange): void {
    const text = JSON.stringify(checkpoint)
    const added = this.#seal(
      keep,
      add.map((message) => this.#textOf(message)),
    )
    this.#queue.defer(soonMs, (change) => {
      this.#setTranscript(change, keep, added)
      const place = placeInRun(this.#run.id, 'checkpoint', this.#counts.checks + 1)
      change.set('checkpoint = ?', this.#parts.codec.seal(text, place))
      // Somebody may have decided meanwhile about what still waits.
      for (const item of checkpoint.pending)
        if (this.#isUndecided(item)) this.#carryDecision(change, item.id)
      this.#countCheckpoint(change)
    })
  }

  /** Moves a decision about an item to the next checkpoint, which still waits for the item. */
  #carryDecision(change: RunChange, item: string): void {
    const idOf = (checks: number): string => decisionId(this.#run.id, checks, item)
    const { checks } = this.#counts
    const params = [idOf(checks + 1), checks + 1, idOf(checks)]
    change.run({ sql: 'UPDATE inbox SET id = ?, about = ? WHERE id = ?', params })
  }

  /** True for an item that the run waited for when it was claimed, without a decision. */
  #isUndecided(item: PendingItem): boolean {
    const isSame = (one: PendingItem): boolean => contentOf(one) === contentOf(item)
    return (
      !!this.#run.checkpoint?.pending.some(isSame) &&
      !this.#parts.decisions.some(({ id }) => id === item.id)
    )
  }

  async readTail(): Promise<JournalTail> {
    await this.flush()
    return {
      entries: await readJournal(this.#parts, this.#run.id, this.#counts.mark),
      seq: this.#counts.events,
    }
  }

  /**
   * Drops the checkpoint and the transcript: another run begins under the same id. Entries of the
   * journal stay.
   */
  async restart(): Promise<void> {
    this.#queue.defer(0, (change) => {
      this.#setTranscript(change, 0, [])
      change.set('checkpoint = NULL')
      this.#counts.events = this.#eventSeq = 0
      this.#countCheckpoint(change)
    })
    await this.flush()
  }

  async messages(): Promise<readonly ChatMessage[]> {
    const { codec } = this.#parts
    return this.#transcript((body, place) => codec.decode(body, place) as ChatMessage)
  }

  /** Events are stored in batches; the run waits once the stored ones fall behind. */
  write(event: RunEvent): void | Promise<void> {
    // A call that is cut off here has no event: the next holder reports its outcome.
    if (this.#parts.lease.signal.aborted || this.givesBack?.aborted) {
      this.#dropped++
      return undefined
    }
    const log = eventsOf(this.#run.id)
    const seq = ++this.#eventSeq
    const stored = this.#manifests.toStored(event, seq)
    const body = this.#parts.codec.encode(
      shorten(stored, this.#run.id, columnsOfEvent({ kind: event.type, seq })),
      placeOfEntry({ log, seq, kind: event.type }),
    )
    const isNew = event.type === 'text-delta' && event.attempt === 1
    const apply = (change: RunChange): void => {
      this.#counts.events = seq
      change.add({ log, seq, kind: event.type, body })
      change.notify(log)
      if (isNew) change.markProgress()
    }
    this.#eventLength += body.length
    if (this.#eventLength >= batchLength) return this.#queue.write(apply)
    this.#queue.defer(this.#hasWritten ? batchMs : soonMs, apply)
    this.#hasWritten = true
    return undefined
  }

  /**
   * Notes that the events of the run up to this number are stored: an agent's task has them in its
   * own log. Called while a transaction is put together.
   */
  storedUpTo(seq: number): void {
    this.#counts.events = this.#eventSeq = seq
  }

  /** Adds something to the next transaction, which fails as a whole. */
  commit(apply: (change: RunChange) => void): Promise<void> {
    return this.#queue.write(apply)
  }

  /** Stores everything that was written. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  /** Makes the transcript equal to this one, in the next transaction. */
  async setTranscript(messages: readonly ChatMessage[]): Promise<void> {
    await this.flush()
    const { codec } = this.#parts
    const stored = await this.#transcript((body, place) => codec.open(body, place))
    const texts = messages.map((message) => this.#textOf(message))

    const firstNew = texts.findIndex((text, index) => text !== stored[index])
    const keep = firstNew < 0 ? texts.length : firstNew
    if (keep === stored.length && keep === texts.length) return

    const added = this.#seal(keep, texts.slice(keep))
    this.#queue.defer(soonMs, (change) => this.#setTranscript(change, keep, added))
  }

  /** A message as JSON, made once. */
  #textOf(message: ChatMessage): string {
    const text = this.#texts.get(message) ?? JSON.stringify(message)
    this.#texts.set(message, text)
    return text
  }

  /** The messages that are stored. */
  async #transcript<Value>(
    read: (body: unknown, place: BodyPlace) => Value,
  ): Promise<readonly Value[]> {
    const { database } = this.#parts
    const log = transcriptOf(this.#run.id)
    const rows = await database.read('SELECT seq, body FROM entries WHERE log = ? ORDER BY seq', [
      log,
    ])
    return rows.map(({ seq, body }) =>
      read(body, placeOfEntry({ log, seq: Number(seq), kind: 'message' })),
    )
  }

  /** The bodies of messages that follow the first `keep` ones. */
  #seal(keep: number, texts: readonly string[]): readonly string[] {
    const log = transcriptOf(this.#run.id)
    return texts.map((text, index) =>
      this.#parts.codec.seal(text, placeOfEntry({ log, seq: keep + 1 + index, kind: 'message' })),
    )
  }

  #checkLease(): void {
    if (this.failure === undefined && this.#parts.lease.isValid()) return
    this.#queue.fail(this.#fenced())
    throw this.failure ?? this.#fenced()
  }

  /** The error of a write whose run another worker may have. */
  #fenced(): DurableError {
    const { signal } = this.#parts.lease
    const why = signal.aborted
      ? (signal.reason as Error).message
      : `run "${this.#run.id}" was claimed by another worker`
    return new DurableError('fenced', `${why}: stop working on it`)
  }

  #addEntry(change: RunChange, entry: JournalEntry, isProgress: boolean): void {
    const kind = `${entry.entry} ${entry.kind}`
    const short = sinceEntry(entry, this.#lastEntry)
    this.#lastEntry = entry
    const row = { log: journalOf(this.#run.id), seq: ++this.#counts.journal, kind }
    const body = this.#parts.codec.encode(
      shorten(short, idOfRun(this.#run.id), columnsOfEntry(kind)),
      placeOfEntry(row),
    )
    change.add({ ...row, body })
    if (isProgress) change.markProgress()
  }

  #countCheckpoint(change: RunChange): void {
    this.#counts.mark = this.#counts.journal
    this.#lastEntry = undefined
    this.#counts.checks++
    // The permission to continue under changed settings holds for one checkpoint.
    change.set('accepts = 0')
    change.markProgress()
  }

  #setTranscript(change: RunChange, keep: number, added: readonly string[]): void {
    const log = transcriptOf(this.#run.id)
    if (keep < this.#counts.transcript)
      change.remove({ sql: 'DELETE FROM entries WHERE log = ? AND seq > ?', params: [log, keep] })
    for (const [index, body] of added.entries())
      change.add({ log, seq: keep + 1 + index, kind: 'message', body })
    this.#counts.transcript = keep + added.length
  }

  /** Stores a batch. A write that is refused is left out, and the rest is tried again. */
  async #commit(batch: readonly Write[]): Promise<void> {
    const { database, lease, leaseMs } = this.#parts
    const extension = lease.isAging ? leaseMs : undefined
    const before = { ...this.#counts }
    const lastEntry = this.#lastEntry
    this.#eventLength = 0
    const sentAt = instant()
    const restore = (): void => {
      Object.assign(this.#counts, before)
      this.#lastEntry = lastEntry
    }

    let rest = batch
    let change = this.#changeOf(rest, extension)
    for (;;) {
      const isStart = rest.some(({ isIntent }) => isIntent)
      const statements = change.statements(isStart ? ' AND cancel IS NULL' : '')
      const result = await database.write(statements)
      if (result.ok) break

      const charger = change.refused(result.failed, statements)
      const refusedWrite = rest.find(({ apply }) => apply === charger)
      if (refusedWrite) {
        // A budget has no room for one call: what else happened is stored.
        refusedWrite.reject(noRoom)
        rest = rest.filter((one) => one !== refusedWrite)
      } else if (result.failed === 0 && isStart) {
        // Cancelled: nothing new starts, but what happened is still stored.
        const cancelled = new DurableError('finished', `run "${this.#run.id}" was cancelled`)
        for (const { isIntent, reject } of rest) if (isIntent) reject(cancelled)
        rest = rest.filter(({ isIntent }) => !isIntent)
      } else throw this.#fenced()

      restore()
      change = this.#changeOf(rest, extension)
    }

    if (extension !== undefined) lease.extendedAt(sentAt)
    this.#hasProgress ||= change.hasProgress
    this.#isEnded ||= change.isEnd
    for (const key of change.changed) database.notify(key)
  }

  #changeOf(batch: readonly Write[], extension: number | undefined): RunChange {
    const change = new RunChange(this.#parts.table, this.#run, extension, this.#counts)
    for (const { apply } of batch) apply(change)
    return change
  }
}

/** A budget has no room for a call. */
const noRoom = new Error('no room')

/** An item without the time of the next look, which moves on. */
const contentOf = (item: PendingItem): string => JSON.stringify({ ...item, until: undefined })

/** The parts that a {@link StoredJournal} needs. */
export interface JournalParts {
  readonly database: Database
  readonly codec: BodyCodec
  readonly table: RunTable
  readonly run: RunRow
  readonly lease: Lease
  readonly leaseMs: number
  readonly budgets: SqlBudgets
  /** What this hold was claimed with. */
  readonly decisions: readonly ResumeDecision[]
}
