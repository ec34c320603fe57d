import type { ChatMessage } from '@modelport/core'
import type {
  InferRequest,
  JournalEntry,
  ResumeDecision,
  RunCheckpoint,
  RunEvent,
  RunEventSink,
  RunJournal,
  RunResult,
} from '@modelport/runtime'
import { DurableError } from '../database/durable-error.js'
import { EventLog } from '../database/event-log.js'
import { HeldRun, type RunParts, stateKey } from './held-run.js'
import type { StoredRun } from './run-table.js'
import { fromStoredResult, toStoredResult, uncertainCalls } from './stored-result.js'

/** What a function that is run durably gets: spread `request(…)` over what it asks of `infer`. */
export interface DurableRun {
  readonly id: string
  /** Stores intents, receipts and checkpoints. */
  readonly journal: RunJournal
  /** Stores the events. */
  readonly sink: RunEventSink
  /** Aborts when the run is canceled, or when another worker may have claimed it. */
  readonly signal: AbortSignal
  /** Set if the run began before. */
  readonly resume?: RunCheckpoint
  /** The transcript stored with `resume`. */
  readonly messages: readonly ChatMessage[]
  /** What was decided about the pending items of `resume`. */
  readonly decisions: readonly ResumeDecision[]
  /** The request for `infer`: the given one at the beginning, the same with the stored transcript, checkpoint and decisions later. */
  request<Output>(request: InferRequest<Output>): InferRequest<Output>
}

/** Settings of {@link DurableRuns.run}. */
export interface RunOptions {
  /** Stops the work here, not the run: it stays claimable, and `run` rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** How often a call that waits for another worker tries to claim, in milliseconds. */
const retryMs = 200

/** Runs that continue after their process was killed. */
export class DurableRuns {
  readonly #parts: RunParts
  readonly #log: EventLog

  constructor(parts: RunParts) {
    this.#parts = parts
    this.#log = new EventLog(parts.database, parts.codec)
  }

  /**
   * Runs a function to its end, or continues where it was cut. A run that is over gives its stored result, and one that waits its stored `suspended`, without calling the function. Calls
   * in several processes are safe: one works, the others wait for its result.
   *
   * @throws {DurableError} `fenced`, `full`, `read-only`, `unavailable`, `damaged` — the run stays claimable
   */
  async run<Output>(
    id: string,
    execute: (run: DurableRun) => Promise<RunResult<Output>>,
    { signal }: RunOptions = {},
  ): Promise<RunResult<Output>> {
    const { table, database, inbox } = this.#parts
    const queue = queueOf(id)
    await table.create(id, queue, null)
    for (;;) {
      signal?.throwIfAborted()
      const run = await table.get(id)
      if (isOver(run)) return this.#resultOf<Output>(run)
      if (run.status === 'suspended') {
        if ((await inbox.pending(id)).length > 0) await database.engine.wake(queue, run.engine)
        else if (run.wake === undefined || run.wake > database.now()) return this.#resultOf<Output>(run)
      }
      await table.enqueue(run)
      const held = await HeldRun.claim(this.#parts, queue)
      if (held instanceof HeldRun) await this.#work(held, execute, signal)
      else if (held === undefined) await this.#changeOf(id, signal)
    }
  }

  /**
   * Stores a decision about a pending item. The next `run` applies it; the first decision about an item counts.
   *
   * @throws {DurableError} `not-found`, `finished`, `conflict` — the item does not wait, or was decided before
   */
  async decide(id: string, decision: ResumeDecision): Promise<void> {
    const { table, inbox, database } = this.#parts
    const run = await table.get(id)
    const pending = run.checkpoint?.pending ?? []
    if (isOver(run)) throw new DurableError('finished', `run "${id}" is ${run.status}: nothing can be decided`)
    if (!pending.some((item) => item.id === decision.id))
      throw new DurableError(
        'conflict',
        `run "${id}" does not wait for "${decision.id}"; it waits for: ${pending.map((item) => item.id).join(', ') || 'nothing'}`,
      )
    if (!(await inbox.put(id, { kind: 'decision', decision })))
      throw new DurableError('conflict', `"${decision.id}" of run "${id}" was decided before`)
    await database.engine.wake(run.queue, run.engine)
    database.notify(`queue:${run.queue}`)
  }

  /** Cancels a run, wherever it is; its holder stops within a second. Nothing happens to one that is over. */
  async cancel(id: string, reason: string = 'no reason was given'): Promise<void> {
    const { table, inbox, database } = this.#parts
    await inbox.put(id, { kind: 'cancel', reason })
    const run = await table.get(id)
    if (run.status === 'running') return
    if (isOver(run)) return
    const { sql, params } = cancelIdle(run, database.now(), this.#parts.codec.encode({ status: 'cancelled', reason }))
    const result = await database.write([{ sql, params, expect: 1 }])
    if (!result.ok) return // A worker claimed it meanwhile, and sees the cancel.
    await database.engine.cancel(run.queue, run.engine)
    database.notify(stateKey(id))
  }

  /** The row of a run. @throws {DurableError} `not-found` */
  get(id: string): Promise<StoredRun> {
    return this.#parts.table.get(id)
  }

  /** The runs that are not over, oldest change first. */
  open(): Promise<readonly StoredRun[]> {
    return this.#parts.table.list(`status IN ('ready', 'running', 'suspended') ORDER BY updated, id`, [])
  }

  /** The stored events of a run, then new ones as they are stored, until it is over or the signal aborts. */
  async *events(
    id: string,
    from: number = 1,
    signal?: AbortSignal,
  ): AsyncGenerator<RunEvent & { readonly seq: number }> {
    const over = async (): Promise<boolean> => isOver(await this.get(id))
    for await (const { seq, body } of this.#log.watch(`run:${id}`, from, over, signal))
      yield { ...(body as RunEvent), seq }
  }

  /** Everything the journal has about a run, in order. */
  async journal(id: string): Promise<readonly JournalEntry[]> {
    const { database, codec } = this.#parts
    const rows = await database.read('SELECT body FROM journal WHERE run = ? ORDER BY seq', [id])
    return rows.map(({ body }) => codec.decode(body) as JournalEntry)
  }

  async #work<Output>(
    held: HeldRun,
    execute: (run: DurableRun) => Promise<RunResult<Output>>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let { run, mail } = held
    for (;;) {
      if (mail.some(({ kind }) => kind === 'cancel')) {
        await this.#finish(held, { status: 'cancelled' } as RunResult, 'canceled', await held.journal.messages())
        return
      }
      const decisions = mail.flatMap((one) => (one.kind === 'decision' ? one.decision : []))
      const context = await this.#contextOf(held, run, decisions, signal)
      let result: RunResult
      try {
        result = await execute(context)
      } catch (error) {
        await giveBack(held)
        if (held.failure) throw held.failure
        throw error
      }
      if (held.failure) {
        await giveBack(held)
        throw held.failure
      }
      if (signal?.aborted && result.status === 'cancelled' && !held.isCanceled) {
        await giveBack(held)
        signal.throwIfAborted()
      }
      const status = held.isCanceled && result.status === 'cancelled' ? 'canceled' : 'finished'
      if (result.status !== 'suspended') {
        await this.#finish(held, result, status, result.transcript)
        return
      }
      const wake = wakeOf(result)
      const ended = await held.end('suspended', toStoredResult(result, []), wake === undefined ? {} : { wake })
      if (ended) return
      mail = await held.nextMail()
      run = await this.get(run.id)
    }
  }

  async #contextOf(
    held: HeldRun,
    run: StoredRun,
    decisions: readonly ResumeDecision[],
    outer: AbortSignal | undefined,
  ): Promise<DurableRun> {
    const { checkpoint, id } = run
    const pending = new Set(checkpoint?.pending.map((item) => item.id))
    const messages = checkpoint ? await held.journal.messages() : []
    const signal = AbortSignal.any([held.signal, ...(outer ? [outer] : [])])
    const context = {
      id,
      journal: held.journal,
      sink: held.journal,
      signal,
      messages,
      ...(checkpoint && { resume: checkpoint }),
      decisions: decisions.filter((decision) => pending.has(decision.id)),
    }
    return { ...context, request: (request) => toRequest(request, context) }
  }

  async #finish(
    held: HeldRun,
    result: RunResult,
    status: 'finished' | 'canceled',
    transcript: readonly ChatMessage[],
  ): Promise<void> {
    const uncertain = result.status === 'cancelled' ? uncertainCalls(await this.journal(held.run.id)) : []
    await held.end(status, toStoredResult(result, uncertain), {
      statements: await held.journal.transcriptTo(transcript),
    })
  }

  async #resultOf<Output>(run: StoredRun): Promise<RunResult<Output>> {
    const { database, codec } = this.#parts
    const rows = await database.read('SELECT body FROM transcript WHERE run = ? ORDER BY seq', [run.id])
    const transcript = rows.map(({ body }) => codec.decode(body) as ChatMessage)
    return fromStoredResult(run.result ?? {}, transcript) as RunResult<Output>
  }

  #changeOf(id: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        unwatch()
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, retryMs)
      const unwatch = this.#parts.database.watch(stateKey(id), done)
      signal?.addEventListener('abort', done, { once: true })
    })
  }
}

const queueOf = (id: string): string => `run:${id}`

/** True for a run that nothing changes any more. */
export const isOver = ({ status }: StoredRun): boolean =>
  status === 'finished' || status === 'canceled' || status === 'stopped'

function toRequest<Output>(
  request: InferRequest<Output>,
  { id, journal, sink, signal, resume, messages, decisions }: Omit<DurableRun, 'request'>,
): InferRequest<Output> {
  const { query, messages: given, history, ...rest } = request
  const start = {
    ...(query !== undefined && { query }),
    ...(given !== undefined && { messages: given }),
    ...(history !== undefined && { history }),
  }
  return {
    ...rest,
    ...(resume ? { messages, resume, decisions } : start),
    runId: id,
    scope: { ...rest.scope, keyPrefix: rest.scope?.keyPrefix ?? id },
    journal,
    sink,
    signal: rest.signal ? AbortSignal.any([rest.signal, signal]) : signal,
  }
}

/** When a suspended run has to look again: the first deadline of what it waits for. */
function wakeOf(result: Extract<RunResult, { status: 'suspended' }>): number | undefined {
  const times = result.pending.flatMap((item) =>
    item.type === 'approval' ? (item.expiresAt ?? []) : item.type === 'uncertain' ? [] : (item.until ?? []),
  )
  return times.length > 0 ? Math.min(...times) : undefined
}

/** The database may be away, or the claim lost: then the lease's end gives the run back. */
const giveBack = (held: HeldRun): Promise<void> => held.release().catch(() => undefined)

const cancelIdle = (run: StoredRun, now: number, result: string): { sql: string; params: (string | number)[] } => ({
  sql: `UPDATE runs SET status = 'canceled', epoch = epoch + 1, result = ?, updated = ?
    WHERE id = ? AND epoch = ? AND status IN ('ready', 'suspended')`,
  params: [result, now, run.id, run.epoch],
})
