// What a process holds.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface ProcessSample {
  /** Bytes of the heap after a collection. */
  readonly heap: number
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

/** Collects garbage and looks at this process; it must run with `--expose-gc`. */
export async function sampleProcess(): Promise<ProcessSample> {
  const collect = globalThis.gc
  if (!collect) throw new Error('run node with --expose-gc')
  // A finalizer that the first collection scheduled frees more.
  collect()
  await new Promise((resolve) => setTimeout(resolve, 20))
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const resources = process.getActiveResourcesInfo()
  const timers = resources.filter((name) => name === 'Timeout').length
  return {
    heap: heapUsed,
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
