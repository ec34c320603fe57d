import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** True where processes can be looked into. */
export const canSeeProcesses: boolean = process.platform === 'linux' && existsSync('/proc/self/cmdline')

/** What others on the computer can read of a process. */
export interface SeenProcess {
  readonly pid: number
  readonly arguments: string
  readonly environment: string
}

/** Looks again and again at a process and everything that it starts, until it is told to stop. */
export class ProcessWatch {
  readonly seen: SeenProcess[] = []
  readonly #root: number
  readonly #timer: ReturnType<typeof setInterval>

  constructor(root: number) {
    this.#root = root
    this.look()
    this.#timer = setInterval(() => { this.look() }, 50)
  }

  /** Looks once. */
  look(): void {
    const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), parentOf(Number(name))]))
    const isInTree = (pid: number | undefined): boolean => pid !== undefined && pid > 0 && (pid === this.#root || isInTree(parents.get(pid)))
    for (const pid of parents.keys()) if (isInTree(pid)) this.seen.push({ pid, arguments: read(pid, 'cmdline'), environment: read(pid, 'environ') })
  }

  /** Stops looking. */
  stop(): void {
    clearInterval(this.#timer)
  }
}

/** A process that has ended has nothing to read. */
function read(pid: number, what: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}

/** The name, which may hold anything, stands in brackets before the state and the parent. */
const parentOf = (pid: number): number | undefined => Number(/^\S+ (\d+)/.exec(read(pid, 'stat').replace(/^.*\) /s, ''))?.[1]) || undefined
