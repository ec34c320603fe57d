import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { judge, type Outcome } from './judge.ts'
import type { Moment } from './moments.ts'
import { type Effect, type Fate, openWorld } from './world.ts'

export type { Outcome } from './judge.ts'

/** The calls of each job; `refund` needs an approval. */
export const calls = ['pay', 'note', 'refund']

/**
 * How long a process may take until all its jobs have ended, and how long it is waited for the last
 * of its jobs at the moment of a kill.
 */
const patienceMs = 180_000
const gatherMs = 30_000

export interface TryOptions {
  /** The adapter's program. */
  readonly program: string
  /** A folder, or the address of a database. */
  readonly store: string
  /** Names of the jobs that one process works on at the same time. */
  readonly jobs: readonly string[]
  /** Nothing is killed without one. */
  readonly moment?: Moment
  /** How long the jobs take undisturbed, in milliseconds: a random moment lies within. */
  readonly usualMs?: number
  /** Environment of the processes. */
  readonly env?: Readonly<Record<string, string>>
}

interface Wait {
  readonly kind: string
  readonly call: string
}

/** What a worker reports; `door.mjs` has the other half. */
interface Report {
  readonly job: string
  readonly began?: true
  readonly accepted?: string
  readonly waits?: readonly Wait[]
  readonly text?: string
  readonly missing?: true
  readonly failed?: string
}

/** One job, through all its processes. */
class Job {
  readonly name: string
  role: 'start' | 'resume' = 'start'
  accepted: string | undefined
  starts = 0
  asked = 0
  failures: string[] = []
  text: string | undefined
  isOver = false
  /** A response to it was lost, which happens once. */
  hasLostReply = false
  /**
   * In this process: it has reported an end, or something to send back once all are at the moment
   * of the kill.
   */
  isSettled = false
  held: (() => void) | undefined

  constructor(name: string) {
    this.name = name
  }

  /**
   * Decides what the next process does with it: a failure is tried once more, and what nothing is
   * stored of is started again.
   */
  take({ text, failed, missing }: Report): void {
    this.isSettled = true
    this.text = text
    if (failed !== undefined) this.failures.push(failed)
    if (missing && this.failures.length === 0 && this.starts < 2) this.role = 'start'
    else if (missing) this.failures.push('nothing is stored of it')
    this.isOver = text !== undefined || this.failures.length > 1
  }
}

/**
 * Starts jobs in one process, kills it when all of them are at the moment, starts the next one, and
 * judges each job by the ledger.
 */
export class Try {
  readonly #options: TryOptions
  readonly #jobs: readonly Job[]
  #child: ChildProcess | undefined
  #worker = 0
  #kills = 0
  #startedAt = 0
  #beganAt = 0
  #recoveryMs: number | undefined
  #isKilled = false

  constructor(options: TryOptions) {
    this.#options = options
    this.#jobs = options.jobs.map((name) => new Job(name))
  }

  /**
   * @returns what became of each job, and how long all took from the beginning of the first process
   */
  async run(): Promise<{ readonly outcomes: readonly Outcome[]; readonly usualMs: number }> {
    const world = await openWorld(
      (what, send) => this.#onArrival(what, send),
      this.#options.moment?.losesReply,
    )
    try {
      for (let count = 0; count < 8 && this.#open().length > 0; count++)
        await this.#runWorker(world.url, world.effects)
      const usualMs = performance.now() - this.#beganAt
      const outcomes = this.#jobs.map(({ name, text, failures, asked }) => ({
        ...judge(
          world.effects.filter(({ job }) => job === name),
          calls,
          text,
          failures[0],
        ),
        kills: this.#kills,
        asked,
        ...(this.#recoveryMs !== undefined && { recoveryMs: this.#recoveryMs }),
      }))
      return { outcomes, usualMs }
    } finally {
      world.close()
    }
  }

  readonly #open = (): readonly Job[] => this.#jobs.filter(({ isOver }) => !isOver)

  async #runWorker(url: string, effects: readonly Effect[]): Promise<void> {
    const { store, moment, usualMs = 0, env, program } = this.#options
    const open = this.#open()
    this.#reset(open)
    const settings = {
      store,
      model: `${url}/v1`,
      ledger: `${url}/ledger`,
      jobs: open.map(({ name, role, accepted }) => ({ job: name, calls, role, accepted })),
    }
    const child = fork(program, {
      env: { ...process.env, ...env, KILL_SETTINGS: JSON.stringify(settings) },
      silent: true,
      execArgv: [],
    })
    this.#child = child
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2000)))
    child.stdout?.resume()
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
    const exited = once(child, 'exit')
    for (const job of open) job.role = 'resume'
    await new Promise<void>((resolve) => {
      const onReport = (report: Report): void => {
        const job = this.#jobs.find(({ name }) => name === report.job)
        if (report.began) {
          if (this.#worker === 1) this.#beganAt = performance.now()
          if (moment?.isRandom && this.#worker === 1)
            setTimeout(() => this.#kill(), Math.random() * usualMs)
        } else if (!job || this.#isKilled) return
        else if (report.accepted) job.accepted = report.accepted
        else if (report.waits) this.#onWaits(job, report.waits, effects)
        else {
          this.#noteSign()
          job.take(report)
          this.#killWhenGathered()
        }
        if (open.every(({ isSettled }) => isSettled)) resolve()
      }
      child.on('message', onReport)
      void exited.then(() => {
        resolve()
      })
    })
    clearTimeout(timer)
    const ends = this.#isKilled ? [] : open
    this.#isKilled = true
    child.kill('SIGKILL')
    await exited
    for (const job of ends)
      if (!job.isSettled)
        job.take({ job: job.name, failed: `no result: ${said.trim().split('\n').at(-1) ?? ''}` })
  }

  #reset(open: readonly Job[]): void {
    this.#worker++
    this.#startedAt = performance.now()
    this.#recoveryMs = undefined
    this.#isKilled = false
    for (const job of open) {
      job.isSettled = false
      job.held = undefined
      if (job.role === 'start') job.starts++
    }
  }

  #onArrival(
    what: { readonly model?: number; readonly effect?: Effect; readonly job: string },
    send: () => void,
  ): Fate {
    this.#noteSign()
    const job = this.#jobs.find(({ name }) => name === what.job)
    if (!job || !this.#isMoment(what)) return 'sent'
    if (!this.#options.moment?.losesReply) {
      this.#hold(job, send)
      return 'held'
    }
    if (job.hasLostReply) return 'sent'
    job.hasLostReply = true
    return 'lost'
  }

  #onWaits(job: Job, waits: readonly Wait[], effects: readonly Effect[]): void {
    this.#noteSign()
    const send = (): void => {
      job.asked += waits.filter(({ kind }) => kind === 'uncertain').length
      const decisions = waits.map((wait) =>
        decide(
          wait,
          effects.filter((effect) => effect.job === job.name),
        ),
      )
      this.#child?.send({ job: job.name, decisions })
    }
    if (this.#isMoment({ asks: waits.some(({ kind }) => kind === 'approval') }))
      this.#hold(job, send)
    else send()
  }

  readonly #isMoment = (what: {
    readonly model?: number
    readonly effect?: Effect
    readonly asks?: boolean
  }): boolean =>
    this.#options.moment?.isIt({ worker: this.#worker, kills: this.#kills, ...what }) === true

  #hold(job: Job, send: () => void): void {
    job.held = send
    const worker = this.#worker
    setTimeout(() => worker === this.#worker && this.#killHeld(), gatherMs).unref()
    this.#killWhenGathered()
  }

  #killWhenGathered(): void {
    const running = this.#open().filter(({ isSettled }) => !isSettled)
    if (running.length > 0 && running.every(({ held }) => held)) this.#killHeld()
  }

  #killHeld(): void {
    const { moment } = this.#options
    if (moment?.isLater) {
      for (const { held } of this.#open()) held?.()
      setTimeout(() => this.#kill(), Math.random() * 50)
    } else this.#kill()
  }

  #kill(): void {
    if (this.#isKilled) return
    this.#isKilled = true
    this.#kills++
    this.#child?.kill('SIGKILL')
  }

  #noteSign(): void {
    if (this.#worker > 1) this.#recoveryMs ??= performance.now() - this.#startedAt
  }
}

/**
 * What the person says: approvals are given; a call of unknown outcome is looked up in the ledger.
 */
function decide(wait: Wait, effects: readonly Effect[]): object {
  const happened = wait.kind === 'uncertain' && effects.some(({ call }) => call === wait.call)
  return { ...wait, ...(happened && { result: `done ${wait.call}` }) }
}
