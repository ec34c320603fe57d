import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** True where processes can be looked into. */
export const canSeeProcesses: boolean =
  process.platform === 'linux' && existsSync('/proc/self/cmdline')

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
    this.#timer = setInterval(() => {
      this.look()
    }, 50)
  }

  /**
   * Looks once. A process that was only forked is passed over: until it runs a program of its own
   * it shows what its parent shows.
   */
  look(): void {
    const processes = new Map(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => [Number(name), originOf(Number(name))]),
    )
    const isInTree = (pid: number): boolean =>
      pid > 0 && (pid === this.#root || isInTree(processes.get(pid)?.parent ?? 0))
    for (const [pid, { isForked }] of processes) {
      if (!isForked && isInTree(pid))
        this.seen.push({ pid, arguments: read(pid, 'cmdline'), environment: read(pid, 'environ') })
    }
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

interface Origin {
  readonly parent: number
  readonly isForked: boolean
}

/** The kernel's flag for a process that was forked and has run no program since. */
const forkNoExec = 0x40

/**
 * The name, which may hold anything, stands in brackets before the state, the parent, four other
 * numbers and the flags.
 */
function originOf(pid: number): Origin {
  const [, parent = 0, , , , , flags = 0] = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  return { parent, isForked: (flags & forkNoExec) !== 0 }
}
