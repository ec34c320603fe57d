import type { ChatMessage } from '@modelport/core'
import {
  canonicalHash,
  checkDecisions,
  type JournalEntry,
  type PendingItem,
  type ResumeDecision,
  type RunEvent,
  type RunResult,
} from '@modelport/runtime'
import { checkArguments } from '../database/check-arguments.js'
import { DurableError } from '../database/durable-error.js'
import { EventLog, type LogEntry, nextChange } from '../database/event-log.js'
import { lengthen } from '../database/short-form.js'
import type { DurableRunOptions, DurableRuns, StoredRunEvent } from './durable-runs.js'
import { columnsOfEvent, readJournal } from './entries.js'
import { executeRun, type RunFunction } from './execute-run.js'
import { HeldRun, type RunParts } from './held-run.js'
import { ManifestReader } from './manifests.js'
import { PollingWorker } from './polling-worker.js'
import { differences, type RunDefinition, versionOf } from './run-definition.js'
import { eventsOf, stateKey, transcriptOf } from './run-table.js'
import type { RunWorker, RunWorkerOptions } from './run-worker.js'
import { fromStoredResult } from './stored-result.js'
import { isOver, type RunRow, requestIdOf, type StoredRun, waitsForSomebody } from './stored-run.js'

/** How often a call that waits for another worker tries to claim, in milliseconds. */
const retryMs = 200

/** A value as it is after it was stored. */
const toJson = (value: unknown): unknown =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown)

/** The durable runs of a database. */
export class DatabaseRuns implements DurableRuns {
  readonly #parts: RunParts
  readonly #log: EventLog

  constructor(parts: RunParts) {
    this.#parts = parts
    this.#log = new EventLog(parts.database, parts.codec)
  }

  async run<Output>(
    id: string,
    execute: RunFunction<Output>,
    options: DurableRunOptions = {},
  ): Promise<RunResult<Output>> {
    checkArguments('runs.run', { ...options, execute }, { execute: 'required', signal: 'optional' })
    const { signal } = options
    const { table, database } = this.#parts
    await table.create({ id, queue: '', version: '', fingerprint: null })
    for (;;) {
      signal?.throwIfAborted()
      const run = await table.get(id)
      if (isOver(run)) return this.#resultOf<Output>(run)
      if (run.status === 'suspended' && (run.due ?? Infinity) > database.now())
        return this.#resultOf<Output>(run)
      const held = await HeldRun.claim(this.#parts, { from: { id } })
      if (held === undefined) await this.#changeOf(id, signal)
      if (!(held instanceof HeldRun)) continue
      await executeRun(this.#parts, held, execute, signal ? { signal } : {})
      const now = await table.get(id)
      // Also with a deadline that is over already: the caller decides when to look again. It is
      // `ready` if a decision came meanwhile.
      if (now.status === 'suspended') return this.#resultOf<Output>(now)
    }
  }

  async start(id: string, definition: RunDefinition, input?: unknown): Promise<void> {
    const version = versionOf(definition)
    const { name: queue, fingerprint } = definition
    if (await this.#parts.table.create({ id, queue, version, fingerprint, input })) return
    const found = await this.#parts.table.get(id)
    const differs =
      found.queue !== queue
        ? `another definition: ${found.queue || 'a function'}, not ${queue}`
        : canonicalHash(found.fingerprint) !== canonicalHash(fingerprint)
          ? `another version: it differs in ${differences(found.fingerprint, fingerprint)}`
          : canonicalHash(found.input ?? null) !== canonicalHash(toJson(input))
            ? 'another input'
            : undefined
    if (differs !== undefined)
      throw new DurableError('conflict', `run "${id}" was started with ${differs}; use a new id`)
  }

  work(definitions: readonly RunDefinition[], options: RunWorkerOptions = {}): RunWorker {
    checkArguments(
      'runs.work',
      { ...options, runs: definitions },
      { runs: 'required', concurrency: 'optional', onError: 'optional' },
    )
    return new PollingWorker(this.#parts, definitions, options)
  }

  async result(id: string, { signal, ...rest }: DurableRunOptions = {}): Promise<RunResult> {
    checkArguments('runs.result', { ...rest, signal }, { signal: 'optional' })
    for (;;) {
      signal?.throwIfAborted()
      const run = await this.#parts.table.get(id)
      if (isOver(run) || run.status === 'suspended') return this.#resultOf(run)
      await this.#changeOf(id, signal)
    }
  }

  async reopen(id: string, definition?: RunDefinition): Promise<void> {
    const { table, database } = this.#parts
    const run = await table.get(id)
    const { status } = (run.result ?? {}) as { readonly status?: string }
    // Nobody works on it: it may wait for a version that nobody serves any more.
    const isLeft = run.status === 'running' && (run.due ?? Infinity) <= database.now()
    const waits = definition !== undefined && (run.status === 'ready' || isLeft)
    if (run.status !== 'stopped' && !(run.status === 'finished' && status === 'failed') && !waits)
      throw new DurableError(
        'conflict',
        `run "${id}" is ${run.status}; only one that stopped or failed, or with a definition one that nobody works on, can be opened again`,
      )
    const { name: queue, fingerprint } = definition ?? {}
    const under =
      definition && queue !== undefined
        ? { queue, version: versionOf(definition), fingerprint }
        : {}
    if (!(await table.reopen(run, { ...under, acceptsChange: definition !== undefined })))
      throw new DurableError('conflict', `run "${id}" was opened again by somebody else`)
  }

  async decide(id: string, decision: ResumeDecision, shown?: PendingItem): Promise<void> {
    checkArguments('runs.decide', { decision }, { decision: 'required' })
    const { table } = this.#parts
    for (let asked = shown && requestIdOf(shown); ; ) {
      const run = await table.get(id)
      const pending = run.checkpoint?.pending ?? []
      if (isOver(run) || run.cancel !== undefined)
        throw new DurableError(
          'finished',
          `run "${id}" is ${run.cancel === undefined ? run.status : 'cancelled'}: nothing can be decided`,
        )
      const item = pending.find((one) => one.id === decision.id)
      // The run continued meanwhile: what waits now is another thing, even if it has the same name.
      if (!item || (asked ??= requestIdOf(item)) !== requestIdOf(item))
        throw new DurableError(
          'conflict',
          `run "${id}" does not wait for "${asked ?? decision.id}"; it waits for: ${pending.map((one) => requestIdOf(one)).join(', ') || 'nothing'}`,
        )
      try {
        checkDecisions(pending, [decision])
      } catch (cause) {
        throw new DurableError('conflict', `run "${id}": ${(cause as Error).message}`, { cause })
      }
      const isFirst = await table.decide(run, decision)
      if (isFirst) return
      if (isFirst === false)
        throw new DurableError('conflict', `"${decision.id}" of run "${id}" was decided before`)
    }
  }

  async cancel(id: string, reason: string = 'no reason was given'): Promise<void> {
    const { table } = this.#parts
    let isDone = false
    while (!isDone) isDone = await table.cancel(await table.get(id), reason)
  }

  get(id: string): Promise<StoredRun> {
    return this.#parts.table.get(id)
  }

  open(): Promise<readonly StoredRun[]> {
    return this.#parts.table.list(
      `status IN ('ready', 'running', 'suspended') ORDER BY updated, id`,
      [],
    )
  }

  async *events(
    id: string,
    from: number = 1,
    signal?: AbortSignal,
  ): AsyncGenerator<StoredRunEvent> {
    checkArguments('runs.events', { from, signal }, { from: 'required', signal: 'optional' })
    const log = eventsOf(id)
    const isEnd = async (last: number): Promise<boolean> => {
      const run = await this.#parts.table.get(id)
      return (isOver(run) || waitsForSomebody(run)) && last >= run.events
    }
    const whole = (entry: LogEntry): object =>
      lengthen(entry.body as object, id, columnsOfEvent(entry))
    const manifests = new ManifestReader(
      async (seq) => (await this.#log.read(log, seq, 1)).map(whole)[0],
    )
    for await (const entry of this.#log.watch(log, from, isEnd, signal))
      yield { ...(await manifests.toEvent(whole(entry) as RunEvent, entry.seq)), seq: entry.seq }
  }

  journal(id: string): Promise<readonly JournalEntry[]> {
    return readJournal(this.#parts, id)
  }

  async #resultOf<Output>({ id, result = {}, checkpoint }: RunRow): Promise<RunResult<Output>> {
    const entries = await this.#log.read(transcriptOf(id), 1)
    const transcript = entries.map(({ body }) => body as ChatMessage)
    return fromStoredResult(result, transcript, checkpoint)
  }

  async #changeOf(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, stop } = nextChange(this.#parts.database, stateKey(id), signal)
    const timer = setTimeout(stop, retryMs)
    await promise
    clearTimeout(timer)
    stop()
  }
}
