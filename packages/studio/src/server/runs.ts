import { configError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { type CassetteRecorder, recordCassette } from '@modelport/provider-mock'
import type { RunJournal, Tool } from '@modelport/runtime'
import type {
  AgentTaskInfo,
  RunRecord,
  RunSettings,
  RunSummary,
  StartRun,
  StudioEvent,
} from '../protocol/protocol.js'
import {
  type RunGrouping,
  type RunGroupTotals,
  type RunNames,
  type RunQuery,
  sortedBy,
} from '../protocol/run-query.js'
import { isOver } from '../protocol/run-status.js'
import { createMemoryStore } from '../store/file-store.js'
import { toSummary } from '../store/run-summary.js'
import { type StoredJournal, toRunJournal } from '../store/studio-journals.js'
import type { StudioStore } from '../store/studio-store.js'
import { agentRun } from './agent-run.js'
import { toExchanges } from './exchanges.js'
import { LiveRun, titleOf } from './live-run.js'
import { modelRun } from './model-run.js'
import { Traces } from './otlp/traces.js'
import type { ProgramRun } from './program-run.js'
import { importRun, type RunFile } from './run-file.js'
import { RunLog } from './run-log.js'
import type { ExecuteRun } from './run-port.js'
import type { StudioAgent, StudioFetch, StudioModel, StudioOptions } from './studio-options.js'
import { offeredTools, sourcesWithout } from './tool-sources.js'

/** Maximum runs of one page of the list. */
const maxListed = 500

/** True for an agent behind an address. */
export const isAgent = (target: StudioModel | StudioAgent): target is StudioAgent => 'url' in target

/** Records what the target sends, with its secrets taken out. */
export function recorderOf(target: StudioModel | StudioAgent): CassetteRecorder {
  const { fetch, proxy }: { fetch?: StudioFetch; proxy?: string } = isAgent(target) ? {} : target
  const secrets = target.secrets ?? []
  return recordCassette({ secrets, ...(fetch && { fetch }), ...(proxy !== undefined && { proxy }) })
}

/** One run to be run in the background. */
interface Launch {
  readonly run: RunRecord
  readonly request: StartRun
  readonly target: StudioModel | StudioAgent
  readonly tools: readonly Tool[]
  /** True when the run repeats a part of its origin. */
  readonly repeats?: boolean | undefined
  /** The task of the conversation at a remote agent. */
  readonly task?: AgentTaskInfo | undefined
  /** What the run continues from. */
  readonly stored?: StoredJournal
  /** The events of the run so far. */
  readonly events?: readonly StudioEvent[]
}

/** The journal of a run, written with its events; undefined if the store keeps no journals. */
function journalOf({ journals }: StudioStore, runId: string, log: RunLog): RunJournal | undefined {
  return (
    journals &&
    toRunJournal(
      (record) => log.record(journals, record),
      () => journals.read(runId),
    )
  )
}

function settingsOf({ messages: _messages, ...settings }: StartRun): RunSettings {
  return settings
}

/** A run as it is listed: nobody stops that of a program from here. */
const shown = (run: RunRecord): RunRecord =>
  run.program === undefined || isOver(run) ? run : { ...run, elsewhere: true }

/** Every run of this studio: those that are under way, and those in the store. */
export class Runs {
  readonly #options: StudioOptions
  readonly #store: StudioStore
  readonly #memory: StudioStore = createMemoryStore()
  readonly #live = new Map<string, LiveRun>()
  readonly #ending = new Map<string, Promise<void>>()
  /** Number of runs that have ended. */
  #ended = 0
  /** The runs that are traces of other programs. */
  readonly traces: Traces

  constructor(options: StudioOptions) {
    this.#options = options
    this.#store = options.store ?? this.#memory
    this.traces = new Traces(this.#store)
  }

  /** Starts a run and returns at once. @throws {LlmError} `config` — there is no such tool. */
  async start(request: StartRun, target: StudioModel | StudioAgent): Promise<RunRecord> {
    const tools = this.#toolsOf(request, target)
    const origin = request.from && (await this.find(request.from.runId))
    const run: RunRecord = {
      id: `run-${crypto.randomUUID()}`,
      at: Date.now(),
      model: request.model,
      title: titleOf(request.messages),
      status: 'running',
      messages: request.messages,
      ...(request.from && { from: request.from }),
      ...(request.budget && { budget: request.budget }),
      ...(request.offTheRecord && { offTheRecord: true }),
      ...(!isAgent(target) &&
        target.profile?.prices?.currency !== undefined && {
          currency: target.profile.prices.currency,
        }),
      settings: settingsOf(request),
    }
    await this.#keepNew(run, !isAgent(target))

    const isContinued =
      origin?.model === request.model && origin.transcript?.length === request.from?.messages
    const repeats = origin && request.from.messages < (origin.transcript ?? origin.messages).length
    const task = isContinued ? origin.task : undefined
    this.#launch({ run, request, target, tools, repeats, task })
    return run
  }

  /** Writes a run that begins. If its journal cannot be written, the run is kept as failed. */
  async #keepNew(run: RunRecord, withJournal: boolean): Promise<void> {
    const store = this.#storeOf(run)
    await store.save(run)
    try {
      if (withJournal && run.settings) await store.journals?.claim(run.id, run.settings)
    } catch (error) {
      const message = errorText(error)
      await store.save({
        ...run,
        status: 'failed',
        error: { code: 'config', message },
        latencyMs: 0,
      })
      throw error
    }
  }

  /**
   * Continues a run that was cut off when a studio ended. Every tool call asks a person, also in a
   * run that was started without.
   * @throws {LlmError} `config` — this run cannot be continued, or one of its tools is not there.
   */
  async continue(runId: string, target: StudioModel | StudioAgent): Promise<RunRecord> {
    if (this.#live.has(runId)) throw configError('this run is already under way')
    const store = await this.storeFor(runId)
    const interrupted = await store.run(runId)
    const { journals } = store
    const before =
      interrupted?.canContinue && !isAgent(target) ? await journals?.read(runId) : undefined
    if (!interrupted || !journals || !before)
      throw configError(
        'this run cannot be continued; run it again, or fork it from one of its messages',
      )
    const { canContinue: _canContinue, error: _error, ...left } = interrupted
    const tools = this.#toolsOf({ ...before.settings, messages: left.messages }, target)
    await journals.claim(runId, before.settings)
    const stored = (await journals.read(runId)) ?? before
    const events = await store.events(runId, 0)
    const run: RunRecord = { ...left, status: 'running' }
    await store.save(run)
    // Two pages may have asked at once.
    if (this.#live.has(runId)) throw configError('this run is already under way')
    const request: StartRun = { ...stored.settings, messages: left.messages, approvals: 'ask' }
    this.#launch({ run, request, target, tools, stored, events })
    return run
  }

  /** Runs in the background, recording each step. */
  #launch({ run, request, target, tools, repeats, task, stored, events }: Launch): void {
    const store = this.#storeOf(run)
    let recorder: CassetteRecorder | undefined

    // An error that is thrown in here fails the run, and is stored with it.
    const execute: ExecuteRun = async (start, port) => {
      recorder = recorderOf(target)
      const { fetch } = recorder
      if (isAgent(target)) return agentRun(target.open(fetch), task)(start, port)

      return modelRun({
        runId: run.id,
        tools,
        repeats,
        stored,
        // `log` is there by then: the run starts below, when it is followed.
        journal: journalOf(store, run.id, log),
        profile: target.profile,
        sources: request.tools ? [] : sourcesWithout(this.#options.sources ?? [], request.without),
        provider: async () => target.open(fetch),
      })(start, port)
    }
    const live = new LiveRun(run, execute, Date.now, events)
    const log = new RunLog(store, live)

    this.#follow(live, request, log, async () => {
      const cassette = recorder?.cassette()
      if (!cassette) return
      const replayable = isAgent(target) ? undefined : cassette
      await store.keepExchanges(run.id, toExchanges(cassette), replayable)
    })
  }

  /** Starts the run, and keeps how it ends. */
  #follow(live: LiveRun, request: StartRun, log: RunLog, onKept: () => Promise<void>): void {
    const { id } = live.run
    this.#live.set(id, live)
    const ended = live.start(request).then(async (final) => {
      await log.finish()
      await this.#storeOf(final).save(final)
      await onKept()
      this.#live.delete(id)
      await this.#prune()
    })
    const kept = ended
      .catch((error: unknown) => live.markNotKept(error))
      .finally(() => this.#ending.delete(id))
    this.#ending.set(id, kept)
  }

  /** Shows a run that happens in another program. False: another run has this id. */
  async adopt(program: ProgramRun): Promise<boolean> {
    const { record } = program
    const {
      error: _e,
      transcript: _t,
      usage: _u,
      ...known
    } = (await this.find(record.id)) ?? record
    if (known.program !== record.program || this.#live.has(record.id)) return false
    const run: RunRecord = { ...known, status: 'running' }
    const events = await this.#store.events(run.id, 0)
    for (const one of events) if (one.type === 'run') program.told.add(one.event)
    await this.#store.save(run)
    const live = new LiveRun(run, program.execute, () => program.now, events)
    this.#follow(live, run, new RunLog(this.#store, live), () => Promise.resolve())
    return true
  }

  /** The run while it is under way. */
  live(runId: string): LiveRun | undefined {
    return this.#live.get(runId)
  }

  /** The run, under way or kept. */
  async find(runId: string): Promise<RunRecord | undefined> {
    const live = this.#live.get(runId)
    return (
      (live && shown(live.run)) ?? (await this.#memory.run(runId)) ?? (await this.#store.run(runId))
    )
  }

  /** Events of a run that has ended, after this number. */
  async events(runId: string, after: number): Promise<readonly StudioEvent[]> {
    const run = runId.startsWith('trace-') ? await this.#store.run(runId) : undefined
    if (run) return (await this.traces.events(run)).slice(after)
    return (await this.storeFor(runId)).events(runId, after)
  }

  /** The store that keeps this run. */
  async storeFor(runId: string): Promise<StudioStore> {
    return (await this.#memory.run(runId)) ? this.#memory : this.#store
  }

  /** The newest runs that match, those off the record included. */
  async list(limit: number = maxListed, query: RunQuery = {}): Promise<RunSummary[]> {
    // A store has a run that waits as running.
    const stored = query.status === 'waiting' ? { ...query, status: 'running' as const } : query
    const { sort, skip = 0 } = query
    const most = Math.min(limit, maxListed)
    const lists = await Promise.all(
      this.#stores.map((store) => store.list(skip + most, { ...stored, skip: 0 })),
    )
    const valueOf = (run: RunSummary): number => (sort ? sortedBy(sort, run) : 0)
    return lists
      .flat()
      .map((summary) => ({ ...summary, ...this.#liveSummary(summary.id) }))
      .filter(({ status }) => query.status === undefined || status === query.status)
      .sort((one, other) => valueOf(other) - valueOf(one) || (other.key ?? 0) - (one.key ?? 0))
      .slice(skip, skip + most)
  }

  /** Sums over all runs that match; those off the record count in none. */
  async totals(query: RunQuery, by?: RunGrouping): Promise<readonly RunGroupTotals[]> {
    return this.#store.totals(query, by)
  }

  /** The programs, models, tools and errors of all runs. */
  async names(): Promise<RunNames> {
    return this.#store.names()
  }

  /** Keeps a run of a file as a new one. */
  async import(file: RunFile): Promise<RunRecord> {
    return importRun(this.#store, file)
  }

  /** Stops the run if it is under way, and deletes it. */
  async delete(runId: string): Promise<void> {
    const live = this.#live.get(runId)
    live?.stop()
    if (live?.run.notKept !== undefined) this.#live.delete(runId)
    // The end of a run writes it once more.
    else if (live) await this.#ending.get(runId)
    await (await this.storeFor(runId)).delete(runId)
  }

  /** Interrupts every run and waits until each is kept. */
  async close(): Promise<void> {
    for (const [id, live] of this.#live) {
      const journal = await (await this.storeFor(id)).journals?.read(id).catch(() => undefined)
      live.interrupt(journal !== undefined)
    }
    await Promise.all([...this.#ending.values(), this.traces.last])
    await Promise.all(this.#stores.map((store) => store.close()))
  }

  #toolsOf(request: StartRun, target: StudioModel | StudioAgent): readonly Tool[] {
    const own = isAgent(target) ? [] : (target.tools ?? [])
    const offered = offeredTools(own, this.#options.tools)
    const names = request.tools ?? offered.map(({ definition }) => definition.name)
    const unknown = names.find(
      (name) => !offered.some(({ definition }) => definition.name === name),
    )
    if (unknown !== undefined) throw configError(`there is no tool ${JSON.stringify(unknown)}`)
    const { without = [] } = request
    return offered.filter(
      ({ definition: { name } }) => names.includes(name) && !without.includes(name),
    )
  }

  #liveSummary(runId: string): RunSummary | undefined {
    const live = this.#live.get(runId)
    return live && toSummary(shown(live.run))
  }

  get #stores(): readonly StudioStore[] {
    return this.#store === this.#memory ? [this.#store] : [this.#store, this.#memory]
  }

  #storeOf(run: RunRecord): StudioStore {
    return run.offTheRecord ? this.#memory : this.#store
  }

  /**
   * Deletes old runs, if there is a maximum: at the first end of a run, then after each hundredth
   * of the maximum.
   */
  async #prune(): Promise<void> {
    const { maxRuns } = this.#options
    if (maxRuns === undefined) return
    if (this.#ended++ % Math.ceil(maxRuns / 100) === 0) await this.#store.prune(maxRuns)
  }
}
