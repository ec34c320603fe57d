// What a process holds.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
import type { Worker } from 'node:worker_threads'

export interface ProcessSample {
  /** Bytes of the objects of the program after a collection, without its code. */
  readonly heap: number
  /** Bytes of code: what the engine has read and compiled of the program so far. */
  readonly code: number
  /**
   * Bytes of the heaps of its threads; 0 without threads. A thread collects by itself: see
   * `sqlite-thread.ts`.
   */
  readonly threads: number
  readonly rss: number
  /** What keeps the event loop alive besides timers: sockets, servers, pending requests. */
  readonly handles: number
  readonly timers: number
  /** Open file descriptors; 0 where the platform does not list them. */
  readonly files: number
  /** Seconds of processor time since its start. */
  readonly cpu: number
}

const descriptors = '/proc/self/fd'
const workers = new Set<Worker>()
process.on('worker', (worker: Worker) => {
  workers.add(worker)
  worker.once('exit', () => workers.delete(worker))
})

/** Bytes that are used in the spaces whose name fits. */
const spaces = (pattern: RegExp): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => sum + (pattern.test(name) ? used : 0),
    0,
  )
const codeSpaces = /code|trusted/
const objectSpaces = /^(?!.*(code|trusted))/

/** Collects garbage and looks at this process; it must run with `--expose-gc`. */
export async function sampleProcess(): Promise<ProcessSample> {
  const collect = globalThis.gc
  if (!collect) throw new Error('run node with --expose-gc')
  // A finalizer that the first collection scheduled frees more.
  collect()
  await new Promise((resolve) => setTimeout(resolve, 20))
  collect()
  const { rss } = process.memoryUsage()
  const heaps = await Promise.all([...workers].map((worker) => worker.getHeapStatistics()))
  const { user, system } = process.cpuUsage()
  const resources = process.getActiveResourcesInfo()
  const timers = resources.filter((name) => name === 'Timeout').length
  return {
    heap: spaces(objectSpaces),
    code: spaces(codeSpaces),
    threads: heaps.reduce((sum, { used_heap_size: used }) => sum + used, 0),
    rss,
    handles: resources.length - timers,
    timers,
    files: existsSync(descriptors) ? readdirSync(descriptors).length : 0,
    cpu: (user + system) / 1e6,
  }
}

/** Seconds of processor time of another process; 0 where the platform does not tell. */
export function cpuOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}
