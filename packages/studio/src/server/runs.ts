import { LlmError } from '@modelport/core'
import { recordCassette } from '@modelport/provider-mock'
import type { RunRecord, RunSummary, StartRun, StudioEvent } from '../protocol/protocol.js'
import { toExchanges } from './exchanges.js'
import { LiveRun, titleOf } from './live-run.js'
import type { StudioModel, StudioOptions } from './studio-options.js'
import { createMemoryStore, type StudioStore, toSummary } from './studio-store.js'

const maxListed = 500

/** Every run of this studio: those that are under way, and those in the store. */
export class Runs {
  readonly #options: StudioOptions
  readonly #store: StudioStore
  readonly #memory: StudioStore = createMemoryStore()
  readonly #live = new Map<string, LiveRun>()
  readonly #ending = new Set<Promise<void>>()

  constructor(options: StudioOptions) {
    this.#options = options
    this.#store = options.store ?? this.#memory
  }

  /** Starts a run and returns at once. @throws {LlmError} `config` — there is no such tool. */
  async start(request: StartRun, model: StudioModel): Promise<RunRecord> {
    const offered = this.#options.tools ?? []
    const names = request.tools ?? offered.map(({ definition }) => definition.name)
    const unknown = names.find((name) => !offered.some(({ definition }) => definition.name === name))
    if (unknown !== undefined) throw new LlmError('config', `there is no tool ${JSON.stringify(unknown)}`)
    const run: RunRecord = {
      id: `run-${crypto.randomUUID()}`,
      at: Date.now(),
      model: model.id,
      title: titleOf(request.messages),
      status: 'running',
      messages: request.messages,
      ...(request.from && { from: request.from }),
      ...(request.offTheRecord && { offTheRecord: true }),
    }
    const store = this.#storeOf(run)
    await store.save(run)
    const { fetch, proxy, secrets = [] } = model
    const recorder = recordCassette({ secrets, ...(fetch && { fetch }), ...(proxy !== undefined && { proxy }) })
    const live = new LiveRun(run, {
      model,
      tools: offered.filter(({ definition }) => names.includes(definition.name)),
      now: Date.now,
      provider: async () => model.open(recorder.fetch),
    })
    this.#live.set(run.id, live)
    const ended = live.start(request).then(async (final) => {
      const cassette = recorder.cassette()
      await store.save(final)
      await store.append(run.id, live.events)
      await store.keepExchanges(run.id, toExchanges(cassette), cassette)
      this.#live.delete(run.id)
      await this.#prune()
    })
    const kept = ended.catch(() => undefined).finally(() => this.#ending.delete(kept))
    this.#ending.add(kept)
    return run
  }

  /** The run while it is under way. */
  live(runId: string): LiveRun | undefined {
    return this.#live.get(runId)
  }

  /** The run, under way or kept. */
  async find(runId: string): Promise<RunRecord | undefined> {
    return this.#live.get(runId)?.run ?? (await this.#memory.run(runId)) ?? (await this.#store.run(runId))
  }

  /** Events of a run that has ended, after this number. */
  async events(runId: string, after: number): Promise<readonly StudioEvent[]> {
    return (await this.storeFor(runId)).events(runId, after)
  }

  /** The store that keeps this run. */
  async storeFor(runId: string): Promise<StudioStore> {
    return (await this.#memory.run(runId)) ? this.#memory : this.#store
  }

  /** The newest runs first. */
  async list(): Promise<RunSummary[]> {
    const stores = this.#store === this.#memory ? [this.#store] : [this.#store, this.#memory]
    const lists = await Promise.all(stores.map((store) => store.list(maxListed)))
    return lists
      .flat()
      .map((summary) => {
        const live = this.#live.get(summary.id)
        return live ? toSummary(live.run) : summary
      })
      .sort((one, other) => other.at - one.at)
      .slice(0, maxListed)
  }

  /** Stops the run if it is under way, and deletes it. */
  async delete(runId: string): Promise<void> {
    this.#live.get(runId)?.stop()
    await (await this.storeFor(runId)).delete(runId)
  }

  /** Stops every run and waits until each is kept. */
  async close(): Promise<void> {
    for (const live of this.#live.values()) live.stop()
    await Promise.all(this.#ending)
    await this.#store.close()
  }

  #storeOf(run: RunRecord): StudioStore {
    return run.offTheRecord ? this.#memory : this.#store
  }

  async #prune(): Promise<void> {
    const { maxRuns = 1000 } = this.#options
    const all = await this.#store.list(maxRuns + 50)
    for (const { id } of all.slice(maxRuns)) await this.#store.delete(id)
  }
}
