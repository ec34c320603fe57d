// Every pair of cuts: a process ends at one of its writes, before or after the commit, the next one
// at one of its own; a third continues. Then the job is judged as after a storm. In one process:
// the database is cut off, see `dying-database.ts`.
import { createMessage, createPart, isTerminal, openRequests } from '@modelport/agent'
import type { InferRequest } from '@modelport/runtime'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import type { Database } from '../../src/database/database.js'
import { requestOf } from '../../src/operate/work-item.js'
import { createDurableStore, type DurableStore } from '../../src/store/durable-store.js'
import { dyingDatabase } from '../support/dying-database.js'
import { missing, questionOf, reportOfRun, reportOfTask } from './adapter/report.js'
import { agentsOf, type Effects, promptOf, work } from './adapter/script.js'
import type { Effect } from './ledger.js'
import { answer, type Decided, judge } from './oracle.js'
import type { Call, Job } from './subject.js'

const call = (name: string, effect: Call['effect'] = 'once', asks?: Call['asks']): Call => ({
  name,
  effect,
  ...(asks && { asks }),
})
const principal = 'anonymous'

export interface CutCase extends Omit<Job, 'id'> {
  /** A process before those of the cuts dies in this call, before it happened. */
  readonly lost?: string
  /** So many of the first steps are calls that the message itself makes, one each. */
  readonly given?: number
  /** Besides what every job asks for. */
  readonly more?: InferRequest
}

export const cutCases: Readonly<Record<string, CutCase>> = {
  'a run: two parallel calls, then an approval': {
    kind: 'run',
    steps: [[call('mail'), call('again', 'again')], [call('pay', 'once', 'approve')]],
  },
  'a run: a call whose outcome is unknown': { kind: 'run', lost: 'mail', steps: [[call('mail')]] },
  'a run: another agent, then a denial': {
    kind: 'run',
    steps: [[call('child', 'child')], [call('refused', 'once', 'deny'), call('post')]],
  },
  'an agent: a call and an approval, then another call': {
    kind: 'task',
    steps: [[call('mail'), call('pay', 'once', 'approve')], [call('again', 'again')]],
  },
  'an agent: calls of the message itself, one after an approval': {
    kind: 'task',
    given: 2,
    steps: [[call('mail')], [call('pay', 'once', 'approve')], [call('again', 'again')]],
  },
  'an agent: a call of the message itself whose outcome is unknown': {
    kind: 'task',
    given: 1,
    lost: 'mail',
    steps: [[call('mail')]],
  },
  'an agent: a call whose outcome is unknown': {
    kind: 'task',
    lost: 'mail',
    steps: [[call('mail')]],
  },
  'an agent: a delegated task whose outcome is unknown': {
    kind: 'task',
    lost: 'file',
    steps: [[call('child', 'child')]],
  },
  'an agent: a delegated task': { kind: 'task', steps: [[call('child', 'child')]] },
}

/** Which cuts. */
interface Cuts {
  readonly at: readonly [number, number]
  readonly commits: readonly [boolean, boolean]
}

/** What came of all pairs. */
export interface CutReport {
  readonly pairs: number
  /** Unknown outcomes that a person settled. */
  readonly uncertain: number
  readonly approvals: number
  readonly wrong: readonly string[]
}

/**
 * Runs a case for every pair of cuts, until the first lies behind the end of an uncut run.
 *
 * @param every looks at every so-many-th second cut only; `everyFirst` at every so-many-th first
 * one
 */
export async function cutEverywhere(
  inner: Database,
  name: string,
  { every = 1, everyFirst = 1 }: { readonly every?: number; readonly everyFirst?: number } = {},
): Promise<CutReport> {
  const kase = cutCases[name]
  if (!kase) throw new Error(`there is no case "${name}"`)
  const report = { pairs: 0, uncertain: 0, approvals: 0, wrong: [] as string[] }
  for (const [offset, commits] of (
    [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const
  ).entries())
    for (let first = 1 + (offset % everyFirst), hasFirst = true; hasFirst; first += everyFirst)
      for (
        let second = 1 + ((first + offset) % every), hasSecond = true;
        hasSecond;
        second += every
      ) {
        const one = new CutJob(inner, kase, { at: [first, second], commits })
        const reached = await one.run()
        report.pairs++
        report.wrong.push(...(await one.judge()))
        const count = (kind: string): number =>
          one.decided.filter(({ question }) => question.kind === kind).length
        report.uncertain += count('uncertain')
        report.approvals += count('approval')
        // Enough to know that it is wrong.
        if (report.wrong.length > 4) return report
        hasFirst = reached.first
        hasSecond = reached.first && reached.second
      }
  return report
}

/** Questions of one job, and time of one process, before it counts as stuck. */
const mostRounds = 30
const patienceMs = 8_000

export class CutJob {
  readonly #inner: Database
  readonly #kase: CutCase
  readonly #job: Job
  readonly #cuts: Cuts
  readonly #message
  readonly #effects: Effect[] = []
  readonly decided: Decided[] = []
  #task: string | undefined
  #die: (() => void) | undefined
  #wrong: string[] = []

  constructor(inner: Database, kase: CutCase, cuts: Cuts) {
    this.#inner = inner
    this.#kase = kase
    this.#cuts = cuts
    this.#job = {
      ...kase,
      id: `${kase.kind}-${cuts.at.join('-')}-${cuts.commits.map(Number).join('')}-${++made}`,
    }
    const given = kase.steps.slice(0, kase.given ?? 0).flat()
    this.#message = createMessage('user', [
      ...given.map(({ name }) => createPart.toolCall(name, { job: this.#job.id })),
      createPart.text(promptOf(this.#job)),
    ])
  }

  async run(): Promise<{ readonly first: boolean; readonly second: boolean }> {
    const reached: boolean[] = []
    if (this.#kase.lost !== undefined) {
      const { database, isDead, die, idle } = dyingDatabase(this.#inner, {
        at: Infinity,
        commits: false,
      })
      this.#die = die
      await this.#work(database, isDead, false).catch(() => undefined)
      await idle()
      await this.#endLeases()
    }
    for (const [index, at] of this.#cuts.at.entries()) {
      const commits = this.#cuts.commits[index] ?? false
      const { database, isDead, idle } = dyingDatabase(this.#inner, { at, commits })
      await this.#work(database, isDead, commits).catch((error: unknown) => {
        if (!isDead()) this.#wrong.push(String(error))
      })
      reached.push(isDead())
      await idle()
      await this.#endLeases()
    }
    await this.#work(this.#inner, () => false, true).catch((error: unknown) =>
      this.#wrong.push(String(error)),
    )
    return { first: reached[0] ?? false, second: reached[1] ?? false }
  }

  async #endLeases(): Promise<void> {
    await this.#inner.write([
      {
        sql: `UPDATE runs SET due = 0, crashes = 0 WHERE due IS NOT NULL AND status IN ('running', 'ready')`,
      },
    ])
  }

  async judge(): Promise<readonly string[]> {
    const store = createDurableStore(this.#inner, {})
    const { kind, id } = this.#job
    const report =
      kind === 'run'
        ? await reportOfRun(store, id)
        : this.#task === undefined
          ? missing
          : await reportOfTask(store, { principal, id: this.#task })
    return [
      ...this.#wrong.map((one) => `${kind} ${id}: ${one}`),
      ...judge({ job: this.#job, report, effects: this.#effects, decided: this.decided }),
    ]
  }

  readonly #happen: Effects = ({ job, call: name, key }) => {
    if (this.#die && name === this.#kase.lost) {
      this.#die()
      this.#die = undefined
      return Promise.resolve('')
    }
    this.#effects.push({ job, call: name, key, worker: '', at: performance.now() })
    return Promise.resolve(`done ${name}`)
  }

  async #work(database: Database, isDead: () => boolean, commits: boolean): Promise<void> {
    const store = createDurableStore(database, {})
    const over = new AbortController()
    const isOver = (): boolean => over.signal.aborted || isDead()
    const timer = setTimeout(() => over.abort(), patienceMs)
    try {
      await (this.#job.kind === 'run'
        ? this.#asRun(store, isOver, commits)
        : this.#asTask(store, isOver, commits))
    } finally {
      clearTimeout(timer)
    }
    if (over.signal.aborted) throw new Error(`a process did nothing for ${patienceMs} ms`)
  }

  async #asRun(store: DurableStore, isDead: () => boolean, commits: boolean): Promise<void> {
    const { id } = this.#job
    const prompt = promptOf(this.#job)
    for (let round = 0; round < mostRounds; round++) {
      const result = await store.runs.run(id, (run) =>
        work(run, prompt, this.#happen, 1, this.#kase.more),
      )
      if (result.status !== 'suspended') return
      await this.#settle(store, id, result.pending.map(requestOf), isDead, commits)
    }
  }

  async #asTask(store: DurableStore, isDead: () => boolean, commits: boolean): Promise<void> {
    // The clerk is served by the same process, over the same protocol.
    const clerk = createAgentClient('http://127.0.0.1/a/clerk', {
      fetch: (input, init) => server.fetch(new Request(input, init)),
      maxReconnects: 0,
    })
    const server = createAgentServer(agentsOf(this.#happen, 1, clerk), { store })
    const { host } = server
    const children = async (): Promise<void> => {
      const { heads } = await store.tasks.list({
        principal,
        agent: 'clerk',
        state: 'working',
        limit: 10,
      })
      await host.recover(heads.map(({ record }) => ({ principal, id: record.id })))
    }
    try {
      // The caller sends its message again until it is accepted: it has an id.
      const { task } = await host.send({ agent: 'worker', principal, message: this.#message })
      this.#task = task.id
      const key = { principal, id: task.id }
      await children()
      await host.recover([key])
      let from = 0
      for (let round = 0; round < mostRounds && !isDead(); round++) {
        const settled = await unlessDead(host.settled(key, from), isDead)
        if (!settled || isTerminal(settled.state)) return
        from = (await store.tasks.head(key))?.seq ?? 0
        await this.#settle(store, task.id, await openRequests(store.tasks, key), isDead, commits)
        await host.recover([key])
      }
    } finally {
      await server.close(0)
    }
  }

  /**
   * The person decides about the first question: a decision ends the wait, and the rest is asked
   * again.
   */
  async #settle(
    store: DurableStore,
    id: string,
    calls: readonly Parameters<typeof questionOf>[1][],
    isDead: () => boolean,
    commits: boolean,
  ): Promise<void> {
    const [question] = calls.flatMap((one) => questionOf(this.#job.id, one) ?? [])
    if (!question) return
    const decision = answer(question, {
      has: (key) => this.#effects.some((effect) => effect.key === key),
    })
    if (decision.type === 'answer') return // no job of the cuts asks
    const at = performance.now()
    try {
      await store.operations.decide(id, decision, question.id)
      this.decided.push({ question, decision, isSure: true, at })
    } catch (error) {
      if (isDead() && commits) this.decided.push({ question, decision, isSure: false, at })
      throw error
    }
  }
}

let made = 0

/** The result, or undefined if the process ends before it. */
async function unlessDead<Result>(
  result: Promise<Result>,
  isDead: () => boolean,
): Promise<Result | undefined> {
  let isOver = false
  const died = async (): Promise<undefined> => {
    while (!isOver && !isDead()) await new Promise((resolve) => setTimeout(resolve, 2))
    return undefined
  }
  try {
    return await Promise.race([result, died()])
  } finally {
    isOver = true
  }
}
