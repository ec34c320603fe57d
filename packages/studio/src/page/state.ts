import { effect, type Signal, signal } from '@preact/signals'
import type { RunRecord, StudioEvent, StudioInfo } from '../protocol/protocol.js'
import { get, post, stream } from './api.js'
import { RunView } from './run-view.js'

/** Where the page is: the parts of the address's fragment, such as `['run', 'run-1', 'raw']`. */
export const route: Signal<readonly string[]> = signal([])

const readRoute = (): readonly string[] =>
  location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent)

/** Follows the address of the page. */
export function followAddress(): void {
  route.value = readRoute()
  addEventListener('hashchange', () => {
    route.value = readRoute()
  })
}

/** Goes to another view. */
export const go = (...parts: readonly string[]): void => {
  location.hash = `/${parts.map(encodeURIComponent).join('/')}`
}

/** What the page loads when it opens; undefined until then. */
export const info: Signal<StudioInfo | undefined> = signal(undefined)

/** Reads the models, tools and formats again. */
export async function refreshInfo(): Promise<void> {
  info.value = await get<StudioInfo>('/api/info')
}

/** The selected model. */
export const selectedModel: Signal<string> = signal('')

effect(() => {
  const models = info.value?.models ?? []
  if (models[0] && !models.some(({ id }) => id === selectedModel.peek())) selectedModel.value = models[0].id
})

/** A run that this page watches. */
export interface WatchedRun {
  readonly record: Signal<RunRecord>
  readonly view: RunView
  /** Grows each time the view has changed, at most once a frame. */
  readonly version: Signal<number>
  /** True when the studio stopped responding before the run had ended. */
  readonly isLost: Signal<boolean>
}

const watched = new Map<string, WatchedRun>()

/** Watches a run: reads its events from the first, and again from the last one when the connection breaks. */
export async function watch(id: string): Promise<WatchedRun> {
  const known = watched.get(id)
  if (known) return known
  const record = signal(await get<RunRecord>(`/api/runs/${id}`))
  const version = signal(0)
  const isLost = signal(false)
  const view = new RunView(record.value.at)
  const run = { record, view, version, isLost }
  watched.set(id, run)
  void follow(id, run, version).then((isOver) => {
    isLost.value = !isOver
  })
  return run
}

/** Milliseconds in which events are added before the browser may draw. */
const sliceMs = 8

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Adds events until the run is over; false when the studio does not respond before that. */
async function follow(id: string, { record, view }: WatchedRun, version: Signal<number>): Promise<boolean> {
  let frame = 0
  const draw = (): void => {
    frame = 0
    version.value += 1
  }
  for (let failures = 0; failures < 5 && !view.ended; ) {
    try {
      let from = performance.now()
      for await (const events of stream<StudioEvent>(`/api/runs/${id}/events?after=${view.seq}`)) {
        view.add(events)
        failures = 0
        frame ||= requestAnimationFrame(draw)
        if (performance.now() - from < sliceMs) continue
        await nextTask()
        from = performance.now()
      }
      const { ended } = view as { readonly ended: RunRecord | undefined }
      if (!ended) break
      record.value = ended
    } catch {
      failures++
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** failures))
    }
  }
  const latest = view.ended ?? (await get<RunRecord>(`/api/runs/${id}`).catch(() => undefined))
  if (latest) record.value = latest
  cancelAnimationFrame(frame)
  draw()
  return latest !== undefined
}

/** Continues a run that was cut off when a studio ended. */
export async function continueRun(id: string, { record, view, version, isLost }: WatchedRun): Promise<void> {
  record.value = await post<RunRecord>(`/api/runs/${id}/continue`)
  view.ended = undefined
  isLost.value = !(await follow(id, { record, view, version, isLost }, version))
}

/** Starts a run. The caller goes to it. */
export const startRun = async (body: unknown): Promise<RunRecord> => post<RunRecord>('/api/runs', body)
