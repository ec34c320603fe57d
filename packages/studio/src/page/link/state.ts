import { effect, type Signal, signal } from '@preact/signals'
import type { RunRecord, RunSummary, StudioEvent, StudioInfo } from '../../protocol/protocol.js'
import { get, post, StudioError, stream } from './api.js'
import { connection, reconnected } from './connection.js'
import { kept } from './kept.js'
import { RunView } from './run-view.js'

/** Where the page is: the parts of the address's fragment, such as `['run', 'run-1', 'raw']`. */
export const route: Signal<readonly string[]> = signal([])

/** What follows the question mark of the fragment: the filters of a list. */
export const parameters: Signal<Readonly<Record<string, string>>> = signal({})

/** Reads the address of the page. */
function readRoute(): void {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  route.value = path.split('/').filter(Boolean).map(decodeURIComponent)
  parameters.value = Object.fromEntries(new URLSearchParams(query))
}

/**
 * Sets a parameter of the address; an empty value removes it. `replaces`: the back button does not
 * stop at the address before.
 */
export function setParameter(name: string, value: string, replaces: boolean = false): void {
  const { [name]: _before, ...rest } = parameters.value
  const query = new URLSearchParams(value ? { ...rest, [name]: value } : rest).toString()
  const path = `#/${route.value.map(encodeURIComponent).join('/')}${query && `?${query}`}`
  history[replaces ? 'replaceState' : 'pushState'](undefined, '', path)
  readRoute()
}

/** Follows the address of the page. */
export function followAddress(): void {
  readRoute()
  addEventListener('hashchange', readRoute)
}

/** Goes to another view. */
export const go = (...parts: readonly string[]): void => {
  location.hash = `/${parts.map(encodeURIComponent).join('/')}`
}

/** The data that the page loads when it opens; undefined until then. */
export const info: Signal<StudioInfo | undefined> = signal(undefined)

/** Reads the models, tools and formats again. */
export async function refreshInfo(): Promise<void> {
  info.value = await get<StudioInfo>('/api/info')
}

/** The selected model. */
export const selectedModel: Signal<string> = kept('model')

/** The model of this studio that a run was made with; a program names it by provider and model. */
export function ownModel({ model }: Pick<RunSummary, 'model'>): string | undefined {
  const models = info.value?.models ?? []
  const found =
    models.find(({ id }) => id === model) ??
    models.find(({ provider, model: name }) => `${provider}:${name}` === model)
  return found?.id
}

/** The conversation that the page showed last; empty for a new one. */
export const lastChat: Signal<string> = kept('chat')

effect(() => {
  const models = info.value?.models ?? []
  if (models[0] && !models.some(({ id }) => id === selectedModel.peek()))
    selectedModel.value = models[0].id
})

/** A run that this page watches. */
export interface WatchedRun {
  readonly record: Signal<RunRecord>
  readonly view: RunView
  /** Grows each time the view has changed, at most once a frame. */
  readonly version: Signal<number>
}

const watched = new Map<string, WatchedRun>()

/**
 * Watches a run: reads its events from the first, and again from the last one when the connection
 * breaks.
 */
export async function watch(id: string): Promise<WatchedRun> {
  const known = watched.get(id)
  // More spans of a trace may have arrived.
  if (known && !id.startsWith('trace-')) return known
  const record = signal(await get<RunRecord>(`/api/runs/${id}`))
  const version = signal(0)
  const view = new RunView(record.value.at)
  const run = { record, view, version }
  watched.set(id, run)
  void follow(id, run)
  return run
}

/** Milliseconds in which events are added before the browser may draw. */
const sliceMs = 8

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Adds events until the run is over, or the studio refuses this page. */
async function follow(id: string, { record, view, version }: WatchedRun): Promise<void> {
  let frame = 0
  const draw = (): void => {
    frame = 0
    version.value += 1
  }
  for (let isKnown = true; isKnown && !view.ended; ) {
    try {
      let from = performance.now()
      for await (const events of stream<StudioEvent>(`/api/runs/${id}/events?after=${view.seq}`)) {
        view.add(events)
        frame ||= requestAnimationFrame(draw)
        if (performance.now() - from < sliceMs) continue
        await nextTask()
        from = performance.now()
      }
      const { ended } = view as { readonly ended: RunRecord | undefined }
      if (!ended) break
      record.value = { ...record.value, ...ended }
    } catch (error) {
      const isRefused = error instanceof StudioError && connection.value !== 'lost'
      isKnown = !isRefused && (await reconnected())
    }
  }
  // The studio adds up the runs that happened in it; its last event does not.
  const latest = await get<RunRecord>(`/api/runs/${id}`).catch(() => view.ended)
  if (latest) record.value = latest
  cancelAnimationFrame(frame)
  draw()
}

/** Continues a run that was cut off when a studio ended. */
export async function continueRun(id: string, run: WatchedRun): Promise<void> {
  run.record.value = await post<RunRecord>(`/api/runs/${id}/continue`)
  run.view.ended = undefined
  await follow(id, run)
}

/** Starts a run. The caller goes to it. */
export const startRun = async (body: unknown): Promise<RunRecord> =>
  post<RunRecord>('/api/runs', body)
