// Random kills: workers die, freeze and are replaced by newer versions while jobs come in and a
// person decides; then every job is judged.
import type { Answer, Effect, Ledger } from './ledger.js'
import { answer, type Decided, isRefusal, judge } from './oracle.js'
import type { Call, Job, Question, Subject, Worker } from './subject.js'

export interface StormOptions {
  readonly subject: Subject
  readonly ledger: Ledger
  readonly workers: number
  /** Jobs that are open at the same time; more come in until the last kill. */
  readonly jobs: number
  /** Kills and freezes; every fifth is a freeze for longer than the lease. */
  readonly kills: number
  /** After so many minutes nothing is killed any more. Default: no limit. */
  readonly minutes?: number
  /** Jobs that each end every process that works on them. */
  readonly poisoned?: number
  /** Jobs whose one call, which may be repeated, takes long: neighbours of the poisoned. */
  readonly slow?: number
  /** How long after the last kill everything must be over, in milliseconds. */
  readonly patienceMs?: number
  /** Jobs without a call that wait from the beginning. */
  readonly backlog?: number
  /** A newer version of the program is started after every so many kills. Default: never. */
  readonly upgradeEvery?: number
  /** Called after every seventh kill: stops the database, say. */
  disturb?(): Promise<void>
  onKill?(kills: number): void
}

export interface StormReport {
  readonly jobs: { readonly runs: number; readonly tasks: number }
  readonly kills: number
  /**
   * How many of them are freezes, kills in the middle of an effect, and kills of the process that
   * has just taken over.
   */
  readonly freezes: number
  readonly inEffect: number
  readonly second: number
  readonly databaseStops: number
  readonly versions: number
  readonly effects: number
  readonly approvals: number
  /** Outcomes that were unknown, and settled by the ledger. */
  readonly uncertain: number
  /** Questions of tools that the user answered. */
  readonly answered: number
  /**
   * Healthy jobs that stopped and continued when they were resumed: as a crash loop, or because
   * their version is gone.
   */
  readonly crashLoops: number
  readonly moved: number
  /** Poisoned jobs that were stopped. */
  readonly poisonStopped: number
  /** Effects of processes that froze right before them, which nothing can stop. */
  readonly late: number
  /** Workers that ended although nobody had killed them. */
  readonly ended: number
  /** What is wrong, in words. */
  readonly wrong: readonly string[]
}

const call = (name: string, effect: Call['effect'] = 'once', asks?: Call['asks']): Call => ({
  name,
  effect,
  ...(asks && { asks }),
})

/** What jobs do, in turn: calls that must happen once, approvals and a delegated child in most. */
const scripts: readonly Job['steps'][] = [
  [[call('mail'), call('pay', 'once', 'approve')], [call('again', 'again')]],
  [[call('again', 'again')], [call('pay', 'once', 'approve')], [call('child', 'child')]],
  [
    [call('mail'), call('again', 'again')],
    [call('child', 'child'), call('post')],
  ],
  [[call('pay', 'once', 'approve'), call('refused', 'once', 'deny')], [call('mail')]],
]

/** Asks the user in the middle of a step. */
const booking: Job['steps'] = [
  [call('book', 'once', 'answer'), call('mail')],
  [call('again', 'again')],
]

/** The jobs of a storm: each ninth and tenth asks the user. */
const stormJobOf = (index: number): Job =>
  index % 10 < 8 ? jobOf(index) : { ...jobOf(index), steps: booking }

export const jobOf = (index: number): Job => ({
  id: `job-${index}`,
  kind: index % 2 === 0 ? 'task' : 'run',
  steps: scripts[(index >> 1) % scripts.length] ?? [],
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A storm over one system. */
export class Storm {
  readonly #options: StormOptions
  readonly #jobs: Job[] = []
  readonly #poison = new Set<string>()
  readonly #open = new Set<string>()
  readonly #unsent = new Set<Job>()
  readonly #workers: (Worker | undefined)[]
  readonly #killed = new Set<Worker>()
  readonly #frozen = new Set<string>()
  readonly #wokeAt = new Map<string, number>()
  readonly #decided: Decided[] = []
  readonly #wrong: string[] = []
  #counts = {
    kills: 0,
    freezes: 0,
    inEffect: 0,
    second: 0,
    databaseStops: 0,
    crashLoops: 0,
    moved: 0,
    ended: 0,
  }
  #version = 1
  #started = 0
  /** What becomes of the next effects: the process that causes one is killed. */
  #armed: Answer[] = []
  #isOver = false

  constructor(options: StormOptions) {
    this.#options = options
    this.#workers = Array.from({ length: options.workers }, () => undefined)
  }

  async run(): Promise<StormReport> {
    const {
      subject,
      ledger,
      kills,
      minutes = Infinity,
      jobs,
      backlog = 0,
      poisoned = 0,
      slow = 0,
    } = this.#options
    ledger.onEffect = (effect) => this.#onEffect(effect)
    for (let index = 0; index < backlog; index++)
      await this.#add({ id: `small-${index}`, kind: 'run', steps: [] })
    await Promise.all(this.#workers.map((_, index) => this.#start(index)))
    for (let index = 0; index < poisoned; index++) {
      const id = `poison-${index}`
      this.#poison.add(id)
      await this.#add({
        id,
        kind: index % 2 === 0 ? 'task' : 'run',
        steps: [[call('poison', 'again')]],
      })
    }
    for (let index = 0; index < slow; index++)
      await this.#add({
        id: `slow-${index}`,
        kind: index % 2 === 0 ? 'run' : 'task',
        steps: [[call('again', 'again')]],
      })
    const until = performance.now() + minutes * 60_000
    const killsMore = (): boolean => this.#counts.kills < kills && performance.now() < until
    let count = 0
    let quietSince = performance.now()
    try {
      for (;;) {
        await this.#settle()
        const busy = [...this.#open].filter((id) => id.startsWith('job-')).length
        if (killsMore() || count < jobs)
          for (let more = jobs - busy; more > 0; more--) await this.#add(stormJobOf(count++))
        if (killsMore()) {
          quietSince = performance.now()
          await pause(100 + Math.random() * 300)
          await this.#kill()
        } else {
          if (
            this.#open.size === 0 ||
            performance.now() - quietSince > (this.#options.patienceMs ?? 180_000)
          )
            break
          await pause(150)
        }
      }
      return await this.#judge()
    } finally {
      this.#isOver = true
      for (const worker of this.#workers) worker?.child.kill('SIGKILL')
      await subject.close()
    }
  }

  async #add(job: Job): Promise<void> {
    this.#jobs.push(job)
    this.#open.add(job.id)
    this.#unsent.add(job)
    await this.#send(job)
  }

  /** A caller sends again until the job is accepted. */
  async #send(job: Job): Promise<void> {
    await this.#options.subject.submit(job, this.#version).then(
      () => this.#unsent.delete(job),
      () => undefined,
    )
  }

  async #start(index: number): Promise<void> {
    this.#workers[index] = undefined
    const worker = await this.#options.subject.startWorker(
      `w${++this.#started}`,
      this.#version,
      index,
    )
    worker.child.once('exit', () => {
      if (this.#isOver) return
      if (!this.#killed.has(worker)) this.#counts.ended++
      if (this.#workers[index] === worker) void this.#start(index)
    })
    if (this.#isOver) worker.child.kill('SIGKILL')
    else this.#workers[index] = worker
  }

  #onEffect(effect: Effect): Answer {
    const worker = this.#workers.find((one) => one?.name === effect.worker)
    const end = (answer: Answer): Answer => {
      if (worker) this.#killed.add(worker)
      worker?.child.kill('SIGKILL')
      return answer
    }
    if (effect.call === 'poison') {
      // Its neighbours have begun by then.
      setTimeout(() => end('lost'), 700).unref()
      return 'lost'
    }
    if (effect.job.startsWith('slow-')) return 'slow'
    const armed = worker && this.#armed.pop()
    if (armed === undefined) return 'done'
    this.#count('inEffect')
    this.#thenSecond()
    return end(armed)
  }

  #count(kind: 'inEffect' | 'second' | 'freezes' | 'plain'): void {
    this.#counts.kills++
    if (kind !== 'plain') this.#counts[kind]++
    this.#options.onKill?.(this.#counts.kills)
  }

  async #kill(): Promise<void> {
    const { subject, upgradeEvery, disturb } = this.#options
    const before = this.#counts.kills
    if (this.#armed.length === 0 && Math.random() < 0.5)
      this.#armed.push(Math.random() < 0.5 ? 'lost' : 'unseen')
    else {
      const victim = this.#pick()
      if (!victim) return
      if (before % 5 === 4) this.#freeze(victim, subject.leaseMs * 2)
      else {
        this.#count('plain')
        this.#end(victim)
        this.#thenSecond()
      }
    }
    const kills = this.#counts.kills
    if (kills === before) return
    if (upgradeEvery !== undefined && kills % upgradeEvery === 0) this.#version++
    if (disturb && kills % 7 === 0) {
      this.#counts.databaseStops++
      await disturb()
    }
  }

  /** Kills the process that takes over, right after it did. */
  #thenSecond(): void {
    if (Math.random() < 0.5) return
    setTimeout(
      () => {
        const victim = this.#isOver ? undefined : this.#pick()
        if (!victim) return
        this.#count('second')
        this.#end(victim)
      },
      this.#options.subject.leaseMs + Math.random() * 400,
    ).unref()
  }

  #pick(): Worker | undefined {
    const ready = this.#workers.filter(
      (worker) => worker !== undefined && !this.#frozen.has(worker.name),
    )
    return ready[Math.floor(Math.random() * ready.length)]
  }

  #end(worker: Worker): void {
    this.#killed.add(worker)
    worker.child.kill('SIGKILL')
  }

  /** Another process takes over what it has, and it must harm nothing when it wakes up. */
  #freeze(worker: Worker, ms: number): void {
    this.#count('freezes')
    this.#frozen.add(worker.name)
    worker.child.kill('SIGSTOP')
    setTimeout(() => {
      worker.child.kill('SIGCONT')
      this.#frozen.delete(worker.name)
      this.#wokeAt.set(worker.name, performance.now())
    }, ms).unref()
  }

  /** What the person and the operator do. */
  async #settle(): Promise<void> {
    const { subject, ledger } = this.#options
    for (const job of [...this.#unsent]) await this.#send(job)
    for (const question of await subject.questions().catch(() => [])) {
      const decision = answer(question, ledger)
      const at = performance.now()
      const note = (isSure: boolean): number =>
        this.#decided.push({ question, decision, isSure, at })
      await subject.decide(question, decision).then(
        () => note(true),
        (error: unknown) => {
          if (isRefusal(error)) return
          note(false)
          if (process.env['KILL_VERBOSE'])
            console.error(`${question.job} ${question.id}: ${String(error)}`)
        },
      )
    }
    for (const { job, why } of await subject.stopped().catch(() => [])) {
      if (this.#poison.has(job)) {
        this.#open.delete(job)
        continue
      }
      const isMoved = /differs in|other settings|no live worker/.test(why)
      await subject.resume(job, this.#version).then(
        () => this.#counts[isMoved ? 'moved' : 'crashLoops']++,
        () => undefined,
      )
      // Nothing was killed here but by the poison.
      if (!isMoved && this.#counts.kills === 0)
        this.#wrong.push(`${job} was stopped for its neighbour: ${why}`)
    }
    await this.#look()
  }

  async #look(): Promise<void> {
    const { subject } = this.#options
    for (const id of [...this.#open]) {
      const state = await subject.state(id).catch(() => 'open')
      if (state === 'done' || state === 'failed') this.#open.delete(id)
    }
  }

  async #judge(): Promise<StormReport> {
    const { subject, ledger } = this.#options
    const isLate = (effect: Effect): boolean => {
      const wokeAt = this.#wokeAt.get(effect.worker)
      return wokeAt !== undefined && effect.at - wokeAt < 500
    }
    for (const job of this.#jobs) {
      if (this.#poison.has(job.id)) continue
      this.#wrong.push(
        ...judge({
          job,
          report: await subject.report(job),
          effects: ledger.effects.filter((effect) => effect.job === job.id),
          decided: this.#decided.filter(({ question }) => question.job === job.id),
          isLate,
        }),
      )
    }
    for (const id of this.#poison) if (this.#open.has(id)) this.#wrong.push(`${id} was not stopped`)
    if (this.#counts.ended > 0)
      this.#wrong.push(`${this.#counts.ended} workers ended by themselves`)
    const about = (kind: Question['kind']): number =>
      this.#decided.filter(({ question }) => question.kind === kind).length
    return {
      jobs: {
        runs: this.#jobs.filter(({ kind }) => kind === 'run').length,
        tasks: this.#jobs.filter(({ kind }) => kind === 'task').length,
      },
      ...this.#counts,
      versions: this.#version,
      effects: ledger.effects.length,
      approvals: about('approval'),
      uncertain: about('uncertain'),
      answered: about('question'),
      poisonStopped: [...this.#poison].filter((id) => !this.#open.has(id)).length,
      late: ledger.effects.filter(isLate).length,
      wrong: this.#wrong,
    }
  }
}
