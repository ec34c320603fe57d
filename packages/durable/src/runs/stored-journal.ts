import type { ChatMessage } from '@modelport/core'
import type {
  JournalEntry,
  JournalTail,
  RunCheckpoint,
  RunEvent,
  RunEventSink,
  RunIntent,
  RunJournal,
  RunReceipt,
  TranscriptChange,
} from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Statement } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { EventLog, type NewLogEntry } from '../database/event-log.js'
import type { Lease } from './lease.js'
import type { RunInbox } from './run-inbox.js'
import type { RunTable, StoredRun } from './run-table.js'

interface Write {
  readonly kind: 'intent' | 'receipt' | 'checkpoint' | 'events'
  /** Called when the write's transaction is put together, so that numbers are given in the order of writing. */
  readonly statements: () => readonly Statement[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Events wait so long at most, and no longer than until they have this size. */
const batchMs = 50
const batchLength = 4096

/** The journal, transcript and events of one held run. Writes that come at the same time share a transaction, which fails if the claim is lost. */
export class StoredJournal implements RunJournal, RunEventSink {
  readonly #database: Database
  readonly #codec: BodyCodec
  readonly #table: RunTable
  readonly #inbox: RunInbox
  readonly #run: StoredRun
  readonly #lease: Lease
  readonly #log: EventLog
  readonly #eventLog: string
  #journalSeq = 0
  /** Number of the last entry before the checkpoint. */
  #mark = 0
  #transcriptLength = 0
  #eventSeq = 0
  #events: NewLogEntry[] = []
  #eventLength = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #queue: Write[] = []
  #writing: Promise<void> | undefined
  #hasWritten = false
  #failure: Error | undefined

  private constructor(parts: JournalParts) {
    this.#database = parts.database
    this.#codec = parts.codec
    this.#table = parts.table
    this.#inbox = parts.inbox
    this.#run = parts.run
    this.#lease = parts.lease
    this.#log = new EventLog(parts.database, parts.codec)
    this.#eventLog = `run:${parts.run.id}`
  }

  /** Reads how far the run got. */
  static async open(parts: JournalParts): Promise<StoredJournal> {
    const journal = new StoredJournal(parts)
    const { database, run } = parts
    const [[last], [length], events] = await Promise.all([
      database.read('SELECT max(seq) AS seq FROM journal WHERE run = ?', [run.id]),
      database.read('SELECT max(seq) AS seq FROM transcript WHERE run = ?', [run.id]),
      journal.#log.last(journal.#eventLog),
    ])
    journal.#journalSeq = Math.max(Number(last?.['seq'] ?? 0), run.mark)
    journal.#mark = run.mark
    journal.#transcriptLength = Number(length?.['seq'] ?? 0)
    journal.#eventSeq = events
    return journal
  }

  /** What stopped the journal: the run has to be given back, not finished. */
  get failure(): Error | undefined {
    return this.#failure
  }

  async writeIntent(intent: RunIntent): Promise<void> {
    this.#checkLease()
    await this.#write('intent', () => [this.#insert(intent, 'intent')])
    // The write may have taken long: nothing starts once another worker may have the run.
    this.#checkLease()
  }

  async writeReceipt(receipt: RunReceipt): Promise<void> {
    await this.#write('receipt', () => [this.#insert(receipt, 'receipt')])
  }

  async writeCheckpoint(checkpoint: RunCheckpoint, { keep, add }: TranscriptChange): Promise<void> {
    await this.#write('checkpoint', () => [
      ...this.#changeTranscript(keep, add),
      {
        sql: 'UPDATE runs SET checkpoint = ?, mark = ? WHERE id = ?',
        params: [this.#codec.encode(checkpoint), (this.#mark = this.#journalSeq), this.#run.id],
      },
    ])
  }

  async readTail(): Promise<JournalTail> {
    const rows = await this.#database.read('SELECT body FROM journal WHERE run = ? AND seq > ? ORDER BY seq', [
      this.#run.id,
      this.#mark,
    ])
    return { entries: rows.map(({ body }) => this.#codec.decode(body) as JournalEntry), seq: this.#eventSeq }
  }

  /** Drops the checkpoint and the transcript: another run begins under the same id. Entries stay. */
  async restart(): Promise<void> {
    await this.#write('checkpoint', () => [
      ...this.#changeTranscript(0, []),
      {
        sql: 'UPDATE runs SET checkpoint = NULL, mark = ? WHERE id = ?',
        params: [(this.#mark = this.#journalSeq), this.#run.id],
      },
    ])
  }

  /** The stored transcript. */
  async messages(): Promise<readonly ChatMessage[]> {
    const rows = await this.#database.read('SELECT body FROM transcript WHERE run = ? ORDER BY seq', [this.#run.id])
    return rows.map(({ body }) => this.#codec.decode(body) as ChatMessage)
  }

  /** Events are stored in batches; the run waits once the stored ones fall behind. */
  write(event: RunEvent): void | Promise<void> {
    const entry = { kind: event.type, body: event }
    this.#events.push(entry)
    this.#eventLength += JSON.stringify(event).length
    if (!this.#hasWritten || this.#eventLength >= batchLength) {
      this.#hasWritten = true
      return this.flush()
    }
    this.#timer ??= setTimeout(() => {
      // A failure is kept, and stops the run at its next write.
      this.flush().catch(() => undefined)
    }, batchMs)
    return undefined
  }

  /** Stores the events that wait. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#events.length === 0 ? Promise.resolve() : this.#write('events', () => [])
  }

  /** Ends the hold in one transaction with the last events. False if mail came that the holder has not seen. */
  async settle(statements: readonly Statement[], seenMail: number): Promise<boolean> {
    await this.#writing
    const fence = this.#table.fence(this.#run, true)
    const result = await this.#database.write([
      fence,
      this.#inbox.expectSeen(this.#run.id, seenMail),
      ...this.#takeEvents(),
      ...statements,
    ])
    if (result.ok) this.#database.notify(this.#eventLog)
    else if (result.failed !== 1) throw this.#fenced()
    return result.ok
  }

  /** The change that makes the stored transcript equal to this one. */
  async transcriptTo(messages: readonly ChatMessage[]): Promise<readonly Statement[]> {
    const stored = (await this.messages()).map((message) => JSON.stringify(message))
    const given = messages.map((message) => JSON.stringify(message))
    const differs = given.findIndex((message, index) => message !== stored[index])
    const keep = differs < 0 ? given.length : differs
    return keep === stored.length && keep === given.length ? [] : this.#changeTranscript(keep, messages.slice(keep))
  }

  #checkLease(): void {
    if (this.#lease.isValid()) return
    this.#failure ??= this.#fenced()
    throw this.#failure
  }

  #fenced(): DurableError {
    return new DurableError('fenced', `run "${this.#run.id}" was claimed by another worker: stop working on it`)
  }

  #insert(entry: JournalEntry, kind: string): Statement {
    return {
      sql: 'INSERT INTO journal (run, seq, key, kind, at, body) VALUES (?, ?, ?, ?, ?, ?)',
      params: [
        this.#run.id,
        ++this.#journalSeq,
        entry.key,
        `${kind} ${entry.kind}`,
        this.#database.now(),
        this.#codec.encode(entry),
      ],
    }
  }

  #changeTranscript(keep: number, add: readonly ChatMessage[]): readonly Statement[] {
    const { id } = this.#run
    const cut =
      keep < this.#transcriptLength
        ? [{ sql: 'DELETE FROM transcript WHERE run = ? AND seq > ?', params: [id, keep] }]
        : []
    this.#transcriptLength = keep + add.length
    return [
      ...cut,
      ...add.map((message, index) => ({
        sql: 'INSERT INTO transcript (run, seq, body) VALUES (?, ?, ?)',
        params: [id, keep + 1 + index, this.#codec.encode(message)],
      })),
    ]
  }

  #takeEvents(): readonly Statement[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#events
    if (events.length === 0) return []
    this.#events = []
    this.#eventLength = 0
    const statements = this.#log.append(this.#eventLog, this.#eventSeq, events)
    this.#eventSeq += events.length
    return statements
  }

  #write(kind: Write['kind'], statements: Write['statements']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ kind, statements, resolve, reject })
      this.#writing ??= this.#drain()
    })
  }

  /** One transaction at a time; what is asked for meanwhile is in the next one. */
  async #drain(): Promise<void> {
    // Calls that are made in the same turn of the event loop, such as the intents of parallel tools, share the first transaction.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      try {
        if (this.#failure !== undefined) throw this.#failure
        await this.#commit(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#failure ??= error instanceof Error ? error : new Error(String(error))
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = undefined
  }

  async #commit(batch: readonly Write[]): Promise<void> {
    const fence = this.#table.fence(this.#run, batch.some(isProgress))
    const events = this.#takeEvents()
    const built = batch.map((write) => ({ write, statements: write.statements() }))
    const all = (writes: typeof built): readonly Statement[] => [
      ...events,
      ...writes.flatMap(({ statements }) => statements),
    ]
    const intents = built.filter(({ write }) => write.kind === 'intent')
    const guards = intents.length > 0 ? [fence, this.#inbox.refuseCanceled(this.#run.id)] : [fence]
    let result = await this.#database.write([...guards, ...all(built)])
    if (!result.ok && result.failed === 1 && intents.length > 0) {
      // Canceled: nothing new starts, but what happened is still stored.
      const canceled = new DurableError('finished', `run "${this.#run.id}" was canceled`)
      for (const { write } of intents) write.reject(canceled)
      result = await this.#database.write([fence, ...all(built.filter(({ write }) => write.kind !== 'intent'))])
    }
    if (!result.ok) throw this.#fenced()
    if (events.length > 0) this.#database.notify(this.#eventLog)
  }
}

const isProgress = ({ kind }: Write): boolean => kind === 'receipt' || kind === 'checkpoint'

/** What a {@link StoredJournal} works with. */
export interface JournalParts {
  readonly database: Database
  readonly codec: BodyCodec
  readonly table: RunTable
  readonly inbox: RunInbox
  readonly run: StoredRun
  readonly lease: Lease
}
